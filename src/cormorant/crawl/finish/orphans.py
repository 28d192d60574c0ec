"""Orphans: documents without any link to them.

They are visited and kept, and receivers get an event.

    lost its last link -> UNVISITED                  text changed -> UNVISITED_CHANGED, after its CHANGED
    gone as well ------> UNVISITED_DELETED (`sweep`)         linked again -> CHANGED
    orphaned for some runs, if the source says to delete it then -> hidden, as a document that is gone

There is one event, and another when the text changes: a receiver that drops orphans gets back those linked again.
The index ignores these events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cormorant.frontier.links import orphans
from cormorant.frontier.staging import pending_deletes
from cormorant.model.settings.orphan_policy import KEEP, runs_until_deleted
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.journal import runs, visits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cormorant.store.db.database import Store, Tx
    from cormorant.store.journal.runs import RunRow

CHUNK = orphans.CHUNK


def report(store: Store, row: RunRow) -> None:
    """Report orphans and documents linked again to receivers, and count them, at the end of a run that follows links.

    The counts include all orphans. After a kill a change may be reported once more.
    """
    if row.lists or not row.complete:
        return
    behind, unvisited, changed = 0, 0, 0
    while True:
        with store.begin() as tx:
            some = orphans.page(tx, row.source_id, CHUNK, behind)
            new = visits.with_new_content(tx, row.id, [number for number, _ in some])
            _append_events(tx, row, some, new)
        unvisited, changed = unvisited + len(some) - len(new), changed + len(new)
        if len(some) < CHUNK:
            break
        behind = some[-1][0]
    while _linked_again(store, row):
        pass
    with store.begin() as tx:
        counters = runs.counted_by(tx, row.id, runs.ITSELF)
        counters.unvisited, counters.unvisited_changed = unvisited, changed
        runs.count(tx, row.id, runs.ITSELF, counters)


def _append_events(tx: Tx, row: RunRow, some: Sequence[tuple[int, bool]], new: set[int]) -> None:
    """Append events for orphans that receivers do not know of yet, and for those with a changed text."""
    entries = [
        NewEvent(row.source_id, number, row.id, Event.UNVISITED_CHANGED if number in new else Event.UNVISITED)
        for number, known in some
        if number in new or not known
    ]
    if entries:
        stream.append(tx, entries)
        orphans.know(tx, [entry.resource for entry in entries], unvisited=True)


def hide(store: Store, source: int, run: int) -> None:
    """Hide documents without any link to them: a crawl that remembers nothing does not find them."""
    _hide(store, source, run, lambda tx, behind: [number for number, _ in orphans.page(tx, source, CHUNK, behind)])


def hide_after(store: Store, row: RunRow) -> None:
    """Hide documents without a link for as many complete runs, including this one, as the source tolerates.

    A run continued after a kill counts once. The count begins when the setting first asks for deletion.
    """
    times = _runs_until_deleted(row)
    if times is None:
        return
    with store.begin() as tx:
        before = runs.last_whole(tx, row.source_id)
        if before is None or _runs_until_deleted(before) is None:
            orphans.forget(tx, row.source_id)
        orphans.note(tx, row.source_id, row.id)
        first = runs.whole_before(tx, row, times - 1)
    if first is not None:
        _hide(store, row.source_id, row.id, lambda tx, behind: orphans.noted_since(tx, row.source_id, first, behind))


def _runs_until_deleted(row: RunRow) -> int | None:
    return runs_until_deleted(row.settings.get("orphans", KEEP))


def _hide(store: Store, source: int, run: int, some_behind: Callable[[Tx, int], list[int]]) -> None:
    behind: int | None = 0
    while behind is not None:
        with store.begin() as tx:
            some = some_behind(tx, behind)
            pending_deletes.hide(tx, [(number, source, run) for number in some])
            pending_deletes.mark_unlinked(tx, some)
        behind = some[-1] if len(some) == CHUNK else None


def _linked_again(store: Store, row: RunRow) -> int:
    with store.begin() as tx:
        some = orphans.linked_again(tx, row.source_id, CHUNK)
        if some:
            stream.append(tx, [NewEvent(row.source_id, number, row.id, Event.CHANGED) for number in some])
            orphans.know(tx, some, unvisited=False)
        return len(some)
