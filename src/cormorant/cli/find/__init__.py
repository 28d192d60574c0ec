"""Commands about documents: search, explain, list, take down."""
