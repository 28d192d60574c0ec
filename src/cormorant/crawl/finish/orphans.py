"""Orphans: documents that nothing links to any more.

They are visited and kept, and receivers are told.

    lost its last link -> UNVISITED                  with another text -> UNVISITED_CHANGED, behind its CHANGED
    gone as well ------> UNVISITED_DELETED (`sweep`)         linked again -> CHANGED
    so for some runs, where the source says that it goes then -> hidden, as what is gone is

Told once, and again when the text changes: a receiver that lets go of such documents gets back what is linked again.
The index takes none of it for a change.
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


def tell(store: Store, row: RunRow) -> None:
    """Tell of what lost its links, or got some again, and count it, at the end of a run of what is found by links.

    Its counts are of all such documents. After a kill whoever goes on may tell of a change once more.
    """
    if row.lists or not row.complete:
        return
    behind, unvisited, changed = 0, 0, 0
    while True:
        with store.begin() as tx:
            some = orphans.page(tx, row.source_id, CHUNK, behind)
            new = visits.with_new_content(tx, row.id, [number for number, _ in some])
            _tell(tx, row, some, new)
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


def _tell(tx: Tx, row: RunRow, some: Sequence[tuple[int, bool]], new: set[int]) -> None:
    """Tell of those that receivers do not know of yet, and of those that say something else."""
    entries = [
        NewEvent(row.source_id, number, row.id, Event.UNVISITED_CHANGED if number in new else Event.UNVISITED)
        for number, known in some
        if number in new or not known
    ]
    if entries:
        stream.append(tx, entries)
        orphans.know(tx, [entry.resource for entry in entries], unvisited=True)


def hide(store: Store, source: int, run: int) -> None:
    """Hide documents that nothing leads to any more: a crawl that remembers nothing does not find them."""
    _hide(store, source, run, lambda tx, behind: [number for number, _ in orphans.page(tx, source, CHUNK, behind)])


def hide_after(store: Store, row: RunRow) -> None:
    """Hide documents to which nothing leads since so many whole runs, this one the last, as the source lets there be.

    A run that is gone on with after a kill counts once. The count begins when the source first says that they go.
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
