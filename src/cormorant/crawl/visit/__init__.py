"""One visit: fetch a document, convert it, and judge the outcome.

Start with `visit`. Nothing here writes to the database.
"""
