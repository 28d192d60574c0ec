"""Intake of the URLs that a source names: seeds, a complete listing, or changes since a cursor."""
