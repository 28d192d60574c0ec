"""Explanations of why a document is, or is not, in the index."""
