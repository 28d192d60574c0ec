"""Comparison of texts: changed or not, near duplicates, soft 404 pages."""
