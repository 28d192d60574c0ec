"""Which documents are written by libraries of others? They run in an environment of their own, not in the project's."""
