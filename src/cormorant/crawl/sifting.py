"""Which of a batch's arrivals may become known? What only the store can tell, asked before anything is written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cormorant.crawl import crowding, naming
from cormorant.crawl.gates import excluded
from cormorant.frontier import redirects
from cormorant.frontier.admission import Arrival
from cormorant.journal.visits import Exclusion
from cormorant.model.resource import How
from cormorant.model.rules import Gate, Ruling
from cormorant.model.status import Status

if TYPE_CHECKING:
    from cormorant.crawl.rows import Batch
    from cormorant.frontier.admission import Admission
    from cormorant.sources.protocol import Source
    from cormorant.store.database import Tx

TOO_FAR = Ruling(False, Gate.LINK, f"more than {redirects.MOST} redirects in a row", Status.REDIRECT_LOOP)


def sifted(tx: Tx, source: Source, batch: Batch, order: Admission) -> Batch:
    """The batch without one host too many of a domain, a display address that is taken, or redirects without end.

    These are excluded.
    """
    home = {visited.report.task.site.lease.key for visited in batch.visited}
    arrivals, crowded = crowding.sorted_out(tx, source, batch.arrivals, order.run, home)
    arrivals, taken = naming.unique(tx, source, arrivals, order.run)
    arrivals, far = near(tx, arrivals, order)
    refused = [*crowded, *taken, *far]
    return replace(batch, arrivals=arrivals, exclusions=[*batch.exclusions, *refused]) if refused else batch


def near(tx: Tx, arrivals: list[Arrival], order: Admission) -> tuple[list[Arrival], list[Exclusion]]:
    """Part the arrivals into those to be admitted and those at the end of too many redirects (faults W11, W12)."""
    from_there = {each.found.referrer for each in arrivals if each.found.how is How.REDIRECT} - {None}
    far = redirects.at_the_end(tx, from_there) if from_there else ()
    if not far:
        return arrivals, []
    stays, exclusions = list[Arrival](), list[Exclusion]()
    for each in arrivals:
        if each.found.how is How.REDIRECT and each.found.referrer in far:
            exclusions.append(excluded(order.source, each.key, each.found, TOO_FAR, order.run))
        else:
            stays.append(each)
    return stays, exclusions
