"""Sitemaps that are known, and how far their `lastmod` can be trusted."""
