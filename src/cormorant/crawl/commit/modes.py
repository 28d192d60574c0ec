"""Run modes in which documents that a run finds are not simply indexed.

    examine     nothing is told to anybody -> PENDING -> a person begins indexing -> swept like any other
    test        nothing is told to anybody -> FINISHED, and deletes nothing
    index_only  links are not read: nothing new becomes known, and a later run reads what was changed once more

What decides who may read a document holds at once, whatever the mode. So does where a renamed one is: receivers
were told that it is gone from its old address.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import structs

from cormorant.crawl.commit import counters as run_counters
from cormorant.crawl.finish import canonicals
from cormorant.crawl.visit.convert import unconfirmed
from cormorant.frontier.progress import remaining
from cormorant.frontier.staging import unreviewed
from cormorant.model.outcome import Excluded, Ok, Outcome, Unchanged
from cormorant.model.resource import Role
from cormorant.model.run import WITHHELD, Mode, RunState
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.journal import runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cormorant.crawl.commit.batch import BatchRows
    from cormorant.crawl.visit.visit import VisitResult
    from cormorant.store.db.database import Store
    from cormorant.store.journal.runs import RunRow

CHUNK = 500
_AT_ONCE = (Event.ACCESS, Event.MOVED)
"""What is told whatever the mode."""


def read(report: VisitResult, mode: Mode) -> VisitResult:
    """The visit as a mode takes it: without its links, where these are not read.

    Nothing then confirms the page to the next run, which would never see them else.
    """
    if mode is not Mode.INDEX_ONLY:
        return report
    return report._replace(outcome=_without_links(report.outcome, report.task.resource.role))


def _without_links(outcome: Outcome, role: Role) -> Outcome:
    if role is Role.SITEMAP and isinstance(outcome, Ok):
        return Unchanged()
    if isinstance(outcome, Excluded) and outcome.content is not None:
        return structs.replace(outcome, follow=(), unfollowed=(), content=unconfirmed(outcome.content))
    if not isinstance(outcome, Ok | Unchanged) or outcome.document is None or outcome.content is None:
        return outcome
    document = structs.replace(outcome.document, links=(), content_hash=b"")
    content = unconfirmed(outcome.content)
    return structs.replace(outcome, document=document, content=content, follow=(), unfollowed=())


def written(made: BatchRows, mode: Mode) -> BatchRows:
    """The rows of a batch as a mode writes them, without links, or told to nobody but who may read what and where."""
    if mode is Mode.INDEX_ONLY:
        return replace(made, links=[])
    if mode not in WITHHELD:
        return made
    told = [entry for entry in made.entries if entry.event in _AT_ONCE and mode is not Mode.TEST]
    contents = [row._replace(indexed=False, seq=0) for row in made.contents]
    later = mode is Mode.EXAMINE
    return replace(made, contents=contents, entries=told, hidden=[], returned=set(), quiet=True, later=later)


def begin(store: Store, row: RunRow) -> None:
    """A run begins: what an earlier one has fetched and nobody was told of is fetched anew. Again after a kill."""
    with store.read() as tx:
        examined_before = any(each.mode is Mode.EXAMINE for each in runs.since_whole(tx, row))
    while examined_before:
        with store.begin() as tx:
            examined_before = unreviewed.forget_new(tx, row.source_id, CHUNK) > 0


def is_over(row: RunRow) -> bool:
    """Return whether a run ends after visiting everything, as a test or because a person reviews it first."""
    return row.mode is Mode.TEST or (row.mode is Mode.EXAMINE and row.asked is None)


def end(store: Store, row: RunRow, now: float) -> None:
    """End a run that goes no further, or have it wait for a person."""
    if row.asked is None:
        canonicals.settle(store, row)
    run_counters.finish(store, row)
    with store.begin() as tx:
        if row.mode is Mode.TEST:
            runs.advance(tx, row.id, row.state, state=RunState.FINISHED, finished_at=now)
        else:
            runs.pend(tx, row.id)


def index(store: Store, row: RunRow) -> None:
    """Index what a run found, if a person has looked at it and said so. Again after a kill.

    Every document that is new is told of and counted; what the visits found gone is hidden.
    """
    if row.mode is not Mode.EXAMINE or row.asked != runs.INDEX:
        return
    numbers: Sequence[int] = range(CHUNK)
    while numbers:
        with store.begin() as tx:
            numbers = unreviewed.new(tx, row.source_id, CHUNK)
            if numbers:
                first = stream.append(tx, [NewEvent(row.source_id, each, row.id, Event.NEW) for each in numbers])
                unreviewed.use(tx, numbers, first)
                counters = runs.counted_by(tx, row.id, runs.ITSELF)
                counters.new += len(numbers)
                runs.count(tx, row.id, runs.ITSELF, counters)
    with store.begin() as tx:
        remaining.hide_leaving(tx, row.source_id, row.id)
