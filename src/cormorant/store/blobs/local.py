"""A cache in the data folder: packs behind the `Cache` protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from cormorant.base.clock import Clock
from cormorant.store.blobs import eraser, verify as checking
from cormorant.store.blobs.protocol import BlobEntry, BlobPlace, Damage
from cormorant.store.blobs.reader import PackReader
from cormorant.store.blobs.record import Frame
from cormorant.store.blobs.writer import PackWriter


class LocalCache:
    """Packs below `directory`. No file is made before the first `keep`; `read` may be called from several threads."""

    def __init__(self, directory: Path, clock: Clock) -> None:
        self._directory = directory
        self._writer = PackWriter(directory, clock)
        self._reader = PackReader(directory)

    @property
    def broken(self) -> str | None:
        """The reason why nothing can be kept until the process restarts; None while it can."""
        return self._writer.broken

    def keep(self, batch: Sequence[tuple[int, bytes]]) -> list[BlobPlace]:
        """Append a batch of encoded frames with one write and one sync, all or none."""
        return self._writer.append(batch)

    def read(self, place: BlobPlace, *, body: bool = True) -> Frame:
        """Return the frame at a place, with or without its body."""
        return self._reader.read(place, body=body)

    def payload(self, place: BlobPlace) -> bytes:
        """Return the encoded frame at a place."""
        return self._reader.payload(place)

    def erase(self, places: Sequence[BlobPlace]) -> None:
        """Overwrite the entries at these places on disk."""
        for place in places:
            eraser.overwrite(self._directory, place)

    def check(self, live: Iterable[tuple[int, BlobPlace]]) -> Iterator[Damage]:
        """Compare rows with packs, and read all packs."""
        return checking.check(self._directory, live)

    def entries(self) -> Iterator[BlobEntry]:
        """Yield every readable entry."""
        return checking.entries(self._directory)

    def sizes(self) -> list[int]:
        """Return the size of every pack in bytes."""
        return [pack.stat().st_size for pack in self._directory.rglob("*.pack")]

    def close(self) -> None:
        """Close the files; a later `keep` begins another pack."""
        self._writer.close()
        self._reader.close()
