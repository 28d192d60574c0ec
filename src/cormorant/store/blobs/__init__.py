"""Kept copies of documents, in packs on disk.

Every kept document has one compressed frame here: status line, header lines, the original bytes and their text. A row
of the store holds its place; the frame itself never passes through the database.

    Frame --encode--> bytes --keep (one write, one fdatasync a batch)--> Place --row of the store--> committed
                                        |                                  |
                               killed here: a torn tail,             read -> Frame, or CacheDamaged
                               or an entry no row names              check -> Damage, then a forced visit
                                                                     entries -> new rows, if they are lost

Modules: `record` (one document's parts as bytes), `pack_format` (layout of an entry on disk), `writer` and `reader`
(the only two that open packs in normal work), `verify` (finds damage, and lists all entries), `pack_folder` (packs as
files: for backups and compaction), `eraser` (overwrites entries on disk), `local` (the `Cache` protocol over the
others).

Invariants: an entry is on disk before any row names it; bytes with a wrong checksum are never returned; an entry is
changed in place only to erase it, and only its writer appends to a pack; a pack is removed only by a process that holds
the folder alone and has seen that no row names it; nothing decoded is larger than `record.MAX_DECODED`.
"""
