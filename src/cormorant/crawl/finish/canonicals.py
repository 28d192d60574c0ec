"""Decide at the end of a run which pages are copies of others.

    read: its original was unknown, or not visited -> in the index until now
    found before this run -> hidden, as at a visit: the deletion guard counts it      new in this run -> leaves at once

A page that is new in this run was never available to readers, so the deletion guard ignores it, and it is counted
as if its original had been visited first. Each chunk is one transaction, so a kill loses nothing and counts nothing
twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cormorant.crawl.finish import sweep
from cormorant.crawl.visit.convert import copy_of
from cormorant.frontier.policy.transition import reason_of
from cormorant.frontier.staging import pending_deletes
from cormorant.frontier.state import canonical_target
from cormorant.model.outcome import Excluded, OutcomeKind
from cormorant.model.run import WITHHELD, Mode
from cormorant.receivers.stream import Event
from cormorant.store.catalog import receivers
from cormorant.store.journal import runs, visits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cormorant.frontier.state.canonical_target import Undecided
    from cormorant.model.run import Counters
    from cormorant.store.db.database import Store, Tx
    from cormorant.store.journal.runs import RunRow


def _decided(tx: Tx, row: RunRow, behind: int, *, withheld: bool) -> tuple[list[Undecided], list[Undecided]]:
    """The next undecided pages, and the copies among them."""
    some = canonical_target.undecided(tx, row.source_id, behind, withheld=withheld)
    named = {each.address: each.original for each in some}
    decided = canonical_target.decided(tx, row.source_id, named, withheld=withheld)
    return some, [each for each in some if decided[each.address]]


def settle(store: Store, row: RunRow) -> int:
    """Exclude pages that name another document of their source as canonical; returns the number of these copies.

    Only pages that could not be decided at their visit are examined.
    """
    behind, count = 0, 0
    withheld = row.mode in WITHHELD and row.asked is None
    while True:
        with store.begin() as tx:
            some, copies = _decided(tx, row, behind, withheld=withheld)
            if copies:
                _exclude(tx, row, copies, withheld=withheld)
        count += len(copies)
        if len(some) < canonical_target.CHUNK:
            return count
        behind = some[-1].id


def _exclude(tx: Tx, row: RunRow, copies: Sequence[Undecided], *, withheld: bool) -> None:
    """Exclude pages; indexed ones leave the index, unless the documents of this run are `withheld`."""
    rulings = {each.id: copy_of(each.original) for each in copies}
    ends = {number: Excluded(ruling, ruling.status) for number, ruling in rulings.items()}
    reasons = {number: reason_of(end) or "" for number, end in ends.items()}
    changed = visits.changes_of(tx, row.id, list(reasons))
    new = visits.new_in(tx, row.id, list(reasons))
    canonical_target.exclude(tx, row.id, reasons)
    now, kind = tx.now(), int(OutcomeKind.EXCLUDED)
    visits.write(
        tx,
        [visits.VisitRow(n, row.id, now, kind, ends[n].status, 0, None, "outcome", why) for n, why in reasons.items()],
    )
    found = [each for each in copies if each.indexed and not withheld]
    pending_deletes.hide(tx, [(each.id, row.source_id, row.id) for each in found])
    sweep.let_go(tx, row, [(each.id, each.url) for each in found if each.id in new], Event.WITHDRAWN)
    counters, place = runs.counted_by(tx, row.id, runs.ITSELF), receivers.index_place(tx)
    for each in copies:
        _recount(counters, row, each, changed.get(each.id, ""), new=each.id in new)
        counters.indexed -= each.id in new and each.indexed and each.seq <= place
    runs.count(tx, row.id, runs.ITSELF, counters)


def _recount(counters: Counters, row: RunRow, each: Undecided, changed: str, *, new: bool) -> None:
    """Count a copy as if its original had been visited first."""
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
