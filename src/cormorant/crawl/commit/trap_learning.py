"""What do the watches of sites learn from the visits of a batch? See `frontier.traps.detector`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cormorant.frontier.state.host_facts import FOR_EVER, Fact
from cormorant.frontier.traps.detector import FACT
from cormorant.model.outcome import Excluded, Ok, Unchanged
from cormorant.model.resource import Role

if TYPE_CHECKING:
    from cormorant.crawl.commit.batch import Batch, Visited
    from cormorant.crawl.link_filter import Screened
    from cormorant.model.outcome import Outcome


def note(visited: Visited, outcome: Outcome, found: Screened) -> None:
    """Have its site's watch take note of what came, and of a document before its text is let go of."""
    resource, site = visited.resource, visited.report.task.site
    watch = site.watches.get(resource.source)
    if watch is None:
        return
    watch.received(visited.report.wire.received)
    if resource.role is not Role.DOCUMENT or not isinstance(outcome, Ok | Unchanged | Excluded):
        return
    document = outcome.document if isinstance(outcome, Ok | Unchanged) else None
    arrived = [arrival.found.address for arrival in found.arrivals if arrival.found.site == site.key]
    watch.met(resource.address, arrived, (document.title, document.text) if document else None)


def learned(batch: Batch) -> Iterator[Fact]:
    """What the watches of a batch's sites have learned, once each, to be kept with it."""
    watches = {(v.resource.site, v.resource.source): v.report.task.site.watches for v in batch.visited}
    for (site, source), at in watches.items():
        watch = at.get(source)
        if watch is not None and watch.changed:
            yield Fact(site, source, FACT, watch.pack(), FOR_EVER)
            watch.changed = False
