"""Records of what is stored: the index, kept copies, packs and backups."""

from __future__ import annotations

from cormorant.operate.records.record import Record


class RebuiltIndex(Record):
    """The index was rebuilt, without the documents whose kept copies are damaged."""

    documents: int
    damaged: int
    damaged_urls: list[str]
    place: int
    took_s: float


class RetentionRecord(Record, total=False):
    """Old data that was removed as a run began, without fields for nothing.

    Exclusions, tombstones of deleted documents, and packs with their copies.
    """

    excluded: int
    tombstones: int
    packs_emptied: int
    copies_moved: int
    packs_removed: int


class OptimizedIndex(Record):
    """The index holds only what search may find; it was `rebuilt` where that was needed."""

    rebuilt: bool
    purged: int
    dropped: int
    segments_before: int
    segments: int
    documents: int
    damaged: int
    damaged_urls: list[str]
    took_s: float


class IndexSize(Record):
    """The size of the index, its place in the stream, and the events behind that."""

    documents: int
    deleted: int
    segments: int
    size_bytes: int
    place: int
    backlog: int


class DamagedCopy(Record):
    """A document whose kept copy cannot be read."""

    url: str
    reason: str


class CheckedCopies(Record):
    """Kept copies that were compared with the rows that name them."""

    live: int
    damaged: int
    awaited: int
    unreadable_dead: int
    unfinished: int
    damaged_documents: list[DamagedCopy]


class CopiesSize(Record):
    """The number of kept copies, their size, and the space of those that no row names any more."""

    copies: int
    live_bytes: int
    packs: int
    size_bytes: int
    unused_bytes: int


class Compacted(Record):
    """Packs and the database, before and after they were rewritten without unused data."""

    packs_rewritten: int
    copies_moved: int
    unreadable: int
    copies_bytes_before: int
    copies_bytes: int
    store_bytes_before: int
    store_bytes: int
    took_s: float


class ArchiveRecord(Record):
    """An archive and its contents."""

    file: str
    made_at: str
    schema: str
    program: str
    store: str
    documents: int
    rows: int
    copies: bool
    packs: int
    packs_bytes: int
    size_bytes: int
    sha256: str


class BackupRecord(ArchiveRecord):
    """An archive that was written just now."""

    took_s: float


class RestoredArchive(ArchiveRecord):
    """An archive that was put in the place of what there was; `taken`: its copies as well."""

    taken: bool
    fetched_anew: int
    indexed: int | None
    took_s: float
