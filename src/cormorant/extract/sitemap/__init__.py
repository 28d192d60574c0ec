"""Sitemaps and sitemap indexes (sitemaps.org)."""
