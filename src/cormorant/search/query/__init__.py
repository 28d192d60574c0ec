"""Parser of queries: text becomes a tree of words, phrases, fields and filters, with notes on what was ignored."""
