"""Storage check: integrity and consistency of what is kept.

The database, the kept copies, the index; nothing is changed.

`repair` mends the faults that are found here and can be mended, and checks again afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import DataFolderError, IndexDamaged, StoreError
from cormorant.frontier.queue.host_leases import LEASE_S
from cormorant.frontier.state import refetch
from cormorant.operate.installation import Installation
from cormorant.operate.records.storage import CheckedCopies, CopiesSize, DamagedCopy
from cormorant.operate.search import index_consistency
from cormorant.operate.storage import dangling_rows
from cormorant.receivers import stream
from cormorant.search.index.protocol import IndexReader
from cormorant.store.blobs.protocol import BlobPlace, Damage, Harm
from cormorant.store.catalog import receivers
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, metadata, site, version

SHOWN = 20
PAGE = 20_000
"""Numbers compared at a time."""
_REPAIR = "`cormorant store check --repair`"


class Finding(NamedTuple):
    """One thing that was looked at. `ok` is None where less is there than could be; `mend` is what to do about it."""

    check: str
    ok: bool | None
    said: str
    mend: str = ""


def store(house: Installation) -> list[Finding]:
    """Check the database by itself, then rows against kept copies, then rows against the index."""
    with house.store.read() as tx:
        sound = integrity(tx)
        if sound.ok is False:
            return [sound]
        found = [sound, *_rows(tx), leases(tx), *_stream(tx)]
    found += [_copies(house), _strays(house)]
    if house.searchable:
        found.append(_index(house))
    return found


def integrity(tx: Tx) -> Finding:
    """Check the integrity of the database. PostgreSQL has its own checksums, so every table is read once there."""
    mend = "Restore a backup: `cormorant store restore FILE`."
    if not tx.sqlite:
        try:
            rows = sum(
                int(tx.execute(sa.select(sa.func.count()).select_from(each)).scalar_one())
                for each in metadata.sorted_tables
            )
        except StoreError as error:
            return Finding(
                "database", ok=False, said=error.sentence, mend="Ask the administrator of the database server."
            )
        return Finding("database", ok=True, said=f"{rows:,} rows can be read")
    said = [str(row[0]) for row in tx.driver("PRAGMA integrity_check(20)").fetchall()]
    if said == ["ok"]:
        return Finding("database", ok=True, said="SQLite's own check finds nothing")
    if all(" index " in each for each in said):
        mend = f"Only what finds rows is damaged, not the rows: {_REPAIR}."
    return Finding("database", ok=False, said="; ".join(said)[:500], mend=mend)


def _rows(tx: Tx) -> Iterator[Finding]:
    """Rows that need another row which is not there."""
    for sort in dangling_rows.SORTS:
        lost = dangling_rows.count(tx, sort)
        mend = sort.hint if sort.mend == dangling_rows.TOLD else f"{_REPAIR}: they are {sort.mend}."
        yield Finding(sort.name, lost == 0, f"{lost:,}", mend if lost else "")


def leases(tx: Tx) -> Finding:
    """A lease is given for a minute; one that lasts longer is of a clock that was wrong, and nobody could visit."""
    count = int(tx.execute(sa.select(sa.func.count()).select_from(site).where(too_long(tx))).scalar_one())
    mend = f"{_REPAIR} ends them, and they also end with time." if count else ""
    return Finding("leases that last too long", count == 0, f"{count:,}", mend)


def too_long(tx: Tx) -> sa.ColumnElement[bool]:
    """Return the SQL condition for sites with such a lease, which ends too far in the future."""
    return site.c.lease_until > tx.now() + 2 * LEASE_S


def _stream(tx: Tx) -> Iterator[Finding]:
    """Nobody, and no document, can have come further than the stream."""
    head = stream.head_or_none(tx)
    if head is None:
        yield Finding("receivers", ok=False, said="the number of the newest event is lost", mend=f"{_REPAIR}.")
        return
    ahead = [row.name for row in receivers.every(tx) if row.place > head]
    if newest(tx) > head:
        ahead.append("documents")
    said = f"ahead of the stream: {', '.join(ahead)}" if ahead else f"stream at {head:,}"
    mend = f"{_REPAIR}: events then get numbers that no receiver has seen." if ahead else ""
    yield Finding("receivers", not ahead, said, mend)


def newest(tx: Tx) -> int:
    """The greatest number of an event that a document is said to have."""
    return int(tx.execute(sa.select(sa.func.max(content.c.seq))).scalar_one() or 0)


def _copies(house: Installation) -> Finding:
    """Kept copies of live rows."""
    try:
        figures = copies(house)
    except DataFolderError as error:
        return Finding("kept copies", ok=False, said=error.sentence, mend="Check the disk.")
    said = f"{figures['live']:,} copies, {figures['damaged']:,} damaged"
    if figures["damaged"] > figures["awaited"]:
        return Finding("kept copies", ok=False, said=said, mend=f"{_REPAIR} makes the next crawl fetch these again.")
    if figures["damaged"]:
        return Finding("kept copies", None, said, "The next crawl of their source fetches these again.")
    return Finding("kept copies", ok=True, said=said)


def copies(house: Installation) -> CheckedCopies:
    """Compare every row with its kept copy, and look through all packs."""
    found = damage(house)
    harmed = [each for each in found if each.harm is Harm.LIVE]
    with house.store.read() as tx:
        live = int(tx.execute(sa.select(sa.func.count()).select_from(content)).scalar_one())
        coming = awaited(tx)
        named: list[DamagedCopy] = [{"url": _url(tx, each.resource), "reason": each.reason} for each in harmed[:SHOWN]]
    counts = Counter(each.harm for each in found)
    return {
        "live": live, "damaged": len(harmed), "awaited": sum(each.resource in coming for each in harmed),
        "unreadable_dead": counts[Harm.DEAD], "unfinished": counts[Harm.TAIL], "damaged_documents": named,
    }  # fmt: skip


def damage(house: Installation) -> list[Damage]:
    """Everything that is wrong with the kept copies."""
    cache = house.cache()
    try:
        with house.store.read() as tx:
            return list(cache.check(places(tx)))
    finally:
        cache.close()


def awaited(tx: Tx) -> frozenset[int]:
    """Documents that have to be fetched and kept again."""
    return frozenset(row[0] for row in tx.rows(sa.select(content.c.id).where(refetch.AWAITED)))


def _strays(house: Installation) -> Finding:
    """Files among the packs that are none."""
    strays, ours = house.packs.strays(), house.packs.left_by_us()
    said = ", ".join(str(each) for each in strays[:3]) or "none"
    if ours:
        return Finding(
            "other files among copies", ok=False, said=said, mend=f"{_REPAIR} removes the ones that Cormorant left."
        )
    mend = "Nothing reads them. Check what they are, and remove them." if strays else ""
    return Finding("other files among copies", None if strays else True, said, mend)


def copies_size(house: Installation) -> CopiesSize:
    """Return the number of kept copies, their size, and the disk space of copies that no row names any more."""
    statement = sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(content.c.pack_length), 0))
    with house.store.read() as tx:
        count, live = tx.rows(statement)[0]
    cache = house.cache()
    sizes = cache.sizes()
    cache.close()
    return {
        "copies": int(count), "live_bytes": int(live), "packs": len(sizes), "size_bytes": sum(sizes),
        "unused_bytes": max(0, sum(sizes) - int(live)),
    }  # fmt: skip


def places(tx: Tx) -> Iterator[tuple[int, BlobPlace]]:
    """Every place that a row names, of versions that wait or were replaced too, those of one pack together."""
    named = [sa.select(each.c.id, each.c.pack, each.c.pack_offset, each.c.pack_length) for each in (content, version)]
    statement = sa.union_all(*named).order_by("pack")
    for row in tx.execute(statement):
        yield row.id, BlobPlace(row.pack, row.pack_offset, row.pack_length)


def ends(tx: Tx) -> dict[int, int]:
    """The packs that rows name, each with where the last entry ends that one names."""
    found: dict[int, int] = {}
    for each in (content, version):
        end = sa.func.max(each.c.pack_offset + each.c.pack_length)
        for pack, last in tx.rows(sa.select(each.c.pack, end).group_by(each.c.pack)):
            found[pack] = max(found.get(pack, 0), int(last))
    return found


def packs(tx: Tx) -> set[int]:
    """The packs that hold a copy of which a row knows."""
    return {row.pack for row in tx.rows(sa.select(content.c.pack).distinct())}


def newest_copy(tx: Tx) -> BlobPlace | None:
    """Return the place of the copy that was kept last; None when there is none."""
    columns = content.c
    statement = sa.select(columns.pack, columns.pack_offset, columns.pack_length)
    rows = tx.rows(statement.order_by(columns.pack.desc(), columns.pack_offset.desc()).limit(1))
    return BlobPlace(*rows[0]) if rows else None


def keeps_copies(tx: Tx) -> bool:
    """Return whether any row knows of a kept copy."""
    return bool(tx.rows(sa.select(content.c.pack).limit(1)))


def _url(tx: Tx, number: int | None) -> str:
    rows = tx.rows(sa.select(content.c.url).where(content.c.id == number))
    return rows[0].url if rows else "?"


def _index(house: Installation) -> Finding:
    """Every byte of the index is what was written, and it has what the rows say once it is at the end of the stream."""
    mend = f"{_REPAIR}, or `cormorant index rebuild`, rebuilds it from the kept copies."
    try:
        reader = house.index_reader()
        reader.check()
        figures = reader.stats()
        with house.store.read() as tx:
            head = stream.head_or_none(tx) or 0
            rows = int(
                tx.execute(sa.select(sa.func.count()).select_from(content).where(content.c.indexed)).scalar_one()
            )
            confirmed = max((row.place for row in receivers.every(tx) if row.kind == receivers.INDEX), default=0)
            behind, strange_to = head - figures.place, index_consistency.is_strange(tx, reader)
            lacking, strange = ([], []) if behind > 0 else differing(tx, reader)
            coming = awaited(tx)
    except IndexDamaged as error:
        return Finding("index", ok=False, said=error.sentence, mend=mend)
    said = f"{figures.documents:,} documents in the index, {rows:,} in the database"
    if strange_to:
        return Finding("index", ok=False, said=f"{said}; it belongs to another database", mend=mend)
    if figures.place < confirmed or behind < 0:
        what = "it is behind its place" if behind >= 0 else "it is newer than the database"
        return Finding("index", ok=False, said=f"{said}; {what}", mend=mend)
    if behind > 0:
        return Finding("index", ok=True, said=f"{said}; {behind:,} changes are on their way")
    if not lacking and not strange:
        return Finding("index", ok=True, said=said)
    said = f"{said}; it lacks {len(lacking):,}, and has {len(strange):,} that the database does not"
    if not strange and coming.issuperset(lacking):
        return Finding("index", None, said, "The next crawl of their source fetches these again.")
    return Finding("index", ok=False, said=said, mend=mend)


def differing(tx: Tx, reader: IndexReader) -> tuple[list[int], list[int]]:
    """Documents that search should find and the index lacks, and those that it has and no row says so."""
    lacking: list[int] = []
    strange: list[int] = []
    behind, last = -1, False
    while not last:
        there = reader.ids(behind, PAGE)
        last = len(there) < PAGE
        upto = None if last else there[-1]
        said = _indexed(tx, behind, upto)
        lacking += sorted(said.difference(there))
        strange += sorted(set(there) - said)
        behind = behind if upto is None else upto
    return lacking, strange


def _indexed(tx: Tx, behind: int, upto: int | None) -> set[int]:
    columns = content.c
    statement = sa.select(columns.id).where(columns.indexed, columns.id > behind)
    if upto is not None:
        statement = statement.where(columns.id <= upto)
    return {row[0] for row in tx.rows(statement)}
