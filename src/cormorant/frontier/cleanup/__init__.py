"""Removal of rows: purged URLs, stale exclusions, a source that starts from scratch."""
