"""Deletion watch: detects during a run that it would delete too many documents.

While that is so, these documents can be found.

too much hidden --> found again, as is everything hidden next --> no longer too much: hidden once more
                         `--> stopped, suspended, killed: found until the next run of the source

The final decision is made when the run has seen everything (`crawl/run/approval.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cormorant.frontier.policy import deletion_guard
from cormorant.frontier.staging import pending_deletes
from cormorant.store.catalog import sources

if TYPE_CHECKING:
    from cormorant.store.db.database import Store, Tx
    from cormorant.store.journal.runs import RunRow

LOOK_S: Final = 2.0
"""Seconds between checks while a run visits."""


class Going(NamedTuple):
    """Counts of documents of a source that would be deleted now, `may_go` of them with an administrator's approval.

    `silent` would leave because they do not answer. `documents` are counted as far as necessary: all of them if too
    many would go.
    """

    going: int
    may_go: int = 0
    silent: int = 0
    documents: int = 0

    @property
    def too_many(self) -> bool:
        """Return whether more documents would be deleted than allowed without approval."""
        return deletion_guard.trips(self.going - self.may_go + self.silent, self.documents - self.may_go)


def going(tx: Tx, row: RunRow, *, ends: bool = False) -> Going:
    """Count deletions for the source of a run. If too few documents go to matter, nothing more is counted.

    Silent documents are counted only when the run `ends`: that takes longer.
    """
    source, waiting = row.source_id, pending_deletes.waiting_count(tx, row.source_id)
    silent = pending_deletes.unreached_count(tx, source) if waiting and ends else 0
    if waiting + silent < deletion_guard.FEWEST:
        return Going(waiting)
    agreed = sources.agreed(tx, source, row.requested_at)
    may_go = deletion_guard.expected(pending_deletes.waiting_by_rule(tx, source), agreed) if agreed else 0
    most = deletion_guard.most(waiting - may_go + silent) + may_go
    return Going(waiting, may_go, silent, pending_deletes.indexed_upto(tx, source, most))


def look(store: Store, row: RunRow) -> None:
    """Show the documents that a run hides, or hide them again. Writes only if that changes something."""
    with store.read() as tx:
        shown = going(tx, row).too_many
        more = pending_deletes.is_news(tx, row.source_id, shown=shown)
    while more:
        with store.begin() as tx:
            more = pending_deletes.wait_in_sight(tx, row.source_id, shown=shown)


def put_right(tx: Tx, row: RunRow) -> None:
    """Do the same as `look` in this transaction."""
    shown = going(tx, row).too_many
    while pending_deletes.wait_in_sight(tx, row.source_id, shown=shown):
        continue
