"""Results as a reader sees them: snippets, highlights, facets, suggestions, the explanation of a score."""
