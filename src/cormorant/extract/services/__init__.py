"""Document services change or veto documents between their reader and the index.

    document -> service -> service -> ... -> document | veto

A document service takes what was read of a document (text, title, attributes, language) and returns it changed, or says
that it is not to be found. `registry` has those that are built in and those that packages add, `task` runs one in a
limited child.
"""
