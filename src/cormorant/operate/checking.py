"""Is what is kept whole, and does it agree? The database, the kept copies, the index; nothing is changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import DataFolderError, IndexDamaged, StoreError
from cormorant.cache.protocol import Harm, Place
from cormorant.catalog import receivers
from cormorant.operate.house import House
from cormorant.receivers import stream
from cormorant.store.database import Tx
from cormorant.store.schema import content, hidden, metadata, resource, source

SHOWN = 20


class Finding(NamedTuple):
    """One thing that was looked at. `ok` is None where less is there than could be; `mend` is what to do about it."""

    check: str
    ok: bool | None
    said: str
    mend: str = ""


def store(house: House) -> list[Finding]:
    """Check the database by itself, then rows against kept copies, then rows against the index."""
    with house.store.read() as tx:
        found = [_integrity(tx), *_rows(tx)]
        found += _stream(tx)
    found.append(_copies(house))
    if house.searchable:
        found.append(_index(house))
    return found


def _integrity(tx: Tx) -> Finding:
    """What the database says of itself; PostgreSQL has checksums of its own, so there every table is read once."""
    mend = "Restore a backup of the data folder."
    if not tx.sqlite:
        try:
            rows = sum(
                int(tx.execute(sa.select(sa.func.count()).select_from(each)).scalar_one())
                for each in metadata.sorted_tables
            )
        except StoreError as error:
            return Finding(
                "database", ok=False, said=error.sentence, mend="Ask whoever looks after the database server."
            )
        return Finding("database", ok=True, said=f"{rows:,} rows can be read")
    said = [row[0] for row in tx.driver("PRAGMA integrity_check(20)").fetchall()]
    if said == ["ok"]:
        return Finding("database", ok=True, said="SQLite's own check finds nothing")
    return Finding("database", ok=False, said="; ".join(said)[:500], mend=mend)


def _rows(tx: Tx) -> Iterator[Finding]:
    """Rows that need another row which is not there."""
    for name, table, column, other in (
        ("documents without an address", content, content.c.id, resource.c.id),
        ("documents without a source", content, content.c.source_id, source.c.id),
        ("addresses without a source", resource, resource.c.source_id, source.c.id),
        ("hidden documents that do not exist", hidden, hidden.c.id, content.c.id),
    ):
        statement = sa.select(sa.func.count()).select_from(table).where(column.not_in(sa.select(other)))
        if table is hidden:
            statement = statement.where(hidden.c.seq.is_(None))
        count = int(tx.execute(statement).scalar_one())
        yield Finding(
            name, count == 0, f"{count:,}", "" if count == 0 else "Report this, with the output of this command."
        )


def _stream(tx: Tx) -> Iterator[Finding]:
    """Nobody can have come further than the stream."""
    head = stream.head(tx)
    ahead = [row.name for row in receivers.every(tx) if row.place > head]
    mend = "Delete and add those receivers anew." if ahead else ""
    yield Finding(
        "receivers", not ahead, f"ahead of the stream: {', '.join(ahead)}" if ahead else f"stream at {head:,}", mend
    )


def _copies(house: House) -> Finding:
    """Kept copies of live rows."""
    try:
        figures = copies(house)
    except DataFolderError as error:
        return Finding("kept copies", ok=False, said=error.sentence, mend="Check the disk.")
    said = f"{figures['live']:,} copies, {figures['damaged']:,} damaged"
    mend = "`cormorant crawl --force` fetches damaged ones anew." if figures["damaged"] else ""
    return Finding("kept copies", not figures["damaged"], said, mend)


def copies(house: House) -> dict[str, Any]:
    """Compare every row with its kept copy, and look through all packs."""
    cache = house.cache()
    try:
        with house.store.read() as tx:
            live = int(tx.execute(sa.select(sa.func.count()).select_from(content)).scalar_one())
            found = list(cache.check(_places(tx)))
            harmed = [each for each in found if each.harm is Harm.LIVE]
            named = [{"url": _url(tx, each.resource), "reason": each.reason} for each in harmed[:SHOWN]]
    finally:
        cache.close()
    counts = Counter(each.harm for each in found)
    return {
        "live": live, "damaged": len(harmed), "unreadable_dead": counts[Harm.DEAD],
        "unfinished": counts[Harm.TAIL], "damaged_documents": named,
    }  # fmt: skip


def copies_size(house: House) -> dict[str, Any]:
    """How many copies there are, what they take, and what of the disk is taken by copies no row names any more."""
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


def _places(tx: Tx) -> Iterator[tuple[int, Place]]:
    """Every row's place, those of one pack together."""
    columns = content.c
    statement = sa.select(columns.id, columns.pack, columns.pack_offset, columns.pack_length).order_by(columns.pack)
    for row in tx.execute(statement):
        yield row.id, Place(row.pack, row.pack_offset, row.pack_length)


def packs(tx: Tx) -> set[int]:
    """The packs that hold a copy of which a row knows."""
    return {row.pack for row in tx.rows(sa.select(content.c.pack).distinct())}


def newest_copy(tx: Tx) -> Place | None:
    """Where the copy is that was kept last; None where there is none."""
    columns = content.c
    statement = sa.select(columns.pack, columns.pack_offset, columns.pack_length)
    rows = tx.rows(statement.order_by(columns.pack.desc(), columns.pack_offset.desc()).limit(1))
    return Place(*rows[0]) if rows else None


def keeps_copies(tx: Tx) -> bool:
    """Whether a row knows of a kept copy."""
    return bool(tx.rows(sa.select(content.c.pack).limit(1)))


def _url(tx: Tx, number: int | None) -> str:
    rows = tx.rows(sa.select(content.c.url).where(content.c.id == number))
    return rows[0].url if rows else "?"


def _index(house: House) -> Finding:
    """The index has what the rows say, once it has come to the end of the stream."""
    mend = "`cormorant index rebuild` makes it anew from the kept copies."
    try:
        figures = house.index_reader().stats()
    except IndexDamaged as error:
        return Finding("index", ok=False, said=error.sentence, mend=mend)
    with house.store.read() as tx:
        head = stream.head(tx)
        rows = int(tx.execute(sa.select(sa.func.count()).select_from(content).where(content.c.indexed)).scalar_one())
        confirmed = max((row.place for row in receivers.every(tx) if row.kind == receivers.INDEX), default=0)
    behind = head - figures.place
    said = f"{figures.documents:,} documents in the index, {rows:,} in the database"
    if figures.place < confirmed:
        return Finding("index", ok=False, said=f"{said}; it is not as far as it was", mend=mend)
    if behind > 0:
        return Finding("index", ok=True, said=f"{said}; {behind:,} changes are on their way")
    ok = figures.documents == rows and behind == 0
    return Finding("index", ok, said, "" if ok else mend)
