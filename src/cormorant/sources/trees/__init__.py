"""The parts that kinds share whose documents are files in folders, here or on a server.

    settings.py   which files are taken, how they are shown, whose rights hold
    globs.py      patterns of include and exclude
    tree_urls.py     names of files, any bytes, as addresses and back
    filters.py    rulings by address and by type
    rights.py     mode bits and access lists as grants and denies

Invariants: pure, no file and no connection is opened; a file has one address, and an address one file.
"""
