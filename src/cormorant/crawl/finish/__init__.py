"""The end of a run: unseen documents are swept, canonical pages settled, the link graph inverted."""
