"""Cache protocol: what every cache does, and what its caller may rely on."""

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
    """A kept copy cannot be read now, and may be whole: its pack is not there, or the disk gives an error."""

    code = "copy_out_of_sight"


class BlobEntry(NamedTuple):
    """Blob entry as it describes itself, to rebuild rows; of several, the last kept (epoch seconds) is valid."""

    resource: int
    place: BlobPlace
    kept_at: float


class Harm(StrEnum):
    """Kind of damage.

    LIVE: a row names it and it cannot be read; visit that resource again. DEAD: unreadable bytes that no row names.
    TAIL: an append that was under way when the process died; nobody was told it was kept.
    """

    LIVE = "live"
    DEAD = "dead"
    TAIL = "tail"


class Damage(NamedTuple):
    """One finding of a check. `resource` is None where nobody can say whose bytes these were."""

    harm: Harm
    resource: int | None
    place: BlobPlace
    reason: str


class Cache(Protocol):
    """Keeps frames, by place.

    A caller may rely on: a returned place is on the disk and survives a power cut; `read` gives exactly what was kept
    or raises. It may not rely on places being in any order, on a place staying valid once no row names it, or on one
    cache object serving two processes: each process has its own.
    """

    def keep(self, batch: Sequence[tuple[int, bytes]]) -> list[BlobPlace]:
        """Keep encoded frames of resources, all or none, and return a place for each, in the same order.

        Raises DataFolderError when it could not; nothing of the batch is then kept.
        """
        ...

    def read(self, place: BlobPlace, *, body: bool = True) -> Frame:
        """Return what was kept there; `body=False` leaves the original's bytes away, which are most of its memory.

        Raises CacheDamaged when it is not there or not as it was, OutOfSight when that may pass.
        """
        ...

    def payload(self, place: BlobPlace) -> bytes:
        """Return the encoded frame that was kept there, to be kept once more. Raises CacheDamaged as `read` does."""
        ...

    def erase(self, places: Sequence[BlobPlace]) -> None:
        """Overwrite what was kept there on the disk. No row may name these places. Raises DataFolderError."""
        ...

    def check(self, live: Iterable[tuple[int, BlobPlace]]) -> Iterator[Damage]:
        """Compare rows (resource, place) with what is there. The rows of one pack come one after another."""
        ...

    def entries(self) -> Iterator[BlobEntry]:
        """Yield everything readable there is, also what no row names."""
        ...

    def sizes(self) -> list[int]:
        """Return the size of every pack in bytes."""
        ...

    def close(self) -> None:
        """Let go of the files."""
        ...
