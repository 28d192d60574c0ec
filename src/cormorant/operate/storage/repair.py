"""Mend what `check` finds: from what is known where that is enough, else by fetching those documents again.

    indexes of the database -> the stream's head -> rows without what they need -> leases -> copies -> the search index

In this order, since each step stands on those before it. Whoever calls sees that nobody crawls or delivers meanwhile.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import CacheDamaged, ConflictError, CormorantError, IndexDamaged
from cormorant.operate.installation import Installation
from cormorant.operate.search import index_consistency, reindex
from cormorant.operate.storage import backups, check as store_check, dangling_rows
from cormorant.operate.storage.check import Finding
from cormorant.receivers import stream
from cormorant.store.blobs.protocol import BlobPlace, Cache, Harm
from cormorant.store.catalog import receivers
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, site, stream as events


class Mended(NamedTuple):
    """Result of a repair of one finding, and for how many; `said` is a sentence.

    `later`: it ends with the next crawl.
    """

    check: str
    number: int
    said: str
    later: bool = False


def store(house: Installation) -> tuple[list[Mended], list[Finding]]:
    """Mend what can be mended; returns what was done, and what is found after it.

    A database that is damaged beyond its own indexes is left as it is.
    """
    done = list(_indexes(house))
    with house.store.read() as tx:
        if store_check.integrity(tx).ok is False:
            return done, store_check.store(house)
    with house.store.begin() as tx:
        done += [*_head(tx), *_rows(tx), *_leases(tx)]
    done += _copies(house)[0]
    done += _strays(house)
    if house.searchable:
        done += _index(house)
    return done, store_check.store(house)


def _indexes(house: Installation) -> Iterator[Mended]:
    """Rebuild the database's own indexes if nothing else is damaged."""
    with house.store.read() as tx:
        found = store_check.integrity(tx)
    if found.ok is False and house.store.sqlite:
        try:
            with house.store.begin() as tx:
                tx.driver("REINDEX")
        except CormorantError:
            return  # it is more than that, which the check that follows tells
        with house.store.read() as tx:
            if store_check.integrity(tx).ok:
                yield Mended("database", 1, "Its indexes were rebuilt from its rows.")


def _head(tx: Tx) -> Iterator[Mended]:
    """Have the stream's head where nobody is ahead of it."""
    made = stream.ensure_head(tx)
    before = stream.head(tx)
    places = [row.place for row in receivers.every(tx)]
    wanted = max([before, store_check.newest(tx), *places])
    if wanted > before:
        stream.pass_over(tx, wanted)
    if made is not None or wanted > before:
        yield Mended("receivers", 1, f"The next event has the number {wanted + 1:,}.")


def _rows(tx: Tx) -> Iterator[Mended]:
    """Rows without what they need. Removing some may leave others alone, so it is gone through until all is well."""
    counts: dict[str, int] = {}
    while True:
        before = sum(counts.values())
        for sort in dangling_rows.SORTS:
            if dangling_rows.count(tx, sort):
                counts[sort.name] = counts.get(sort.name, 0) + dangling_rows.mend(tx, sort)
        if sum(counts.values()) == before:
            break
    verbs = {sort.name: sort.mend for sort in dangling_rows.SORTS}
    for name, count in counts.items():
        if count:
            yield Mended(name, count, f"{count:,} {verbs[name]}.", later=verbs[name] == dangling_rows.RENEWED)


def _leases(tx: Tx) -> Iterator[Mended]:
    released = sa.update(site).where(store_check.too_long(tx))
    count = tx.execute(released.values(owner=None, lease_until=0.0, epoch=site.c.epoch + 1)).rowcount
    if count:
        yield Mended("leases that last too long", count, f"{count:,} ended.")


def copies(house: Installation) -> list[Mended]:
    """Have each document that has lost its copy name another of the same content, or be fetched again.

    Where there is nothing to do, that is said, of none.
    """
    done, waiting = _copies(house)
    but = f", but {waiting:,} that the next crawl fetches again" if waiting else ""
    return done or [Mended("kept copies", 0, f"No kept copy is damaged{but}.")]


def _copies(house: Installation) -> tuple[list[Mended], int]:
    """Repair damaged copies. Return the repairs, and the number of copies that the next crawl brings anyway."""
    harmed = {
        each.resource for each in store_check.damage(house) if each.harm is Harm.LIVE and each.resource is not None
    }
    with house.store.read() as tx:
        lost = harmed - store_check.awaited(tx)
        hashes = dict(bulk.select_in(tx, content, ("id", "content_hash"), "id", sorted(lost)))
    with closing(house.cache()) as cache:
        elsewhere = _elsewhere(cache, hashes)
    _name(house, elsewhere)
    renewed = sorted(lost - elsewhere.keys())
    backups.renew(house, renewed)
    done = []
    if elsewhere:
        done.append(Mended("kept copies", len(elsewhere), f"{len(elsewhere):,} found at another place."))
    if renewed:
        done.append(Mended("kept copies", len(renewed), f"{len(renewed):,} {dangling_rows.RENEWED}.", later=True))
    return done, len(harmed - lost)


def _elsewhere(cache: Cache, hashes: Mapping[int, bytes]) -> dict[int, BlobPlace]:
    """Return the places of other undamaged copies of documents with these content hashes."""
    found: dict[int, BlobPlace] = {}
    for entry in cache.entries() if hashes else ():
        wanted = hashes.get(entry.resource)
        if wanted and _holds(cache, entry.place, wanted):
            found[entry.resource] = entry.place
    return found


def _holds(cache: Cache, place: BlobPlace, wanted: bytes) -> bool:
    try:
        return hashlib.sha256(cache.read(place).body).digest() == wanted
    except CacheDamaged:
        return False


def _name(house: Installation, places: Mapping[int, BlobPlace]) -> None:
    with house.store.begin() as tx:
        for number, place in places.items():
            new = {"pack": place.pack, "pack_offset": place.offset, "pack_length": place.length}
            tx.execute(sa.update(content).where(content.c.id == number).values(new))


def _strays(house: Installation) -> Iterator[Mended]:
    with house.packs.held(alone=True):
        ours = house.packs.left_by_us()
        for each in ours:
            each.unlink()
    if ours:
        yield Mended("other files among copies", len(ours), f"{len(ours):,} removed that a killed restore had left.")


def _index(house: Installation) -> Iterator[Mended]:
    """Rebuild the index unless it is whole and has the documents of the rows, or will have them."""
    if not _differs(house):
        return
    try:
        made = reindex.rebuild(house)
    except (CacheDamaged, ConflictError) as error:
        yield Mended("index", 0, error.sentence, later=isinstance(error, CacheDamaged))
        return
    lacking = f", without {made['damaged']:,} whose copies are damaged" if made["damaged"] else ""
    yield Mended("index", made["documents"], f"Rebuilt from {made['documents']:,} documents{lacking}.")


def _differs(house: Installation) -> bool:
    try:
        reader = house.index_reader()
        reader.check()
        place = reader.place
        with house.store.read() as tx:
            head, coming = stream.head(tx), store_check.awaited(tx)
            confirmed = [row.place for row in receivers.every(tx) if row.kind == receivers.INDEX]
            if place > head or place < max(confirmed, default=0) or index_consistency.is_strange(tx, reader):
                return True
            lacking, strange = store_check.differing(tx, reader)
            told = _told_of(tx, place)
    except IndexDamaged:
        return True
    return bool(set(lacking) - coming - told or set(strange) - told)


def _told_of(tx: Tx, place: int) -> set[int]:
    """Documents of which events behind a place will tell the index."""
    behind = sa.select(events.c.resource_id).where(events.c.seq > place)
    return {row[0] for row in tx.rows(behind)}
