"""Sweep of documents that a run left unseen, and of those that must be deleted.

Deletion needs a complete run, below the deletion guard.

    absent from a complete listing -> hidden --+
    removed by a feed ---------------> hidden --+
    its container is gone -----------> hidden --+
    gone, excluded, moved at its visit ------> hidden --deletion guard?--> deleted (events, index drops them) -> purged
                                                          `-----> held: found again until an administrator decides
"""

from __future__ import annotations

from collections.abc import Sequence

from cormorant.frontier.cleanup import purge
from cormorant.frontier.links import inlinks, orphans, shortest_paths
from cormorant.frontier.staging import member_rows, pending_deletes
from cormorant.model.outcome import OutcomeKind
from cormorant.model.url import is_below
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.db.database import Store, Tx
from cormorant.store.journal import runs, visits

CHUNK = 1000


def hide_absent(store: Store, source: int, run: int, unlisted: list[str]) -> int:
    """Hide documents missing from a complete listing, except in parts that the source could not read.

    Addresses without a document, because they failed or were excluded, are marked as gone. Returns the documents.
    """
    behind, count = 0, 0
    while True:
        with store.begin() as tx:
            absent = pending_deletes.absent(tx, source, run, CHUNK, behind)
            gone = [number for number, address in absent if not is_below(address, unlisted)]
            pending_deletes.hide(tx, [(number, source, run) for number in gone])
            _mark_absent(tx, run, gone)
        count += len(gone)
        if len(absent) < CHUNK:
            break
        behind = absent[-1][0]
    _mark_stray(store, source, run, unlisted)
    return count


def _mark_stray(store: Store, source: int, run: int, unlisted: list[str]) -> None:
    """Mark addresses without a document that a complete listing omits, and count one more run for those gone before."""
    behind: int | None = 0
    while behind is not None:
        with store.begin() as tx:
            stray = pending_deletes.stray(tx, source, run, CHUNK, behind)
            _mark_absent(tx, run, [number for number, address in stray if not is_below(address, unlisted)])
            behind = stray[-1][0] if len(stray) == CHUNK else None
            if behind is None:
                before = pending_deletes.gone_before(tx, source, run)
                again = [number for number, address in before if not is_below(address, unlisted)]
                pending_deletes.mark_gone_again(tx, again, run)


def _mark_absent(tx: Tx, run: int, numbers: list[int]) -> None:
    """Mark resources that a complete listing omits, and journal those whose state is new."""
    marked = pending_deletes.mark_absent(tx, numbers, run)
    visits.write(tx, [visits.VisitRow(m.resource, run, m.at, *m[1:3], 0, None, "outcome", m.reason) for m in marked])


def hide_left_behind(store: Store, source: int, run: int) -> int:
    """Hide the members of hidden or deleted containers, at every depth. Returns the number of documents."""
    count = 0
    while True:
        with store.begin() as tx:
            addresses = member_rows.left_behind(tx, source, CHUNK)
            if not addresses:
                return count
            count += remove(tx, source, run, addresses, pending_deletes.UNPACKED)


def remove(tx: Tx, source: int, run: int, addresses: Sequence[str], reason: str = pending_deletes.REMOVED) -> int:
    """Hide documents that a feed or a container removed, as a visit with 410 would. Returns how many were known."""
    going = pending_deletes.named(tx, source, addresses)
    pending_deletes.hide(tx, [(number, source, run) for number, indexed in going if indexed])
    pending_deletes.mark_removed(tx, [number for number, _ in going], run, reason)
    gone, now = (int(OutcomeKind.GONE), 410, 0, None, "outcome", reason), tx.now()
    visits.write(tx, [visits.VisitRow(number, run, now, *gone) for number, _ in going])
    return len(going)


def settle(store: Store, row: runs.RunRow) -> int:
    """Delete the documents that the run hid, and return their number: events, no more links, rows purged by rule."""
    count, behind, source = 0, 0, row.source_id
    while True:
        with store.begin() as tx:
            going = pending_deletes.waiting(tx, source, CHUNK, behind)
            if not going and (silent := shortest_paths.gone_that_link(tx, source, CHUNK)):
                inlinks.silence(tx, source, silent)  # never indexed, or deleted before their links were
                continue
            if not going:
                purge.purge(tx, source, purge.wait_s(row.settings))
                return count
            let_go(tx, row, going)
        count, behind = count + len(going), going[-1][0]


def let_go(tx: Tx, row: runs.RunRow, going: Sequence[tuple[int, str]], event: Event = Event.DELETED) -> None:
    """Remove hidden documents from the index, and append this event: (resource, display address) of each."""
    if going:
        first = stream.append(tx, _events(tx, row, going, event))
        pending_deletes.leave(tx, [(number, first + n) for n, (number, _) in enumerate(going)])
        inlinks.silence(tx, row.source_id, shortest_paths.silent(tx, [number for number, _ in going]))


def _events(tx: Tx, row: runs.RunRow, going: Sequence[tuple[int, str]], event: Event) -> list[NewEvent]:
    """Return the events about deleted documents for receivers, and count those that had become orphans."""
    lost = orphans.gone_among(tx, [number for number, _ in going])
    if lost:
        counters = runs.counted_by(tx, row.id, runs.ITSELF)
        counters.unvisited_deleted += len(lost)
        runs.count(tx, row.id, runs.ITSELF, counters)
    kinds = {True: Event.UNVISITED_DELETED, False: event}
    return [NewEvent(row.source_id, number, row.id, kinds[number in lost], url) for number, url in going]
