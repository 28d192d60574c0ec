"""Entries of RSS, Atom and JSON feeds, each a document, or the pages that they link to.

control list -> feeds --conditional GET--> pages of a feed -> entries -> items of the store
                           `--304: as before                               |
discover names the kept items: entries (feed://SOURCE/...), or the pages that they link to
"""
