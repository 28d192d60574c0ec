"""Readers of other formats: PDF, Office, plain text, XML, gzip."""
