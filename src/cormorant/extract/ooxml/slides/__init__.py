"""Readers of the parts of a presentation."""
