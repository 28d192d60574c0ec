"""Counter updates of a run, from a batch of visits and from the end of the run.

Every document once, as receivers are told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cormorant.crawl.commit.batch import says_the_same
from cormorant.frontier.cleanup import stale_exclusions
from cormorant.frontier.links import orphans
from cormorant.frontier.policy.transition import REPEATED, is_unreachable
from cormorant.frontier.progress import known_failures, remaining
from cormorant.frontier.sitemaps import lastmod_trust
from cormorant.frontier.staging import pending_deletes
from cormorant.model.outcome import Excluded, Failed, Held, Ok, OutcomeKind, Unchanged
from cormorant.model.resource import Role
from cormorant.store.journal import counters as counter_rows, runs

if TYPE_CHECKING:
    from collections.abc import Container

    from cormorant.crawl.commit.batch import Batch, Visited
    from cormorant.frontier.policy.transition import RowUpdate
    from cormorant.model.outcome import Outcome
    from cormorant.model.run import Counters
    from cormorant.store.db.database import Store
    from cormorant.store.journal.runs import RunRow


def count(
    counters: Counters, batch: Batch, excluded: int, regranted: Container[int] = (), *, later: bool = False
) -> None:
    """Add a batch to its run's figures; `excluded` addresses were met for the first time in this run.

    Receivers are told that those are changed which are `regranted`: they have other readers than before. What is new
    is counted when they are told of it, which may be `later`.
    """
    counters.excluded += excluded
    counters.rejected += excluded
    counters.discovered += excluded
    counters.cache_writes += len(batch.packed)
    for visited in batch.visited:
        counter_rows.count_wire(counters, visited.report.wire)
        if visited.resource.role is Role.DOCUMENT:
            _count(counters, visited)
            number = visited.resource.id
            counters.new += not later and visited.fate.outcome is OutcomeKind.OK and not visited.resource.indexed
            _count_told(counters, visited, moved=number in batch.moved, regranted=number in regranted)


def _count(counters: Counters, visited: Visited) -> None:
    """Add how a visit of a document ended."""
    outcome, fate = visited.report.outcome, visited.fate
    answered = isinstance(outcome, Ok | Unchanged | Held) or (
        isinstance(outcome, Excluded) and outcome.content is not None
    )
    counter_rows.count_outcome(counters, fate.outcome, _counted(fate, outcome), answered=answered)
    counters.confirmed_wrongly += counter_rows.was_misled(visited.report.wire, outcome)
    counters.unanswered += isinstance(outcome, Failed) and is_unreachable(outcome.status)
    if fate.outcome in REPEATED:
        counters.not_modified += isinstance(outcome, Unchanged) and outcome.status == 304


def _count_told(counters: Counters, visited: Visited, *, moved: bool, regranted: bool) -> None:
    """Add whether it is changed or as it was. What was moved has been counted when that was seen."""
    resource, fate = visited.resource, visited.fate
    ok, same = fate.outcome is OutcomeKind.OK, says_the_same(resource, visited.report.outcome)
    counters.changed += regranted or (ok and resource.indexed and not same and not moved)
    counters.unchanged += ok and same and not regranted
    counters.unchanged -= fate.outcome is OutcomeKind.UNCHANGED and (regranted or moved)


def _counted(fate: RowUpdate, outcome: Outcome) -> int:
    """The status to count by: a 304 for a page that says noindex is one more page that may not be indexed."""
    return fate.status if fate.outcome in REPEATED else outcome.status


def finish(store: Store, row: RunRow) -> None:
    """Count what only the end of a run can tell: what is deferred still, no longer listed, no longer linked to.

    And what failed as before, and what is excluded, each address once, whatever ways it was met by.
    """
    with store.begin() as tx:
        if not row.force:  # it takes everything for changed
            lastmod_trust.measure(tx, row.source_id, row.id)
        counters = runs.counted_by(tx, row.id, runs.ITSELF)
        counters.deferred = remaining.deferred(tx, row.source_id, row.id, row.generation, row.new_of)
        if row.lists:
            counters.gone = pending_deletes.absent_count(tx, row.source_id, row.id)
        excluded = stale_exclusions.count(tx, row.source_id, row.id) - runs.counters(tx, row.id).excluded
        counters.excluded += excluded
        counters.rejected += excluded
        waiting = row.generation if row.new_of is None else 0
        counters.failed_as_before = known_failures.count(tx, row.source_id, row.id, waiting)
        counters.unlinked = 0 if row.lists else orphans.count(tx, row.source_id)
        runs.count(tx, row.id, runs.ITSELF, counters)
