"""Document services change or veto documents between their reader and the index.

    document -> service -> service -> ... -> document | veto

A document service takes the text, title, attributes and language of a document and returns them changed, or vetoes the
document. `registry` has the built-in services and those of packages, `task` runs one in the sandbox.
"""
