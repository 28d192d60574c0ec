"""Give room back: packs in which little is named by a row, and what deleted rows took.

    sparse packs -> entries that rows name are kept once more -> rows name the new places, in one commit -> pack gone

Killed at any moment nothing is lost: a copy is on the disk before a row names it, and a pack goes only when no row
names it any more. What was written twice by then is unused room, and the next one gives it back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from cormorant.base.errors import CacheDamaged
from cormorant.cache.protocol import Cache, Place
from cormorant.operate import checking
from cormorant.operate.house import House
from cormorant.store.database import Tx
from cormorant.store.schema import content, version

BATCH_BYTES = 32 << 20
WORTH = 0.25
"""How much of a pack has to be unused before it is written anew: what is left is read and written once for it."""


@dataclass(slots=True)
class Gained:
    """What was done so far. `stuck` are copies that cannot be read, whose packs stay."""

    packs: int = 0
    copies: int = 0
    stuck: int = 0


def compact(house: House, told: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Rewrite sparse packs, then the database. Whoever calls sees that nobody crawls or delivers meanwhile.

    `told` hears how many packs are done, of how many. Raises ConflictError while a backup is taken, DataFolderError
    where there is no room: a pack is written anew before the old one goes, and so is a database of SQLite.
    """
    began = house.clock.monotonic()
    before = sum(house.packs.sizes().values()), house.store.size()
    with house.packs.held(alone=True):
        gained = _packs(house, told)
    house.store.compact()
    after = sum(house.packs.sizes().values()), house.store.size()
    return {
        "packs_rewritten": gained.packs, "copies_moved": gained.copies, "unreadable": gained.stuck,
        "copies_bytes_before": before[0], "copies_bytes": after[0], "store_bytes_before": before[1],
        "store_bytes": after[1], "took_s": round(house.clock.monotonic() - began, 3),
    }  # fmt: skip


def _packs(house: House, told: Callable[[int, int], None] | None) -> Gained:
    gained, sparse = Gained(), _sparse(house)
    cache = house.cache()
    try:
        for number, pack in enumerate(sparse, 1):
            for batch in _batches(house, pack):
                _move(house, cache, batch, gained)
            if not _named(house, pack) and house.packs.remove(pack):
                gained.packs += 1
            if told is not None:
                told(number, len(sparse))
    finally:
        cache.close()
    return gained


def _sparse(house: House) -> list[int]:
    """The packs of which enough is named by no row, oldest first."""
    named: dict[int, int] = defaultdict(int)
    sizes = house.packs.sizes()
    with house.store.read() as tx:
        for _, place in checking.places(tx):
            named[place.pack] += place.length
    return [pack for pack, size in sorted(sizes.items()) if size - named[pack] >= max(1, int(size * WORTH))]


def _batches(house: House, pack: int) -> Iterator[list[tuple[int, Place]]]:
    """What rows name of a pack, as much at a time as memory should hold. Looked up once: nobody else moves it."""
    with house.store.read() as tx:
        found = [row for each in (content, version) for row in _rows(tx, each, pack)]
    batch: list[tuple[int, Place]] = []
    size = 0
    for number, place in sorted(set(found), key=lambda row: row[1].offset):
        if batch and size + place.length > BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append((number, place))
        size += place.length
    if batch:
        yield batch


def _rows(tx: Tx, table: sa.Table, pack: int) -> Iterator[tuple[int, Place]]:
    columns = table.c
    statement = sa.select(columns.id, columns.pack, columns.pack_offset, columns.pack_length)
    for row in tx.rows(statement.where(columns.pack == pack)):
        yield row.id, Place(row.pack, row.pack_offset, row.pack_length)


def _move(house: House, cache: Cache, batch: Sequence[tuple[int, Place]], gained: Gained) -> None:
    """Keep copies once more, and have the rows that name the old places name the new ones."""
    whole: list[tuple[int, Place, bytes]] = []
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


def _named(house: House, pack: int) -> bool:
    """Does a row still name something in this pack?"""
    with house.store.read() as tx:
        return any(tx.rows(sa.select(each.c.id).where(each.c.pack == pack).limit(1)) for each in (content, version))
