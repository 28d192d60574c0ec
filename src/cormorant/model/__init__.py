"""Frozen values that travel between packages.

One type for each milestone of a document's way:

    DiscoveredUrl -> Resource -> Content -> Extraction -> Document -> IndexedDocument -> Hit
        |               |           |           |             |              |
     discover         lease       fetch      extract       commit         deliver

Invariants: values do not change once made; nothing here opens a connection, reads a clock or knows a back end; only
`Document.attributes` is an open mapping.
"""
