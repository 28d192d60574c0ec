"""Give back the space of copies that no row names any more.

    for moves in compact(...):        copies of what is live, on the disk before they are yielded
        rows: old place -> new place  one transaction of the caller, only where the row still says the old place
        discard(moves.pack)           and only then the old pack

Killed between any two of these, nothing is lost: at worst there are two copies, of which no row names one.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from cormorant.base.clock import Clock
from cormorant.base.errors import CacheDamaged
from cormorant.cache.packs import is_being_written, pack_numbers, pack_path, sync_folder
from cormorant.cache.protocol import Place
from cormorant.cache.reader import PackReader
from cormorant.cache.writer import PackWriter

GRACE_S = 3600.0
"""A pack changed less than this ago is left alone: its entries may be kept, but their rows not yet committed."""

LIVE_SHARE = 0.5
"""A pack is rewritten when less than this share of it is live."""

SMALL_BYTES = 16 << 20
"""Packs below this are merged once there are `SMALL_PACKS` of them; every process begins a new one."""

SMALL_PACKS = 8

PACKS_A_RUN = 32
"""Packs rewritten at a time: their rows are in memory together."""

_BATCH_BYTES = 8 << 20


class Moves(NamedTuple):
    """What became of one pack: (resource, old place, new place), and rows whose copy could not be read any more."""

    pack: int
    moved: list[tuple[int, Place, Place]]
    lost: list[tuple[int, Place]]


class Compaction:
    """Rewrites packs by way of a writer of its own, which the caller closes."""

    def __init__(self, directory: Path, clock: Clock, writer: PackWriter, *, grace_s: float = GRACE_S) -> None:
        self._directory, self._clock, self._writer, self._grace_s = directory, clock, writer, grace_s

    def run(self, live: Callable[[], Iterable[tuple[int, Place]]]) -> Iterator[Moves]:
        """Yield the moves of one pack at a time, of at most `PACKS_A_RUN`; run again until nothing is yielded.

        `live` is called twice and gives all rows (resource, place) in any order: first to choose the packs, then to
        know what is in them. A row it does not give is taken as absent: its copy goes. Dense packs, young ones and
        those being written are passed over. Raises DataFolderError when copies cannot be written; what was yielded
        stands.
        """
        used: Counter[int] = Counter()
        for _, place in live():
            used[place.pack] += place.length
        rows: dict[int, list[tuple[int, Place]]] = {pack: [] for pack in self._choose(used)}
        for row in live() if rows else ():
            if row[1].pack in rows:
                rows[row[1].pack].append(row)
        reader = PackReader(self._directory, open_packs=1)
        try:
            for pack, some in rows.items():
                yield self._move(reader, pack, some)
        finally:
            reader.close()

    def discard(self, pack: int) -> None:
        """Remove a pack whose moves are committed. One that is gone already is no error."""
        path = pack_path(self._directory, pack)
        path.unlink(missing_ok=True)
        sync_folder(path.parent)

    def _choose(self, used: Counter[int]) -> list[int]:
        """Return the packs worth rewriting, oldest first."""
        sizes = {pack: size for pack in pack_numbers(self._directory) if (size := self._idle_size(pack)) is not None}
        small = sum(size < SMALL_BYTES for size in sizes.values()) >= SMALL_PACKS
        worth = [
            pack
            for pack, size in sizes.items()
            if used[pack] < LIVE_SHARE * size or used[pack] == 0 or (small and size < SMALL_BYTES)
        ]
        return worth[:PACKS_A_RUN]

    def _idle_size(self, pack: int) -> int | None:
        """Return the size of a pack that nobody writes and nobody wrote lately, else None."""
        try:
            descriptor = os.open(pack_path(self._directory, pack), os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            stat = os.fstat(descriptor)
            idle = self._clock.now() - stat.st_mtime >= self._grace_s and not is_being_written(descriptor)
        finally:
            os.close(descriptor)
        return stat.st_size if idle else None

    def _move(self, reader: PackReader, pack: int, rows: list[tuple[int, Place]]) -> Moves:
        """Copy the live entries of one pack, a few megabytes at a time."""
        moves = Moves(pack, [], [])
        batch: list[tuple[int, bytes, float]] = []
        old: list[Place] = []
        for resource, place in rows:
            try:
                head, payload = reader.entry(place)
            except CacheDamaged:
                moves.lost.append((resource, place))
                continue
            batch.append((resource, payload, head.kept_at))
            old.append(place)
            if sum(len(each[1]) for each in batch) >= _BATCH_BYTES:
                self._flush(moves, batch, old)
        self._flush(moves, batch, old)
        return moves

    def _flush(self, moves: Moves, batch: list[tuple[int, bytes, float]], old: list[Place]) -> None:
        """Write a batch and note where it went."""
        new = self._writer.copy(batch)
        moves.moved.extend((item[0], was, now) for item, was, now in zip(batch, old, new, strict=True))
        batch.clear()
        old.clear()
