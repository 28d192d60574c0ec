"""Visits with changes, and addresses that a gate excluded before they became resources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from cormorant.base import run_context
from cormorant.model.status import Status
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import exclusion, visit

RENAMED = "renamed"
"""A document was moved to another address, and has not been read there yet."""
KEPT_PER_RESOURCE = 50
"""Visits that are kept of one resource: the newest of those with changes."""


CHANGES = ("content", "access", "address")
"""Changes by a visit that receivers get as a changed document."""


class VisitRow(NamedTuple):
    """One visit. `changed` names its changes: new, content, outcome, access, address; or RENAMED."""

    resource_id: int
    run: int
    at: float
    outcome: int
    status: int
    size_bytes: int
    content_hash: bytes | None
    changed: str
    reason: str | None


class Exclusion(NamedTuple):
    """An address that a gate excluded, with the rule, its referrer and its run."""

    source_id: int
    hash: int
    address: str
    gate: str
    rule: str
    status: int
    run: int
    depth: int
    referrer: int | None


_NUMBERED = (
    sa.select(
        visit.c.id, sa.func.row_number().over(partition_by=visit.c.resource_id, order_by=visit.c.id.desc()).label("n")
    )
    .where(visit.c.resource_id.in_(sa.bindparam("ids", expanding=True)))
    .subquery()
)
_TOO_OLD = sa.delete(visit).where(visit.c.id.in_(sa.select(_NUMBERED.c.id).where(_NUMBERED.c.n > sa.bindparam("kept"))))
_NEWER = bulk.OnConflict(
    key=("source_id", "hash"),
    columns=("gate", "rule", "status", "run", "depth", "referrer"),
    where=f"{{table}}.run < excluded.run OR {{table}}.status = {Status.NOFOLLOW_ONLY:d}",
)
_NEARER = bulk.OnConflict(
    _NEWER.key, ("gate", "rule", "status", "depth", "referrer"), where=f"{{table}}.status = {Status.TOO_DEEP:d}"
)
_UNFOLLOWED = bulk.OnConflict(key=_NEWER.key, columns=_NEWER.columns, where="{table}.run < excluded.run")


def write(tx: Tx, rows: Sequence[VisitRow]) -> None:
    """Insert visits with changes, and delete the oldest beyond KEPT_PER_RESOURCE."""
    kept = [row._replace(reason=bulk.storable(row.reason)) if row.reason else row for row in rows]
    bulk.insert(tx, visit, VisitRow._fields, kept)
    again = [row.resource_id for row in rows if row.changed != "new"]
    for start in range(0, len(again), 500):
        tx.execute(_TOO_OLD, {"ids": again[start : start + 500], "kept": KEPT_PER_RESOURCE})


def of(tx: Tx, resource: int) -> list[VisitRow]:
    """Return the newest visits of a resource with changes, oldest first."""
    columns = [visit.c[name] for name in VisitRow._fields]
    statement = sa.select(*columns).where(visit.c.resource_id == resource).order_by(visit.c.id.desc())
    return [VisitRow(*row) for row in reversed(tx.rows(statement.limit(KEPT_PER_RESOURCE)))]


def with_new_content(tx: Tx, run: int, resources: Sequence[int]) -> set[int]:
    """Return those of these resources whose text a run found changed."""
    mine = sa.and_(visit.c.run == run, visit.c.changed == "content")
    found = sa.select(visit.c.resource_id).where(mine, visit.c.resource_id.in_(resources))
    return {row[0] for row in tx.rows(found)}


def new_in(tx: Tx, run: int, resources: Sequence[int]) -> set[int]:
    """Return those of these resources that became documents in a run."""
    chosen = sa.select(visit.c.resource_id).where(visit.c.run == run, visit.c.changed == "new")
    return {row[0] for row in tx.rows(chosen.where(visit.c.resource_id.in_(resources)))}


def renamed(tx: Tx, resources: Sequence[int]) -> set[int]:
    """Return those of these resources that were moved to another address and have not been visited there since."""
    chosen = sa.select(visit.c.resource_id, visit.c.changed).where(visit.c.resource_id.in_(resources))
    newest = dict(tuple(row) for row in tx.rows(chosen.order_by(visit.c.id)))
    return {number for number, changed in newest.items() if changed == RENAMED}


def exclude(tx: Tx, rows: Sequence[Exclusion]) -> int:
    """Store exclusions, the newest ruling for each address; returns how many this run had not met before.

    A ruling for addresses with only nofollow links yields to any other ruling and is not counted: another link may
    still make it a resource.
    """
    if run_context.wants("screened"):
        for row in rows:
            run_context.said(
                "screened", row.run, address=row.address, gate=str(row.gate), rule=row.rule, status=row.status
            )
    ordered = sorted(rows, key=lambda row: row.hash)  # in one order, or two writers may deadlock
    ruled = [row for row in ordered if row.status != Status.NOFOLLOW_ONLY]
    if len(ruled) < len(ordered):
        unfollowed = [row for row in ordered if row.status == Status.NOFOLLOW_ONLY]
        bulk.insert(tx, exclusion, Exclusion._fields, unfollowed, _UNFOLLOWED)
    return bulk.insert(tx, exclusion, Exclusion._fields, ruled, _NEWER)


def known_before(tx: Tx, run: int, rows: Sequence[Exclusion]) -> int:
    """Return how many of these exclusions of one source an earlier run had met."""
    keys = list({row.hash for row in rows if row.status != Status.NOFOLLOW_ONLY})
    if not keys:
        return 0
    mine = exclusion.c.source_id == rows[0].source_id
    count = sa.select(sa.func.count()).where(mine, exclusion.c.run < run, exclusion.c.status != Status.NOFOLLOW_ONLY)
    return sum(
        int(tx.execute(count.where(exclusion.c.hash.in_(keys[start : start + 500]))).scalar_one())
        for start in range(0, len(keys), 500)
    )


def rule_again(tx: Tx, rows: Sequence[Exclusion]) -> None:
    """Replace the rulings of addresses that were too deep and now have a shorter path. No run is stored for them."""
    ordered = sorted(rows, key=lambda row: row.hash)  # in one order, or two writers may deadlock
    bulk.insert(tx, exclusion, Exclusion._fields, ordered, _NEARER)


def exclusions(tx: Tx, source: int, keys: Sequence[int] | None = None) -> list[Exclusion]:
    """Return exclusions of a source, all or those of these keys."""
    columns = [exclusion.c[name] for name in Exclusion._fields]
    statement: Any = sa.select(*columns).where(exclusion.c.source_id == source)
    if keys is not None:
        statement = statement.where(exclusion.c.hash.in_(list(keys)))
    return [Exclusion(*row) for row in tx.rows(statement.order_by(exclusion.c.address))]


def is_changed_by(run: int, number: sa.ColumnElement[int]) -> sa.ColumnElement[bool]:
    """Return the SQL condition that a run's visit changed a resource; no index has runs, so it is tested for each."""
    return sa.exists().where(visit.c.resource_id == number, visit.c.run == run)


def changes_of(tx: Tx, run: int, resources: Sequence[int]) -> dict[int, str]:
    """Return the changes of these resources by the newest visits of a run."""
    chosen = sa.select(visit.c.resource_id, visit.c.changed).where(visit.c.run == run).order_by(visit.c.id)
    return {row[0]: row[1] for row in tx.rows(chosen.where(visit.c.resource_id.in_(resources)))}


def exclusions_behind(tx: Tx, source: int, behind: int | None, most: int) -> list[Exclusion]:
    """Return a page of the exclusions of a source, by key: those after a key, or the first."""
    columns = [exclusion.c[name] for name in Exclusion._fields]
    statement = sa.select(*columns).where(exclusion.c.source_id == source)
    if behind is not None:
        statement = statement.where(exclusion.c.hash > behind)
    return [Exclusion(*row) for row in tx.rows(statement.order_by(exclusion.c.hash).limit(most))]


def starts_excluded(tx: Tx, source: int, run: int) -> bool:
    """Return whether the gates of a run excluded a start address."""
    columns = exclusion.c
    first = columns.referrer.is_(None)
    statement = sa.select(columns.hash).where(columns.source_id == source, columns.run == run, first)
    return bool(tx.rows(statement.limit(1)))
