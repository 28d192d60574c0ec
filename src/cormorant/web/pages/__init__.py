"""HTML pages, rendered on the server from templates."""
