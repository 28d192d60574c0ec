"""Spider traps: URL templates that yield nothing new."""
