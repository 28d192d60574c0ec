"""Cache protocol: the duties of a cache, and its guarantees to the caller."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

from cormorant.base.errors import CacheDamaged
from cormorant.store.blobs.record import Frame


class BlobPlace(NamedTuple):
    """Place of a blob: pack number (a positive 63-bit integer), offset and length of the whole entry in bytes."""

    pack: int
    offset: int
    length: int


class OutOfSight(CacheDamaged):
    """A kept copy cannot be read now, but may be intact: its pack is missing, or the disk reports an error."""

    code = "copy_out_of_sight"


class BlobEntry(NamedTuple):
    """Blob entry as it describes itself, to rebuild rows; of several, the last kept (epoch seconds) is valid."""

    resource: int
    place: BlobPlace
    kept_at: float


class Harm(StrEnum):
    """Kind of damage.

    LIVE: a row names it and it cannot be read; visit that resource again. DEAD: unreadable bytes that no row names.
    TAIL: an append that was under way when the process died; it was never acknowledged.
    """

    LIVE = "live"
    DEAD = "dead"
    TAIL = "tail"


class Damage(NamedTuple):
    """One finding of a check. `resource` is None if the owner of the bytes is unknown."""

    harm: Harm
    resource: int | None
    place: BlobPlace
    reason: str


class Cache(Protocol):
    """Keeps frames, by place.

    A caller may rely on: a returned place is on disk and survives a power cut; `read` returns exactly the kept frame or
    raises. It may not rely on places being in any order, on a place staying valid once no row names it, or on one cache
    object serving two processes: each process has its own.
    """

    def keep(self, batch: Sequence[tuple[int, bytes]]) -> list[BlobPlace]:
        """Keep encoded frames of resources, all or none, and return a place for each, in the same order.

        Raises DataFolderError if it cannot; then nothing of the batch is kept.
        """
        ...

    def read(self, place: BlobPlace, *, body: bool = True) -> Frame:
        """Return the frame at a place; `body=False` omits the original's bytes, which are most of its memory.

        Raises CacheDamaged if it is missing or altered, OutOfSight if that may be temporary.
        """
        ...

    def payload(self, place: BlobPlace) -> bytes:
        """Return the encoded frame at a place, to keep it again. Raises CacheDamaged as `read` does."""
        ...

    def erase(self, places: Sequence[BlobPlace]) -> None:
        """Overwrite the entries at these places on disk. No row may name them. Raises DataFolderError."""
        ...

    def check(self, live: Iterable[tuple[int, BlobPlace]]) -> Iterator[Damage]:
        """Compare rows (resource, place) with the entries. The rows of one pack come one after another."""
        ...

    def entries(self) -> Iterator[BlobEntry]:
        """Yield every readable entry, also those that no row names."""
        ...

    def sizes(self) -> list[int]:
        """Return the size of every pack in bytes."""
        ...

    def close(self) -> None:
        """Close the files."""
        ...
