"""Counter updates of a run, from a batch of visits and from the end of the run.

Each document is counted once, as its event is delivered to receivers.
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
    """Add a batch to the figures of its run; `excluded` addresses were met for the first time in this run.

    Documents that are `regranted` count as changed, because their readers changed. New documents are not counted here
    if they are delivered `later`.
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
            _count_change(counters, visited, moved=number in batch.moved, regranted=number in regranted)


def _count(counters: Counters, visited: Visited) -> None:
    """Count the outcome of a visit to a document."""
    outcome, fate = visited.report.outcome, visited.fate
    answered = isinstance(outcome, Ok | Unchanged | Held) or (
        isinstance(outcome, Excluded) and outcome.content is not None
    )
    counter_rows.count_outcome(counters, fate.outcome, _counted(fate, outcome), answered=answered)
    counters.confirmed_wrongly += counter_rows.was_misled(visited.report.wire, outcome)
    counters.unanswered += isinstance(outcome, Failed) and is_unreachable(outcome.status)
    if fate.outcome in REPEATED:
        counters.not_modified += isinstance(outcome, Unchanged) and outcome.status == 304


def _count_change(counters: Counters, visited: Visited, *, moved: bool, regranted: bool) -> None:
    """Count a document as changed or unchanged. Moved documents were counted when the move was detected."""
    resource, fate = visited.resource, visited.fate
    ok, same = fate.outcome is OutcomeKind.OK, says_the_same(resource, visited.report.outcome)
    counters.changed += regranted or (ok and resource.indexed and not same and not moved)
    counters.unchanged += ok and same and not regranted
    counters.unchanged -= fate.outcome is OutcomeKind.UNCHANGED and (regranted or moved)


def _counted(fate: RowUpdate, outcome: Outcome) -> int:
    """The status to count by: a 304 for a page with noindex counts as another page that may not be indexed."""
    return fate.status if fate.outcome in REPEATED else outcome.status


def finish(store: Store, row: RunRow) -> None:
    """Count what is known only at the end of a run: URLs still deferred, no longer listed, no longer linked to.

    Failures that repeat an earlier failure, and excluded addresses (each once), are counted as well.
    """
    with store.begin() as tx:
        if not row.force:  # a forced run fetches all documents as if they had changed
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
