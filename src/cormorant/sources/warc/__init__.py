"""Web archives as sources: the documents in WARC files (ISO 28500), ARC files and WACZ packages.

    archive_files.py   the files of a folder, and those packed in a WACZ
    byte_streams.py    a file as records lie in it: plain, or members that are compressed
    gzip_stream.py     gzip, a member for each record or the file as a whole
    zstd_stream.py     Zstandard frames, with a dictionary or without
    record_format.py   the head of a record of WARC and of ARC
    record_reader.py   one record after the other, whatever is damaged between them
    capture_index.py   the newest capture of each address, found without holding all of them in memory
    payload.py         a record as content: HTTP message or resource

A document is an address and not a record: `warc://3/http%3A%2F%2Fsite.example%2F`. Invariants: a length in a record is
never trusted before its bytes are there; what cannot be read is survived, and deletes nothing.
"""
