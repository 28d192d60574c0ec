"""A site answers again: what failed there meanwhile is visited once more in the same run, behind everything else.

    no answer --> FAILED, counted over runs --the site answers--> put off, due now, as if it had not failed in this run

Only what failed for want of an answer; every time costs a visit that was answered, so it comes to an end.
"""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from cormorant.frontier.policy import backoff, priority
from cormorant.frontier.staging import pending_deletes
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Role, UrlState
from cormorant.model.status import Status
from cormorant.store.db.database import Tx
from cormorant.store.schema import resource


class MissedDocuments(NamedTuple):
    """Missed documents that are visited once more: how many counted as failed, and how many as gone."""

    failed: int
    gone: int


def revive(tx: Tx, site: int, source: int, run: int, generation: int) -> MissedDocuments:
    """Make due again what this run failed to get at a site because nothing answered. Looks at every row of the site.

    What had counted as gone is found again until then.
    """
    columns = resource.c
    missed = sa.and_(
        columns.site_id == site, columns.source_id == source, columns.run == run,
        columns.role == int(Role.DOCUMENT), columns.status.in_((*backoff.NO_ANSWER, *backoff.UNREACHABLE)),
    )  # fmt: skip
    counted = columns.status > backoff.FIRST_UNREACHABLE
    before = sa.case(
        (counted, columns.status - 1),
        (columns.status == backoff.FIRST_UNREACHABLE, int(Status.CONNECTION_REFUSED)),
        else_=columns.status,
    )
    again = {
        "state": int(UrlState.READY), "due": priority.due(generation, priority.LAST), "not_before": 0.0,
        "status": before,
        "outcome": int(OutcomeKind.DEFERRED),
    }  # fmt: skip
    taken = [row.id for row in tx.rows(sa.select(columns.id).where(missed, columns.outcome == int(OutcomeKind.GONE)))]
    pending_deletes.unhide(tx, taken)
    ended = columns.outcome.in_((int(OutcomeKind.FAILED), int(OutcomeKind.GONE)))
    count = tx.execute(sa.update(resource).where(missed, ended).values(**again)).rowcount
    return MissedDocuments(count - len(taken), len(taken))
