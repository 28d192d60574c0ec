"""The configured sources."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from cormorant.base.errors import ConflictError, NotFoundError
from cormorant.store.catalog import setting_profiles
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import former_source, source


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A configured source. The kind's class reads its `settings`: its `own` as entered, and those of sets.

    `origins` name the set of each inherited setting. `test_of` is the source that it is a copy of, made for a crawl
    that delivers nothing.
    """

    id: int
    name: str
    kind: str
    settings: Mapping[str, Any]
    version: int
    generation: int
    cursor: str
    created_at: float
    own: Mapping[str, Any] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    test_of: int | None = None


def add(tx: Tx, kind: str, name: str, settings: Mapping[str, Any], test_of: int | None = None) -> int:
    """Insert a new source and return its number. Raises ConflictError if the name is taken."""
    if tx.rows(sa.select(source.c.id).where(source.c.name == name)):
        raise ConflictError(f"There is a source {name!r} already. Choose another name, or edit that one.")
    values = {
        "name": name, "kind": kind, "settings": json.dumps(settings, sort_keys=True), "created_at": tx.now(),
        "test_of": test_of,
    }  # fmt: skip
    made = tx.execute(sa.insert(source).values(**values).returning(source.c.id))
    return int(made.scalar_one())


def edit(tx: Tx, number: int, settings: Mapping[str, Any], agreed: Mapping[str, int] | None = None) -> None:
    """Replace the settings of a source; runs under way keep those they began with.

    `agreed`: how many documents each rule of these settings may delete; earlier approvals end.
    """
    values = {
        "settings": json.dumps(settings, sort_keys=True), "version": source.c.version + 1,
        "agreed": json.dumps(dict(agreed), sort_keys=True) if agreed else None,
        "agreed_at": tx.now() if agreed else None,
    }  # fmt: skip
    tx.execute(sa.update(source).where(source.c.id == number).values(**values))


def agreed(tx: Tx, number: int, asked_at: float) -> dict[str, int]:
    """Return how many documents each rule may delete in a run requested at that time; {} for an earlier run."""
    known = source.c.id == number, source.c.agreed_at <= asked_at
    rows = tx.rows(sa.select(source.c.agreed).where(*known))
    return dict(json.loads(rows[0].agreed)) if rows else {}


def forget_agreed(tx: Tx, number: int, asked_at: float) -> None:
    """Clear approvals that the run requested at that time has used, as it has ended."""
    known = source.c.id == number, source.c.agreed_at <= asked_at
    tx.execute(sa.update(source).where(*known).values(agreed=None, agreed_at=None))


def every(tx: Tx) -> list[SourceRow]:
    """Return all sources by name, without copies made for tests."""
    return _rows(tx, sa.select(source).where(source.c.test_of.is_(None)).order_by(source.c.name))


def kinds(tx: Tx) -> dict[int, str]:
    """Return the kind of each source, by its number, ordered by name, without copies made for tests."""
    chosen = sa.select(source.c.id, source.c.kind).where(source.c.test_of.is_(None)).order_by(source.c.name)
    return {row.id: row.kind for row in tx.rows(chosen)}


def copy_of(tx: Tx, number: int) -> SourceRow | None:
    """Return the copy of a source that was made for a test, None if there is none."""
    return next(iter(_rows(tx, sa.select(source).where(source.c.test_of == number))), None)


def claim(tx: Tx, number: int) -> None:
    """Lock a source: no other process orders a run of it before this transaction ends."""
    if not tx.sqlite:  # SQLite has one writer
        tx.execute(sa.select(source.c.id).where(source.c.id == number).with_for_update())


def named(tx: Tx, name: str) -> SourceRow:
    """Return the source of that name. Raises NotFoundError, with the existing names."""
    text = bulk.storable(name)  # a terminal may pass bytes that are no text, which no database accepts
    rows = _rows(tx, sa.select(source).where(source.c.name == name)) if text == name else []
    if not rows:
        names = ", ".join(row.name for row in every(tx)) or "none yet; `cormorant source add` makes one"
        raise NotFoundError(f"There is no source {name!r}. There is: {names}.")
    return rows[0]


def numbered(tx: Tx, number: int) -> SourceRow | None:
    """Return the source of that number, None if it was deleted."""
    return next(iter(_rows(tx, sa.select(source).where(source.c.id == number))), None)


def names(tx: Tx, numbers: Collection[int]) -> dict[int, str]:
    """Return the names of these sources. A deleted source has its last name until all receivers know of it."""
    wanted = list(numbers)
    asked = [sa.select(each.c.id, each.c.name).where(each.c.id.in_(wanted)) for each in (former_source, source)]
    return {row.id: row.name for each in asked for row in tx.rows(each)} if wanted else {}


def keep_name(tx: Tx, row: SourceRow, seq: int) -> None:
    """Store the name of a source that is about to be deleted; `seq` is its last event."""
    tx.execute(sa.insert(former_source).values(id=row.id, name=row.name, seq=seq))


def next_generation(tx: Tx, number: int) -> int:
    """Increment the source's generation, so that all its resources are due again; returns it."""
    statement = (
        sa.update(source)
        .where(source.c.id == number)
        .values(generation=source.c.generation + 1)
        .returning(source.c.generation)
    )
    return int(tx.execute(statement).scalar_one())


def set_cursor(tx: Tx, number: int, cursor: str) -> None:
    """Store the cursor up to which the source was listed or read."""
    tx.execute(sa.update(source).where(source.c.id == number).values(cursor=cursor))


def _rows(tx: Tx, statement: sa.Select[Any]) -> list[SourceRow]:
    """Return sources with their settings from sets of parameters."""
    rows = tx.rows(statement)
    known = setting_profiles.every(tx) if rows else {}
    return [_row(row, known) for row in rows]


def _row(row: Any, known: Mapping[str, setting_profiles.Parameters]) -> SourceRow:
    own = bulk.read_settings(row.settings)
    from_sets = setting_profiles.inherited(known, row.kind, own)
    return SourceRow(
        row.id, row.name, row.kind, {name: value for name, (value, _) in from_sets.items()} | own, row.version,
        row.generation, row.cursor, row.created_at, own, {name: origin for name, (_, origin) in from_sets.items()},
        row.test_of,
    )  # fmt: skip
