"""Find the documents of a run that failed as they had failed before.

The journal has every visit that ended otherwise than the one before it, so the newest that an earlier run wrote says
how the last visit before this run ended. One and the same status is one and the same fault: words may tell how long
something took. What was deferred and is not due yet is as it was.
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
"""How a visit ends that did not get or read its document."""


def of_run(source: int, run: int) -> sa.ColumnElement[bool]:
    """The resources that a run could not get or read, start addresses left out: these are always told of."""
    columns = resource.c
    return sa.and_(
        TROUBLED, columns.source_id == source, columns.run == run, columns.role == int(Role.DOCUMENT),
        columns.outcome.in_([int(each) for each in BAD]), columns.how != int(DiscoveredBy.SEED),
    )  # fmt: skip


def as_before(run: int) -> sa.ColumnElement[bool]:
    """Return the condition that a resource which a run could not get or read had ended so before, too."""
    before = visit.alias("before")
    newest = sa.select(sa.func.max(before.c.id)).where(before.c.resource_id == resource.c.id, before.c.run < run)
    same = sa.and_(visit.c.outcome == resource.c.outcome, visit.c.status == resource.c.status)
    return sa.exists().where(visit.c.id == newest.correlate(resource).scalar_subquery(), same)


def count(tx: Tx, source: int, run: int, generation: int) -> int:
    """Count the documents of a generation's run that failed as before, with those left since they must wait."""
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
