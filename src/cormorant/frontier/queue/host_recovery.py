"""Recovery of a site that answers again: its failed documents are retried in the same run, after all others.

    no response --> FAILED, counted over runs --the site answers--> deferred, due now, as if this run had not visited it

Only documents without a response are retried; each recovery costs a visit with a response, so it comes to an end.
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
    """Missed documents that are retried: the number of failed ones, and of those that counted as gone."""

    failed: int
    gone: int


def revive(tx: Tx, site: int, source: int, run: int, generation: int) -> MissedDocuments:
    """Make documents due again that this run missed at a site without a response. Reads every row of the site.

    Documents that had counted as gone are searchable again until then.
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
