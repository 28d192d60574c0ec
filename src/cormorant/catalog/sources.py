"""The sources an administrator configured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from cormorant.base.errors import ConflictError, NotFoundError
from cormorant.store import bulk
from cormorant.store.database import Tx
from cormorant.store.schema import source


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A configured source. `settings` are as given; the kind's class reads them."""

    id: int
    name: str
    kind: str
    settings: Mapping[str, Any]
    version: int
    generation: int
    cursor: str
    created_at: float


def add(tx: Tx, kind: str, name: str, settings: Mapping[str, Any]) -> int:
    """Keep a new source and return its number. Raises ConflictError when the name is taken."""
    if tx.rows(sa.select(source.c.id).where(source.c.name == name)):
        raise ConflictError(f"There is a source {name!r} already. Choose another name, or edit that one.")
    values = {"name": name, "kind": kind, "settings": json.dumps(settings, sort_keys=True), "created_at": tx.now()}
    made = tx.execute(sa.insert(source).values(**values).returning(source.c.id))
    return int(made.scalar_one())


def edit(tx: Tx, number: int, settings: Mapping[str, Any], agreed: Mapping[str, int] | None = None) -> None:
    """Replace the settings of a source; runs under way keep what they began with.

    `agreed`: how many documents may leave by which rule of these settings; what was agreed to before holds no longer.
    """
    values = {
        "settings": json.dumps(settings, sort_keys=True), "version": source.c.version + 1,
        "agreed": json.dumps(dict(agreed), sort_keys=True) if agreed else None,
        "agreed_at": tx.now() if agreed else None,
    }  # fmt: skip
    tx.execute(sa.update(source).where(source.c.id == number).values(**values))


def agreed(tx: Tx, number: int, asked_at: float) -> dict[str, int]:
    """How many documents may leave by which rule in a run that was asked for then; nothing in one of before."""
    known = source.c.id == number, source.c.agreed_at <= asked_at
    rows = tx.rows(sa.select(source.c.agreed).where(*known))
    return dict(json.loads(rows[0].agreed)) if rows else {}


def forget_agreed(tx: Tx, number: int, asked_at: float) -> None:
    """A run that was asked for then has come to its end: what was agreed to before has been done."""
    known = source.c.id == number, source.c.agreed_at <= asked_at
    tx.execute(sa.update(source).where(*known).values(agreed=None, agreed_at=None))


def every(tx: Tx) -> list[SourceRow]:
    """All sources by name."""
    return [_row(row) for row in tx.rows(sa.select(source).order_by(source.c.name))]


def named(tx: Tx, name: str) -> SourceRow:
    """The source of that name. Raises NotFoundError, with the names there are."""
    text = bulk.storable(name)  # a terminal may give bytes that are no text, which no database takes
    rows = tx.rows(sa.select(source).where(source.c.name == name)) if text == name else []
    if not rows:
        names = ", ".join(row.name for row in every(tx)) or "none yet; `cormorant source add` makes one"
        raise NotFoundError(f"There is no source {name!r}. There is: {names}.")
    return _row(rows[0])


def numbered(tx: Tx, number: int) -> SourceRow | None:
    """The source of that number, None when it was deleted."""
    rows = tx.rows(sa.select(source).where(source.c.id == number))
    return _row(rows[0]) if rows else None


def next_generation(tx: Tx, number: int) -> int:
    """Count the source's generation up, so that everything known is due once more; returns it."""
    statement = (
        sa.update(source)
        .where(source.c.id == number)
        .values(generation=source.c.generation + 1)
        .returning(source.c.generation)
    )
    return int(tx.execute(statement).scalar_one())


def set_cursor(tx: Tx, number: int, cursor: str) -> None:
    """Remember how far the source was listed or read."""
    tx.execute(sa.update(source).where(source.c.id == number).values(cursor=cursor))


def _row(row: Any) -> SourceRow:
    return SourceRow(
        row.id, row.name, row.kind, json.loads(row.settings), row.version, row.generation, row.cursor, row.created_at
    )
