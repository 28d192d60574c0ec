"""Give room back: packs in which little is named by a row, and what deleted rows took.

    sparse packs -> entries that rows name are kept once more -> rows name the new places, in one commit -> pack gone

`compact` does it to all that is worth it, when a person asks. `thin` does it by itself to what is more than may be
there: small packs beyond MANY, and copies that were replaced beyond the room they may take. Others may read meanwhile,
so it leaves an emptied pack for an hour: whoever has read its place from a row finds it there.

Killed at any moment nothing is lost: a copy is on the disk before a row names it, and a pack goes only when no row
names it any more. Copies written twice by then are unused room, and the next one gives it back.
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
"""Packs smaller than this that there may be, of which the newer half stays: every retriever begins one of its own."""
AT_ONCE_BYTES = 512 << 20
"""Copies in use that `thin` rewrites at a time: a run that begins waits for it."""
RETIRED_S = 3_600.0
"""How long a pack stays that was emptied."""
WORTH = 0.25
"""Share of a pack that has to be unused before it is rewritten: what is left is read and written once for it."""


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
    """Rewrite packs while there are too many, or replaced copies take too much room, some at a time.

    Whoever calls sees that no run is under way. Raises ConflictError while a backup is taken, DataFolderError.
    """
    with house.packs.held(alone=True):
        sizes, named = house.packs.sizes(), _named_bytes(house)
        chosen = _too_much(sizes, named, house.old_copies_bytes)
        gained = _emptied(house, chosen)
        removed = _remove_retired(house, chosen)
    return Thinned(len(chosen), gained.copies, removed)


def _emptied(house: Installation, packs: Sequence[int]) -> Gained:
    """Have rows name nothing in these any more, but for copies that cannot be read."""
    gained, cache = Gained(), house.cache()
    try:
        for batch in chain.from_iterable(_batches(house, pack) for pack in packs):
            _move(house, cache, batch, gained)
    finally:
        cache.close()
    return gained


def _too_much(sizes: Mapping[int, int], named: Mapping[int, int], room: int) -> list[int]:
    """The packs that are to be emptied now, of these sizes, of which so much is in use. Pure."""
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
    """Remove packs that were emptied long enough ago, and note those that were now; returns how many are gone."""
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


def compact(house: Installation, told: Callable[[int, int], None] | None = None) -> Compacted:
    """Rewrite sparse packs, then the database. Whoever calls sees that nobody crawls or delivers meanwhile.

    `told` hears how many packs are done, of how many. Raises ConflictError while a backup is taken, DataFolderError
    where there is no room: a pack is rewritten before the old one goes, and so is a database of SQLite.
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


def _packs(house: Installation, told: Callable[[int, int], None] | None) -> Gained:
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


def _sparse(house: Installation) -> list[int]:
    """The packs of which enough is named by no row, oldest first."""
    sizes, named = house.packs.sizes(), _named_bytes(house)
    return [pack for pack, size in sorted(sizes.items()) if size - named.get(pack, 0) >= max(1, int(size * WORTH))]


def _batches(house: Installation, pack: int) -> Iterator[list[tuple[int, BlobPlace]]]:
    """Yield the copies that rows name in a pack, in batches that fit in memory.

    Looked up once: nobody else moves it.
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
    """Keep copies once more, and have the rows that name the old places name the new ones."""
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
