"""Settings of a source that several kinds share, as frozen values that are checked once."""
