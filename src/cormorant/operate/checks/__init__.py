"""Checks of an installation and of a run, each of which yields problems with a remedy."""
