"""Spider traps: URL templates without new content."""
