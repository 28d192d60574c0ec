"""Held documents of a run, and why it holds them back.

They are documents whose newest answer was not believed, grouped by reason, and documents that are about to be deleted
while there are too many to delete before the run is complete.
"""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from cormorant.crawl.visit.soft_errors import NEVER_READ
from cormorant.frontier.staging import pending_deletes
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Role
from cormorant.model.run import ASKING_STATES, OPEN_STATES
from cormorant.model.status import Status
from cormorant.model.text.login_pages import IN_ITS_PLACE
from cormorant.operate.checks.problem import CheckContext, RunProblem
from cormorant.operate.documents.listing import met_by
from cormorant.store.journal import runs
from cormorant.store.journal.runs import RunRow
from cormorant.store.schema import resource

EXAMPLES = 3
REASONS = 10
LOGIN = (IN_ITS_PLACE, NEVER_READ)


def problems(context: CheckContext) -> Iterator[RunProblem]:
    """A problem for each reason: how many documents, and some of them."""
    tx, row = context.tx, context.row
    yield from _leaving(context)
    columns, count = resource.c, sa.func.count()
    mine = sa.and_(met_by(row), columns.role == int(Role.DOCUMENT), columns.outcome == int(OutcomeKind.HELD))
    groups = sa.select(columns.reason, count.label("documents")).where(mine).group_by(columns.reason)
    for each in tx.rows(groups.order_by(count.desc(), columns.reason).limit(REASONS)):
        some = sa.select(columns.address).where(mine, columns.reason == each.reason).order_by(columns.id)
        examples = [found.address for found in tx.rows(some.limit(EXAMPLES))]
        yield _problem(row, each.reason or "", each.documents, examples)


def _leaving(context: CheckContext) -> Iterator[RunProblem]:
    """Yield the number of documents that are to be deleted but still found by search."""
    tx, row = context.tx, context.row
    count = pending_deletes.in_sight_count(tx, row.source_id)
    if count and context.is_newest:
        end = "it is complete" if row.state in OPEN_STATES else "a run of the source is complete"
        yield RunProblem(
            "held",
            f"{count:,} of {pending_deletes.indexed_count(tx, row.source_id):,} documents would leave the index. "
            f"That is more than a run may delete by itself: search finds them until {end}.",
            {"documents": count},
        )


def _problem(row: RunRow, reason: str, documents: int, examples: list[str]) -> RunProblem:
    login = reason in LOGIN
    pages = "1 page answers" if documents == 1 else f"{documents:,} pages answer"
    if login:
        sentence = (
            f"{pages} with a login page now, like {', '.join(examples)}: check the credential of the source with "
            "`cormorant source test`. Their earlier text stays. If login pages are correct here, set "
            "login_pages=index."
        )
    else:
        answers = f" {runs.answers(row)}" if row.state in ASKING_STATES else ""
        sentence = f"{pages} otherwise than before, like {', '.join(examples)}: {reason}{answers}"
    return RunProblem(
        "login" if login else "held",
        sentence,
        {"documents": documents, "examples": examples, "reason": reason, "status": int(Status.HELD)},
    )
