"""Staged versions of documents: the searchable one, and another beside it until it is decided.

    changed ----------------------------> this table keeps the older version until the run ends
    changed to the text of many others --> the newer version waits here, the older one stays
    (`crawl/commit/mass_change_guard.py`) run settled -> rows deleted   run held -> the newer ones wait for a person's
    answer

A row belongs to one run. The next run handles rows that a stopped run has left.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from cormorant.model.outcome import OutcomeKind
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, outlinks, resource, version

COLUMNS = (
    "url", "etag", "modified", "content_hash", "text_hash", "mime", "language", "title", "size_bytes", "modified_at",
    "fetched_at", "changed_at", "pack", "pack_offset", "pack_length",
)  # fmt: skip
"""The columns of a version, in `content` and here."""
_ROW = ("id", "source_id", "run", "likeness", "waiting", *COLUMNS, "links")
_FIRST_STANDS = bulk.OnConflict(key=("id",), columns=_ROW[1:], where="{table}.run <> excluded.run")
_LAST_STANDS = bulk.OnConflict(key=("id",), columns=_ROW[1:])
_PLACE = COLUMNS[-3:]
_TITLE = COLUMNS.index("title")


class Version(NamedTuple):
    """A version beside the one in use: the values of COLUMNS of a resource, and its links if they wait as well."""

    id: int
    source: int
    run: int
    likeness: int
    waiting: bool
    values: tuple[Any, ...]
    links: bytes | None = None

    @property
    def _row(self) -> tuple[Any, ...]:
        return (*self[:5], *self.values, self.links)


def in_use(tx: Tx, ids: Collection[int]) -> dict[int, tuple[Any, ...]]:
    """Return the values of COLUMNS of the versions in use."""
    return {row[0]: row[1:] for row in bulk.select_in(tx, content, ("id", *COLUMNS), "id", ids)}


def place_of(values: Sequence[Any]) -> tuple[int, int, int]:
    """Return the location of the cached copy of a version, by its values of COLUMNS: pack, offset, length."""
    pack, offset, length = values[-len(_PLACE) :]
    return pack, offset, length


def title_of(values: Sequence[Any]) -> str:
    """Return the title of a version with these values of COLUMNS."""
    return str(values[_TITLE] or "")


def keep_older(tx: Tx, versions: Sequence[Version]) -> None:
    """Store versions that are about to be replaced; of several in a run the first."""
    bulk.insert(tx, version, _ROW, [each._row for each in versions], _FIRST_STANDS)  # noqa: SLF001 - a row of its own


def keep_waiting(tx: Tx, versions: Sequence[Version]) -> None:
    """Store versions that must wait; of several the last."""
    bulk.insert(tx, version, _ROW, [each._row for each in versions], _LAST_STANDS)  # noqa: SLF001 - a row of its own


def alike(tx: Tx, source: int, run: int, keys: Collection[int]) -> dict[int, int]:
    """Count, for each key, the documents of a source that changed in this run to the key's text."""
    columns, found = version.c, dict[int, int]()
    wanted = list(keys)
    for start in range(0, len(wanted), 500):
        some = columns.likeness.in_(wanted[start : start + 500])
        statement = sa.select(columns.likeness, sa.func.count()).where(columns.source_id == source, some)
        rows = tx.rows(statement.where(columns.run == run).group_by(columns.likeness))
        found |= {row[0]: row[1] for row in rows}
    return found


def older_places(tx: Tx, source: int, run: int, key: int, most: int) -> list[tuple[int, int, int]]:
    """Return the locations of the copies of documents before they changed to the text of the key."""
    columns = version.c
    mine = sa.and_(columns.source_id == source, columns.run == run, columns.likeness == key)
    replaced = sa.select(*(columns[name] for name in _PLACE)).where(mine, sa.not_(columns.waiting)).limit(most)
    return [place_of(row) for row in tx.rows(replaced)]


def groups(tx: Tx, source: int, run: int | None, least: int) -> list[tuple[int, int]]:
    """Return the texts to which `least` or more documents changed in a run, with held ones: (key, count), most first.

    With `run` None, in any run.
    """
    columns, held = version.c, version.alias("held")
    mine = columns.source_id == source if run is None else sa.and_(columns.source_id == source, columns.run == run)
    there = sa.select(held.c.id).where(held.c.source_id == source, held.c.likeness == columns.likeness, held.c.waiting)
    statement = sa.select(columns.likeness, sa.func.count()).where(mine).group_by(columns.likeness)
    statement = statement.having(sa.func.count() >= least, there.correlate(version).exists())
    return [(row[0], row[1]) for row in tx.rows(statement.order_by(sa.func.count().desc(), columns.likeness))]


def of_group(tx: Tx, source: int, key: int, most: int, *, waiting: bool) -> list[Version]:
    """Return some of the versions that wait for this key, or that its text replaced."""
    columns = version.c
    mine = sa.and_(columns.source_id == source, columns.likeness == key, columns.waiting == waiting)
    statement = sa.select(*(columns[name] for name in _ROW)).where(mine).order_by(columns.id).limit(most)
    return [_version(row) for row in tx.rows(statement)]


def waiting(tx: Tx, source: int, most: int, but: int | None = None) -> list[Version]:
    """Return some of the waiting versions of held documents, except those of the key `but`."""
    statement = _waiting(source, OutcomeKind.HELD).limit(most)
    return [_version(row) for row in tx.rows(statement if but is None else statement.where(version.c.likeness != but))]


def fresh(tx: Tx, source: int, most: int) -> list[Version]:
    """Return some of the waiting versions with an unchanged text; their likeness is like no other."""
    statement = _waiting(source, OutcomeKind.UNCHANGED).where(version.c.likeness < 0)
    return [_version(row) for row in tx.rows(statement.limit(most))]


def _waiting(source: int, outcome: OutcomeKind) -> sa.Select[Any]:
    both = version.join(resource, resource.c.id == version.c.id)
    mine = sa.and_(version.c.source_id == source, version.c.waiting, resource.c.outcome == int(outcome))
    return sa.select(*(version.c[name] for name in _ROW)).select_from(both).where(mine).order_by(version.c.id)


def held_count(tx: Tx, source: int) -> int:
    """Count the documents that are held while a newer version waits."""
    held = _waiting(source, OutcomeKind.HELD).subquery()
    return int(tx.execute(sa.select(sa.func.count()).select_from(held)).scalar_one())


def waiting_count(tx: Tx, source: int) -> int:
    """Count the waiting versions."""
    mine = sa.and_(version.c.source_id == source, version.c.waiting)
    return int(tx.execute(sa.select(sa.func.count()).select_from(version).where(mine)).scalar_one())


def _version(row: Sequence[Any]) -> Version:
    number, source, run, likeness, held, *values, links = row
    return Version(number, source, run, likeness, bool(held), tuple(values), links)


def use(tx: Tx, versions: Sequence[Version], first: int) -> None:
    """Put these versions into use, announced by events from number `first` on, in the same order."""
    rows = [(*each.values, first + n, each.id) for n, each in enumerate(versions)]
    bulk.update(tx, content, (*COLUMNS, "seq"), ("id",), rows)


def links_back(tx: Tx, ids: Sequence[int]) -> None:
    """Restore the links that documents had before this run, which has not inverted its new ones yet."""
    columns = outlinks.c
    for start in range(0, len(ids), 500):
        these = sa.and_(columns.id.in_(ids[start : start + 500]), columns.previous.is_not(None))
        tx.execute(sa.update(outlinks).where(these).values(links=columns.previous, inverted=True, previous=None))


def links_of(tx: Tx, ids: Sequence[int]) -> dict[int, bytes]:
    """Return the present packed links of documents."""
    return {row[0]: row[1] for row in bulk.select_in(tx, outlinks, ("id", "links"), "id", ids)}


def visited(tx: Tx, source: int, run: int) -> int:
    """Count the searchable documents that a run visited."""
    both = content.join(resource, resource.c.id == content.c.id)
    mine = sa.and_(content.c.source_id == source, content.c.indexed, resource.c.run == run)
    return int(tx.execute(sa.select(sa.func.count()).select_from(both).where(mine)).scalar_one())


def mark(tx: Tx, ids: Sequence[int], outcome: OutcomeKind, status: int, reason: str | None) -> None:
    """Write the final outcome of a visit to these rows."""
    sets = ("outcome", "status", "reason")
    bulk.update(tx, resource, sets, ("id",), [(int(outcome), status, reason, number) for number in ids])


def drop(tx: Tx, ids: Sequence[int]) -> None:
    """Delete the versions of these documents beside those in use."""
    for start in range(0, len(ids), 1000):
        tx.execute(sa.delete(version).where(version.c.id.in_(ids[start : start + 1000])))


def forget(tx: Tx, source: int, but: int | None = None) -> None:
    """Delete every version of a source that is not in use, except those of the key `but`."""
    mine = version.c.source_id == source
    tx.execute(sa.delete(version).where(mine if but is None else sa.and_(mine, version.c.likeness != but)))
