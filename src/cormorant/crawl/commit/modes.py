"""Run modes in which documents that a run finds are not simply indexed.

    examine     receivers get no events -> PENDING -> a person begins indexing -> swept like any other
    test        receivers get no events -> FINISHED, and deletes nothing
    index_only  links are not read: no URL is discovered, and a later run rereads changed documents

Access rights take effect at once in every mode. So does the address of a renamed document: receivers
already have the deletion of its old address.
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
"""Events that are delivered at once in every mode."""


def read(report: VisitResult, mode: Mode) -> VisitResult:
    """The visit as its mode uses it: in mode index_only without links.

    The page is then not confirmed to the next run, which has to read its links.
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
    """The rows of a batch as its mode writes them: without links, or with events of access rights and moves alone."""
    if mode is Mode.INDEX_ONLY:
        return replace(made, links=[])
    if mode not in WITHHELD:
        return made
    at_once = [entry for entry in made.entries if entry.event in _AT_ONCE and mode is not Mode.TEST]
    contents = [row._replace(indexed=False, seq=0) for row in made.contents]
    later = mode is Mode.EXAMINE
    return replace(made, contents=contents, entries=at_once, hidden=[], returned=set(), quiet=True, later=later)


def begin(store: Store, row: RunRow) -> None:
    """Begin a run: forget documents that an earlier run fetched and did not deliver. May be repeated after a kill."""
    with store.read() as tx:
        examined_before = any(each.mode is Mode.EXAMINE for each in runs.since_whole(tx, row))
    while examined_before:
        with store.begin() as tx:
            examined_before = unreviewed.forget_new(tx, row.source_id, CHUNK) > 0


def is_over(row: RunRow) -> bool:
    """Return whether a run ends after visiting everything, as a test or because a person reviews it first."""
    return row.mode is Mode.TEST or (row.mode is Mode.EXAMINE and row.asked is None)


def end(store: Store, row: RunRow, now: float) -> None:
    """Finish a test run, or have an examining run wait for approval."""
    if row.asked is None:
        canonicals.settle(store, row)
    run_counters.finish(store, row)
    with store.begin() as tx:
        if row.mode is Mode.TEST:
            runs.advance(tx, row.id, row.state, state=RunState.FINISHED, finished_at=now)
        else:
            runs.pend(tx, row.id)


def index(store: Store, row: RunRow) -> None:
    """Index the documents that a run found, once a person approved them. May be repeated after a kill.

    Each new document gets an event and is counted; documents that the visits found gone are hidden.
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
