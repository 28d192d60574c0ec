"""Would a run that is under way let go of too much by now? Until it has come to its end that is found meanwhile.

too much hidden --> found again, and what is hidden next as well --> no longer too much: hidden once more
                         `--> stopped, suspended, killed: found until the next run of the source says otherwise

What becomes of it in the end is decided when the run has seen everything (`crawl/holding.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cormorant.catalog import sources
from cormorant.frontier import brake, hiding

if TYPE_CHECKING:
    from cormorant.journal.runs import RunRow
    from cormorant.store.database import Store, Tx

LOOK_S: Final = 2.0
"""How often it is looked at while a run visits."""


class Going(NamedTuple):
    """How many documents of a source would go by now, `may_go` of them as a person agreed to.

    `silent` are on their way to leave since they do not answer. `documents` are counted as far as it matters: all of
    them when too many would go.
    """

    going: int
    may_go: int = 0
    silent: int = 0
    documents: int = 0

    @property
    def too_many(self) -> bool:
        """Is that more than may go without being asked about?"""
        return brake.trips(self.going - self.may_go + self.silent, self.documents - self.may_go)


def going(tx: Tx, row: RunRow, *, ends: bool = False) -> Going:
    """Count it for the source of a run. Where too few go whatever there is, nothing more is counted.

    Who is silent is looked up when the run `ends`: that takes longer.
    """
    source, waiting = row.source_id, hiding.waiting_count(tx, row.source_id)
    silent = hiding.unreached_count(tx, source) if waiting and ends else 0
    if waiting + silent < brake.FEWEST:
        return Going(waiting)
    agreed = sources.agreed(tx, source, row.requested_at)
    may_go = brake.expected(hiding.waiting_by_rule(tx, source), agreed) if agreed else 0
    most = brake.most(waiting - may_go + silent) + may_go
    return Going(waiting, may_go, silent, hiding.indexed_upto(tx, source, most))


def look(store: Store, row: RunRow) -> None:
    """Have what a run hides found meanwhile, or hidden once more. Writes only where that is news."""
    with store.read() as tx:
        shown = going(tx, row).too_many
        more = hiding.is_news(tx, row.source_id, shown=shown)
    while more:
        with store.begin() as tx:
            more = hiding.wait_in_sight(tx, row.source_id, shown=shown)


def put_right(tx: Tx, row: RunRow) -> None:
    """Do the same in this transaction."""
    shown = going(tx, row).too_many
    while hiding.wait_in_sight(tx, row.source_id, shown=shown):
        continue
