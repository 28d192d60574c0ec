"""Frozen values that travel between packages.

Frozen values that travel between packages, one type for each milestone of a document's way:

    Found -> Resource -> Content -> Extraction -> Document -> (index) -> Hit
      |         |           |           |             |
    discover  lease       fetch      extract        keep

Invariants: values do not change once made; nothing here opens a connection, reads a clock or knows a back end; only
`Document.attributes` is an open mapping.
"""
