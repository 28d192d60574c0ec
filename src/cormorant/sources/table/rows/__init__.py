"""Rows: how they are named, when they have changed, and the documents that they become."""
