"""Settings of a web source."""
