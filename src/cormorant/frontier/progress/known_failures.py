"""Find the documents of a run that failed as they had failed before.

The journal has every visit with another result than the one before it, so the newest entry of an earlier run is the
result of the last visit before this run. Equal statuses are equal failures: the reasons may contain durations. Deferred
documents that are not due yet count as unchanged.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from cormorant.frontier.policy import priority
from cormorant.frontier.progress import remaining
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import DiscoveredBy, Role, UrlState
from cormorant.store.db.database import Tx
from cormorant.store.schema import resource, visit
from cormorant.store.schema.frontier import ASTRAY, TROUBLED

BAD: Final = (OutcomeKind.FAILED, OutcomeKind.QUARANTINED, OutcomeKind.DEFERRED)
"""Outcomes of a visit that did not fetch or read its document."""


def of_run(source: int, run: int) -> sa.ColumnElement[bool]:
    """Return the condition for documents that a run could not fetch or read, without start addresses.

    Failed start addresses are always reported.
    """
    columns = resource.c
    return sa.and_(
        TROUBLED, columns.source_id == source, columns.run == run, columns.role == int(Role.DOCUMENT),
        columns.outcome.in_([int(each) for each in BAD]), columns.how != int(DiscoveredBy.SEED),
    )  # fmt: skip


def as_before(run: int) -> sa.ColumnElement[bool]:
    """Return the condition that a failed document of a run had failed in the same way before."""
    before = visit.alias("before")
    newest = sa.select(sa.func.max(before.c.id)).where(before.c.resource_id == resource.c.id, before.c.run < run)
    same = sa.and_(visit.c.outcome == resource.c.outcome, visit.c.status == resource.c.status)
    return sa.exists().where(visit.c.id == newest.correlate(resource).scalar_subquery(), same)


def count(tx: Tx, source: int, run: int, generation: int) -> int:
    """Count the documents of a generation's run that failed as before, and those that still have to wait."""
    columns, counted = resource.c, sa.select(sa.func.count()).select_from(resource)
    found = int(tx.execute(counted.where(of_run(source, run), as_before(run))).scalar_one())
    if remaining.left(tx, source, generation).goes_on_at <= tx.now():
        return found
    waits = sa.and_(
        ASTRAY, columns.source_id == source, columns.outcome == int(OutcomeKind.DEFERRED), columns.run < run,
        columns.role == int(Role.DOCUMENT), columns.how != int(DiscoveredBy.SEED), columns.state == int(UrlState.READY),
        columns.due < priority.limit(generation),
    )  # fmt: skip
    return found + int(tx.execute(counted.where(waits)).scalar_one())
