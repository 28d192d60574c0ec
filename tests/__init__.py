"""Tests in rings: one folder a package, then contracts, journeys and house (see CONTRIBUTING.md)."""
