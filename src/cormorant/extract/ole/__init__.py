"""Readers of documents in OLE files: Office 97-2003 and Outlook messages.

    word, powerpoint, excel, outlook, tnef   one reader for each kind; doc, ppt, biff, mapi hold the structures
    embedded, object_storage                 documents embedded in others, attachments of messages
    properties, office_art, code_pages       what they have in common
    pictures                                 text in their metafiles
    compound_writer                          an embedded document as a file of its own

The folders and streams of an OLE file, and which kind of document it is: `detect.compound_file`.

Useful for: text of documents written before 2007 and of mail saved by Outlook. Not useful for: Office documents in ZIP
files, nor for writing any of them.

Invariants

- An offset, a count or a depth in a file is a claim: it is compared with the bytes that are there.
- Damage costs the part that it hits; the rest is read, and the result says that it was cut.
"""
