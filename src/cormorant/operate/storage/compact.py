"""Compaction: frees the space of packs with few copies in use, and of deleted rows.

    sparse packs -> copies that rows name are written again -> rows name the new places, in one commit -> pack removed

`compact` does so on request with all packs that are worth it. `thin` does so automatically beyond two limits: MANY
small packs, and the space for replaced copies. Other processes may read meanwhile, so `thin` keeps an emptied pack for
an hour, for readers that have already read its place from a row.

A kill at any moment loses nothing: a copy is on the disk before a row names it, and a pack is removed only after no row
names it any more. Copies written twice by then are unused space, which the next compaction frees.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import CacheDamaged
from cormorant.operate.installation import Installation
from cormorant.operate.records.storage import Compacted
from cormorant.store.blobs.protocol import BlobPlace, Cache
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, version

BATCH_BYTES = 32 << 20
MANY = 64
SMALL_BYTES = 16 << 20
"""The size of small packs, of which MANY may exist; the newer half stays, since every retriever begins a pack."""
AT_ONCE_BYTES = 512 << 20
"""Bytes of copies in use that `thin` rewrites at a time, since a beginning run waits for it."""
RETIRED_S = 3_600.0
"""Seconds for which an emptied pack is kept."""
WORTH = 0.25
"""The unused share of a pack from which on it is rewritten, which reads and writes the rest once."""


@dataclass(slots=True)
class Gained:
    """Progress of a compaction so far. `stuck` are copies that cannot be read, whose packs stay."""

    packs: int = 0
    copies: int = 0
    stuck: int = 0


class Thinned(NamedTuple):
    """Result of `thin`: packs whose copies were rewritten, copies moved, and packs removed."""

    packs_emptied: int = 0
    copies_moved: int = 0
    packs_removed: int = 0


def thin(house: Installation) -> Thinned:
    """Rewrite some packs if there are too many, or if replaced copies take too much space.

    The caller makes sure that no run is under way. Raises ConflictError while a backup is taken, DataFolderError.
    """
    with house.packs.held(alone=True):
        sizes, named = house.packs.sizes(), _named_bytes(house)
        chosen = _too_much(sizes, named, house.old_copies_bytes)
        gained = _emptied(house, chosen)
        removed = _remove_retired(house, chosen)
    return Thinned(len(chosen), gained.copies, removed)


def _emptied(house: Installation, packs: Sequence[int]) -> Gained:
    """Move all copies that rows name out of these packs, except unreadable ones."""
    gained, cache = Gained(), house.cache()
    try:
        for batch in chain.from_iterable(_batches(house, pack) for pack in packs):
            _move(house, cache, batch, gained)
    finally:
        cache.close()
    return gained


def _too_much(sizes: Mapping[int, int], named: Mapping[int, int], room: int) -> list[int]:
    """Choose the packs to empty now, given their sizes and the bytes in use. Pure."""
    unused = {pack: size - named.get(pack, 0) for pack, size in sorted(sizes.items())}
    small = [pack for pack in unused if sizes[pack] < SMALL_BYTES]
    chosen = dict.fromkeys(small[: -MANY // 2] if len(small) > MANY else ())
    over = sum(unused.values()) - max(room, sum(named.values())) - sum(unused[pack] for pack in chosen)
    for pack in sorted(unused, key=lambda each: unused[each] / max(sizes[each], 1), reverse=True):
        if over <= 0:
            break
        over -= 0 if pack in chosen else unused[pack]
        chosen[pack] = None
    some, left = list[int](), AT_ONCE_BYTES
    for pack in chosen:
        left -= named.get(pack, 0)
        if some and left < 0:
            break
        some.append(pack)
    return some


def _remove_retired(house: Installation, emptied: Sequence[int]) -> int:
    """Remove packs that were emptied long enough ago, and record newly emptied ones; returns the number removed."""
    now, known, named = house.clock.now(), house.packs.retired(), _named_bytes(house)
    since = {pack: min(known.get(pack, now), now) for pack in (*known, *emptied) if pack not in named}
    gone = {pack for pack, at in since.items() if now - at >= RETIRED_S and house.packs.remove(pack)}
    house.packs.retire({pack: at for pack, at in since.items() if pack not in gone})
    return len(gone)


def _named_bytes(house: Installation) -> dict[int, int]:
    """Return the bytes of each pack that rows name; bytes named twice count twice, so no pack looks sparser."""
    found: dict[int, int] = defaultdict(int)
    with house.store.read() as tx:
        for each in (content, version):
            for pack, size in tx.rows(sa.select(each.c.pack, sa.func.sum(each.c.pack_length)).group_by(each.c.pack)):
                found[pack] += int(size)
    return dict(found)


def compact(house: Installation, progress: Callable[[int, int], None] | None = None) -> Compacted:
    """Rewrite sparse packs, then the database. The caller makes sure that no process crawls or delivers meanwhile.

    `progress` gets the number of finished packs and the total. Raises ConflictError while a backup is taken,
    DataFolderError without space: a pack, or an SQLite database, is rewritten before the old one is removed.
    """
    began = house.clock.monotonic()
    before = sum(house.packs.sizes().values()), house.store.size()
    with house.packs.held(alone=True):
        gained = _packs(house, progress)
    house.store.compact()
    after = sum(house.packs.sizes().values()), house.store.size()
    return {
        "packs_rewritten": gained.packs, "copies_moved": gained.copies, "unreadable": gained.stuck,
        "copies_bytes_before": before[0], "copies_bytes": after[0], "store_bytes_before": before[1],
        "store_bytes": after[1], "took_s": round(house.clock.monotonic() - began, 3),
    }  # fmt: skip


def _packs(house: Installation, progress: Callable[[int, int], None] | None) -> Gained:
    gained, sparse = Gained(), _sparse(house)
    cache = house.cache()
    try:
        for number, pack in enumerate(sparse, 1):
            for batch in _batches(house, pack):
                _move(house, cache, batch, gained)
            if not _named(house, pack) and house.packs.remove(pack):
                gained.packs += 1
            if progress is not None:
                progress(number, len(sparse))
    finally:
        cache.close()
    return gained


def _sparse(house: Installation) -> list[int]:
    """The packs with enough unused bytes, oldest first."""
    sizes, named = house.packs.sizes(), _named_bytes(house)
    return [pack for pack, size in sorted(sizes.items()) if size - named.get(pack, 0) >= max(1, int(size * WORTH))]


def _batches(house: Installation, pack: int) -> Iterator[list[tuple[int, BlobPlace]]]:
    """Yield the copies that rows name in a pack, in batches that fit in memory.

    They are looked up once, since no other process moves them.
    """
    with house.store.read() as tx:
        found = [row for each in (content, version) for row in _rows(tx, each, pack)]
    batch: list[tuple[int, BlobPlace]] = []
    size = 0
    for number, place in sorted(set(found), key=lambda row: row[1].offset):
        if batch and size + place.length > BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append((number, place))
        size += place.length
    if batch:
        yield batch


def _rows(tx: Tx, table: sa.Table, pack: int) -> Iterator[tuple[int, BlobPlace]]:
    columns = table.c
    statement = sa.select(columns.id, columns.pack, columns.pack_offset, columns.pack_length)
    for row in tx.rows(statement.where(columns.pack == pack)):
        yield row.id, BlobPlace(row.pack, row.pack_offset, row.pack_length)


def _move(house: Installation, cache: Cache, batch: Sequence[tuple[int, BlobPlace]], gained: Gained) -> None:
    """Write copies again, and update the rows that name their old places."""
    whole: list[tuple[int, BlobPlace, bytes]] = []
    for number, place in batch:
        try:
            whole.append((number, place, cache.payload(place)))
        except CacheDamaged:
            gained.stuck += 1
    moved = cache.keep([(number, payload) for number, _, payload in whole])
    rows = [(*new, number, *old) for (number, old, _), new in zip(whole, moved, strict=True)]
    key = ("id", "pack", "pack_offset", "pack_length")
    with house.store.begin() as tx:
        for each in (content, version):
            statement = sa.update(each).where(
                *(each.c[name] == sa.bindparam(f"old_{name}") for name in key)
            ).values({name: sa.bindparam(f"new_{name}") for name in key[1:]})  # fmt: skip
            if rows:
                tx.execute(statement, [_bound(key, row) for row in rows])
    gained.copies += len(whole)


def _bound(key: Sequence[str], row: Sequence[int]) -> dict[str, int]:
    """The values of one row for the statement: the new place, then number and old place."""
    new = zip((f"new_{name}" for name in key[1:]), row[:3], strict=True)
    return {**dict(new), **dict(zip((f"old_{name}" for name in key), row[3:], strict=True))}


def _named(house: Installation, pack: int) -> bool:
    """Return whether a row still names a copy in this pack."""
    with house.store.read() as tx:
        return any(tx.rows(sa.select(each.c.id).where(each.c.pack == pack).limit(1)) for each in (content, version))
