"""Which of a batch's arrivals may become known? What only the store can tell, asked before anything is written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cormorant.crawl import url_rewriting
from cormorant.crawl.commit import subdomain_limit
from cormorant.crawl.link_filter import excluded
from cormorant.frontier.links import redirect_chains
from cormorant.frontier.state.enqueue import NewUrl
from cormorant.model.resource import DiscoveredBy
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import Status
from cormorant.store.journal.visits import Exclusion

if TYPE_CHECKING:
    from cormorant.crawl.commit.batch import Batch
    from cormorant.frontier.state.enqueue import Admission
    from cormorant.sources.protocol import Source
    from cormorant.store.db.database import Tx

TOO_FAR = Ruling(False, Gate.LINK, f"more than {redirect_chains.MOST} redirects in a row", Status.REDIRECT_LOOP)


def sifted(tx: Tx, source: Source, batch: Batch, order: Admission) -> Batch:
    """The batch without one host too many of a domain, a display address that is taken, or redirects without end.

    These are excluded.
    """
    home = {visited.report.task.site.lease.key for visited in batch.visited}
    arrivals, crowded = subdomain_limit.sorted_out(tx, source, batch.arrivals, order.run, home)
    arrivals, taken = url_rewriting.unique(tx, source, arrivals, order.run)
    arrivals, far = near(tx, arrivals, order)
    refused = [*crowded, *taken, *far]
    return replace(batch, arrivals=arrivals, exclusions=[*batch.exclusions, *refused]) if refused else batch


def near(tx: Tx, arrivals: list[NewUrl], order: Admission) -> tuple[list[NewUrl], list[Exclusion]]:
    """Part the arrivals into those to be admitted and those at the end of too many redirects (faults W11, W12)."""
    from_there = {each.found.referrer for each in arrivals if each.found.how is DiscoveredBy.REDIRECT} - {None}
    far = redirect_chains.at_the_end(tx, from_there) if from_there else ()
    if not far:
        return arrivals, []
    stays, exclusions = list[NewUrl](), list[Exclusion]()
    for each in arrivals:
        if each.found.how is DiscoveredBy.REDIRECT and each.found.referrer in far:
            exclusions.append(excluded(order.source, each.key, each.found, TOO_FAR, order.run))
        else:
            stays.append(each)
    return stays, exclusions
