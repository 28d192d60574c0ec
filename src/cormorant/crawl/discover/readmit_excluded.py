"""Readmission of excluded URLs after a settings edit, which a run does before it contacts any server.

An excluded link is stored and not judged again, and its page may be gone or excluded by now. So after an edit, all
excluded URLs are judged once more.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from cormorant.crawl.commit import subdomain_limit
from cormorant.crawl.finish import link_graph
from cormorant.frontier.policy.priority import usual
from cormorant.frontier.state import enqueue
from cormorant.frontier.state.enqueue import Admission, NewUrl, SiteNumbers
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl
from cormorant.model.status import Status
from cormorant.model.url import origin_of
from cormorant.store.journal import runs, visits

if TYPE_CHECKING:
    from cormorant.model.run import Counters
    from cormorant.sources.protocol import Source
    from cormorant.store.db.database import Store
    from cormorant.store.journal.visits import Exclusion

PAGE = 2_000
NEVER = (Status.NOFOLLOW_ONLY, Status.NOT_UNIQUE, Status.REDIRECT_LOOP)
"""Exclusions that depend on more than the address: their pages are read again, and decide again."""


async def readmit(store: Store, source: Source, order: Admission, sites: SiteNumbers, counters: Counters) -> None:
    """Admit excluded links that pass the current gates, one transaction a page, and count them; may be repeated.

    `counters` are those of the run, so that after a kill they still show whether any link was admitted.
    """
    with store.read() as tx:
        last = runs.last_whole(tx, order.source)
        if last is not None and last.settings == runs.get(tx, order.run).settings:
            return
    behind: int | None = None
    while True:
        with store.begin() as tx:
            page = visits.exclusions_behind(tx, order.source, behind, PAGE)
            arrivals, refused = subdomain_limit.sorted_out(tx, source, _let_in(source, page), order.run)
            fresh = enqueue.unknown(tx, sites, arrivals) if arrivals else []
            counters.discovered += enqueue.admit(tx, sites, order, fresh)
            new = visits.exclude(tx, refused) if refused else 0
            counters.excluded += new
            counters.rejected += new
            runs.count(tx, order.run, runs.ITSELF, counters)
        if len(page) < PAGE:
            break
        behind = page[-1].hash
        await asyncio.sleep(0)  # other runs go on meanwhile
    if counters.discovered:  # pages that link to them may be unchanged
        await link_graph.again(store, order.source)


def _let_in(source: Source, page: list[Exclusion]) -> list[NewUrl]:
    """Exclusions that pass the gates now. URLs without a referrer are left to discovery."""
    arrivals = []
    for each in page:
        asked = each.referrer is not None and each.status not in NEVER
        if asked and source.gates.follow(each.address, each.depth).admitted:
            site = origin_of(each.address).site
            priority = usual(source.settings.level(each.address))
            found = DiscoveredUrl(
                each.address, site, each.depth, DiscoveredBy.LINK, referrer=each.referrer, priority=priority
            )
            arrivals.append(NewUrl(found, each.hash))
    return arrivals
