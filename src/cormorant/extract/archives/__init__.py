"""Readers of archives: the names of their members, and the members as files."""
