"""Listing and reading the files of a server, whatever its protocol.

    settings.py   url, user, password; the rest is shared with folders of this machine (sources/trees)
    protocol.py   RemoteClient: what the adapter of a protocol does over one connection
    walk.py       several connections list one folder each, and hand their files on in batches
    source.py     RemoteFilesSource: discovery, reading and outcomes over adapters

Invariants: a folder that could not be listed is noted, and nothing below it is taken for gone; a root that is missing,
another one than before or suddenly empty fails the listing as a whole; a refused login is tried once; memory holds the
names of folders still to be entered and a bounded number of files.
"""
