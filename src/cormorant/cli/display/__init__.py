"""Tables, bars and reports for a terminal."""
