"""Kept copies of documents, in packs on disk.

Every document that is kept has one compressed frame here: status line, header lines, the original bytes and the text
drawn from them. A row of the store says where it lies; the frame itself never passes through the database.

    Frame --encode--> bytes --keep (one write, one fdatasync a batch)--> Place --row of the store--> committed
                                        |                                  |
                               killed here: a torn tail,             read -> Frame, or CacheDamaged
                               or an entry no row names              check -> Damage, then a forced visit
                                                                     entries -> rows anew, when they are lost

The rooms: `record` (one document's parts as bytes), `pack_format` (how an entry lies on the disk), `writer` and
`reader` (the only two that open packs in normal work), `verify` (is everything there, and what is there),
`pack_folder` (packs as files: for backups, and for giving room back), `eraser` (overwrites what may not stay on the
disk), `local` (the `Cache` protocol over the others).

Invariants: what `keep` returned is on the disk before any row names it; bytes whose checksum does not fit are never
returned; an entry is changed in place only to erase it, and only its writer appends to a pack; a pack is removed only
by whoever holds the folder alone and has seen that no row names it; nothing decoded is larger than
`record.MAX_DECODED`.
"""
