"""What becomes of documents that nothing links to any more? They are visited and kept, and receivers are told.

    lost its last link -> UNVISITED                  with another text -> UNVISITED_CHANGED, behind its CHANGED
    gone as well ------> UNVISITED_DELETED (`sweep`)         linked again -> CHANGED

Told once, and again when the text changes: a receiver that lets go of such documents gets back what is linked again.
The index takes none of it for a change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cormorant.frontier import hiding, inversion
from cormorant.journal import runs, visits
from cormorant.receivers import stream
from cormorant.receivers.stream import Entry, Event

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cormorant.journal.runs import RunRow
    from cormorant.store.database import Store, Tx

CHUNK = 1000


def tell(store: Store, row: RunRow) -> None:
    """Tell of what lost its links, or got some again, and count it, at the end of a run of what is found by links.

    Its counts are of all such documents. After a kill whoever goes on may tell of a change once more.
    """
    if row.lists or not row.complete:
        return
    behind, unvisited, changed = 0, 0, 0
    while True:
        with store.begin() as tx:
            some = inversion.now_unlinked(tx, row.source_id, CHUNK, behind)
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
        Entry(row.source_id, number, row.id, Event.UNVISITED_CHANGED if number in new else Event.UNVISITED)
        for number, known in some
        if number in new or not known
    ]
    if entries:
        stream.append(tx, entries)
        inversion.know_unlinked(tx, [entry.resource for entry in entries], unvisited=True)


def hide(store: Store, source: int, run: int) -> None:
    """Hide documents that nothing leads to any more: a crawl that remembers nothing does not find them."""
    behind: int | None = 0
    while behind is not None:
        with store.begin() as tx:
            some = [number for number, _ in inversion.now_unlinked(tx, source, CHUNK, behind)]
            hiding.hide(tx, [(number, source, run) for number in some])
            hiding.mark_unlinked(tx, some)
        behind = some[-1] if len(some) == CHUNK else None


def _linked_again(store: Store, row: RunRow) -> int:
    with store.begin() as tx:
        some = inversion.linked_again(tx, row.source_id, CHUNK)
        if some:
            stream.append(tx, [Entry(row.source_id, number, row.id, Event.CHANGED) for number in some])
            inversion.know_unlinked(tx, some, unvisited=False)
        return len(some)
