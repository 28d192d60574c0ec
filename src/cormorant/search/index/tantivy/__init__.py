"""The embedded index on disk, over tantivy."""
