"""Detection of media type, charset and language from bytes and text."""
