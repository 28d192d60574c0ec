"""Readers of documents in OLE files: Office 97-2003 and Outlook messages.

    compound_file   the folders and streams of an OLE file, and which kind of document it is
    properties      title, author and the like, which all of them keep in the same way
    object_storage  documents embedded in others
    word, powerpoint, excel, outlook, tnef: one reader for each kind

Useful for: text of documents written before 2007 and of mail saved by Outlook. Not useful for: Office documents in ZIP
files, nor for writing any of them.

Invariants

- An offset, a count or a depth in a file is a claim: it is compared with the bytes that are there.
- Damage costs the part that it hits; the rest is read, and the result says that it was cut.
"""
