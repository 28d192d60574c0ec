"""Readers of the parts of a Word document."""
