"""Settle which pages are copies of others, once a run has seen everything.

    read: its original was not known yet, or not visited -> in the index until here
    found before this run -> hidden, as at a visit: the brake counts it      new in this run -> leaves at once

A page that is new in this run is nothing that a reader could lose, so the brake has no say in it, and it counts as if
its original had been visited first. Every chunk is one transaction, so a kill costs nothing and counts nothing twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cormorant.catalog import receivers
from cormorant.crawl import sweep, waiting
from cormorant.crawl.reading import copy_of
from cormorant.frontier import hiding, standing
from cormorant.frontier.fate import reason_of
from cormorant.journal import runs, visits
from cormorant.model.outcome import Excluded, OutcomeKind
from cormorant.model.run import WITHHELD, Mode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cormorant.frontier.standing import Undecided
    from cormorant.journal.runs import RunRow
    from cormorant.model.run import Counters
    from cormorant.store.database import Store, Tx


async def settle_delivered(store: Store, row: RunRow) -> None:
    """Do what `settle` does once the index was told of what is undecided, so that its figures can be put right."""
    with store.read() as tx:
        some = standing.undecided(tx, row.source_id, 0, withheld=False)
    if some:
        await waiting.until_delivered(store, row, index_alone=True)
    settle(store, row)


def _decided(tx: Tx, row: RunRow, behind: int, *, withheld: bool) -> tuple[list[Undecided], list[Undecided]]:
    """The next pages that are looked at, and those of them that are copies."""
    some = standing.undecided(tx, row.source_id, behind, withheld=withheld)
    named = {each.address: each.original for each in some}
    decided = standing.decided(tx, row.source_id, named, withheld=withheld)
    return some, [each for each in some if decided[each.address]]


def settle(store: Store, row: RunRow) -> int:
    """Exclude what calls itself a copy of a document of its source; returns how many pages that are.

    Looks at those alone whose visit could not tell.
    """
    behind, count = 0, 0
    withheld = row.mode in WITHHELD and row.asked is None
    while True:
        with store.begin() as tx:
            some, copies = _decided(tx, row, behind, withheld=withheld)
            if copies:
                _exclude(tx, row, copies, withheld=withheld)
        count += len(copies)
        if len(some) < standing.CHUNK:
            return count
        behind = some[-1].id


def _exclude(tx: Tx, row: RunRow, copies: Sequence[Undecided], *, withheld: bool) -> None:
    """Exclude pages; what search finds of them leaves, unless nobody is told of what this run found (`withheld`)."""
    rulings = {each.id: copy_of(each.original) for each in copies}
    ends = {number: Excluded(ruling, ruling.status) for number, ruling in rulings.items()}
    reasons = {number: reason_of(end) or "" for number, end in ends.items()}
    changed = visits.changes_of(tx, row.id, list(reasons))
    new = visits.new_in(tx, row.id, list(reasons))
    standing.exclude(tx, row.id, reasons)
    now, kind = tx.now(), int(OutcomeKind.EXCLUDED)
    visits.write(
        tx,
        [visits.VisitRow(n, row.id, now, kind, ends[n].status, 0, None, "outcome", why) for n, why in reasons.items()],
    )
    found = [each for each in copies if each.indexed and not withheld]
    hiding.hide(tx, [(each.id, row.source_id, row.id) for each in found])
    sweep.let_go(tx, row, [(each.id, each.url) for each in found if each.id in new])
    counters, place = runs.counted_by(tx, row.id, runs.ITSELF), receivers.index_place(tx)
    for each in copies:
        _recount(counters, row, each, changed.get(each.id, ""), new=each.id in new)
        counters.indexed -= each.id in new and each.indexed and each.seq <= place
    runs.count(tx, row.id, runs.ITSELF, counters)


def _recount(counters: Counters, row: RunRow, each: Undecided, changed: str, *, new: bool) -> None:
    """Count it as its visit would have been, had its original been visited first."""
    counters.excluded += 1
    counters.rejected += 1
    if each.run != row.id:
        return
    if new:
        counters.new -= row.mode is not Mode.EXAMINE
    elif changed in visits.CHANGES:
        counters.changed -= 1
    else:
        counters.unchanged -= 1
