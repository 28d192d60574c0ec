"""Tombstones: addresses that were documents, and have no row any more because the document moved or was deleted.

    moved to another address -> its number is at the new address, whose row has the history
    deleted and purged       -> nothing else is left of it

They are of people who ask for an old address, and hold nothing of the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa

from cormorant.model.url import fingerprint
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import tombstone

MOVED = 0
"""The status of a document that is at another address."""
MOST = 100_000
"""Tombstones kept of one source, the newest; each takes about 200 bytes."""
_AT_ONCE = 500
"""Sources that one statement asks for."""


class Tombstone(NamedTuple):
    """One of them: `run` and `at` (epoch seconds) of the move or deletion, and the status of the last visit."""

    source_id: int
    hash: int
    address: str
    resource_id: int
    run: int
    at: float
    status: int
    reason: str | None


_NEWEST = bulk.OnConflict(("source_id", "hash"), ("address", "resource_id", "run", "at", "status", "reason"))
_COLUMNS = tuple(tombstone.c[name] for name in Tombstone._fields)


def write(tx: Tx, rows: Sequence[Tombstone]) -> None:
    """Keep what became of these addresses; `trim` deletes the oldest at the end of a run."""
    if not rows:
        return
    ordered = sorted(rows, key=lambda row: row.hash)  # in one order, or two writers may deadlock
    bulk.insert(tx, tombstone, Tombstone._fields, ordered, _NEWEST)


def trim(tx: Tx, source: int) -> None:
    """Delete the oldest tombstones of a source beyond `MOST`. It sorts all of them, so it is for the end of a run."""
    columns = tombstone.c
    newest = sa.select(columns.run, columns.hash).where(columns.source_id == source)
    beyond = tx.rows(newest.order_by(columns.run.desc(), columns.hash.desc()).offset(MOST).limit(1))
    for run, key in beyond:
        older = sa.or_(columns.run < run, sa.and_(columns.run == run, columns.hash <= key))
        tx.execute(sa.delete(tombstone).where(columns.source_id == source, older))


def at(tx: Tx, source: int, address: str) -> Tombstone | None:
    """Return what became of the document of a source that was at an address; None where none is known."""
    columns = tombstone.c
    rows = tx.rows(
        sa.select(*_COLUMNS).where(columns.source_id == source, columns.hash == fingerprint(address, source))
    )
    return Tombstone(*rows[0]) if rows and rows[0].address == address else None


def any_at(tx: Tx, sources: Sequence[int], address: str) -> bool:
    """Return whether one of these sources had a document at an address."""
    columns = tombstone.c
    keys = [(number, fingerprint(address, number)) for number in sources]
    known = sa.select(columns.source_id).where(columns.address == address).limit(1)
    same = sa.tuple_(columns.source_id, columns.hash)
    parts = [keys[start : start + _AT_ONCE] for start in range(0, len(keys), _AT_ONCE)]
    return any(tx.rows(known.where(same.in_(part))) for part in parts)


def deletion_of(tx: Tx, resource: int) -> Tombstone | None:
    """Return the tombstone of a document that was deleted, by its number."""
    columns = tombstone.c
    rows = tx.rows(sa.select(*_COLUMNS).where(columns.resource_id == resource, columns.status != MOVED))
    return Tombstone(*rows[0]) if rows else None


def forget(tx: Tx, source: int, upto: int) -> int:
    """Forget those of runs up to one; returns how many."""
    chosen = sa.delete(tombstone).where(tombstone.c.source_id == source, tombstone.c.run <= upto)
    return max(tx.execute(chosen).rowcount, 0)
