"""Link survey: the distance of every URL from the start, by the current state of the store.

It is computed in chunks, so that other runs go on meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from cormorant.crawl import url_rewriting
from cormorant.crawl.discover.timed_iteration import drawn
from cormorant.crawl.link_filter import SiteKeys
from cormorant.frontier.links import shortest_paths
from cormorant.frontier.links.shortest_paths import Chart, Fringe, PathSearch
from cormorant.frontier.policy.priority import usual
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl
from cormorant.model.ruling import Ruling
from cormorant.model.status import Status
from cormorant.model.url import fingerprint, origin_of

if TYPE_CHECKING:
    from cormorant.frontier.links.shortest_paths import Leads
    from cormorant.sources.protocol import Source
    from cormorant.store.db.database import Store

CHUNK = 500
"""Pages whose links are followed at once: that takes about 40 ms."""
Row = TypeVar("Row", bound=tuple[int, ...])


class Stranger(NamedTuple):
    """An address that was too deep and now has a shorter path, with the current ruling of the gates."""

    address: str
    key: int
    depth: int
    by: int
    ruling: Ruling


class Survey:
    """The shortest paths of a source, computed by `take`: `chart` has those of known resources.

    `strangers` are addresses that were too deep and are admitted now, or are nearer than before; by fingerprint.
    """

    def __init__(self, store: Store, source: Source) -> None:
        self._store, self._source, self._keys = store, source, SiteKeys()
        self.chart, self._fringe = Chart(), Fringe()
        self._walk = PathSearch(self.chart)
        self.strangers: dict[int, Stranger] = {}

    async def take(self) -> None:
        """Read the known resources, begin at the starts, and follow links until there are none."""
        await self._read()
        await self._begin()
        while pages := self._walk.chunk(CHUNK):
            with self._store.read() as tx:
                led = shortest_paths.leads(tx, pages)
            for each in led:
                self._follow(each)
            await asyncio.sleep(0)

    async def _read(self) -> None:
        number = self._source.number
        with self._store.read() as tx:
            sites = shortest_paths.sites(tx, number)
        alone: list[tuple[str, int, int]] = []
        for site, key in sites:
            async for some in self._pages(partial(shortest_paths.known, source=number, place=site)):
                self.chart.add(key, (row[:3] for row in some))
                alone += [(key, row[0], row[2]) for row in some if shortest_paths.stands_alone(row[3])]
        for key, address, depth in alone:
            self._reach(key, address, depth)
        at = dict(sites)
        async for named in self._pages(partial(shortest_paths.named, source=number)):
            for address, site in named:
                self._reach(at.get(site, ""), address, shortest_paths.NAMED)
        async for deep in self._pages(partial(shortest_paths.too_deep, source=number)):
            self._fringe.add(deep)

    async def _pages(self, page: Callable[..., list[Row]]) -> AsyncIterator[list[Row]]:
        """Rows a page at a time; the first value of the last row is where the next page begins."""
        behind: int | None = None
        while True:
            with self._store.read() as tx:
                rows = page(tx, behind=behind)
            yield rows
            if len(rows) < shortest_paths.PAGE:
                return
            behind = rows[-1][0]
            await asyncio.sleep(0)

    async def _begin(self) -> None:
        """Begin at the URLs that the source names now."""
        try:
            async for batch in drawn(self._source.discover("")):
                for address in [each.address for each in batch if isinstance(each, DiscoveredUrl)]:
                    self._lead(url_rewriting.known_as(address, self._source), 0, 0)
        finally:
            await self._source.close()

    def _follow(self, page: Leads) -> None:
        """Record the links of a page: a link is one deeper, and the target of a redirect as deep as the page."""
        depth = self._walk.depth
        for address in page.links:
            self._lead(address, depth + 1, page.number)
        if page.moved:
            self._lead(url_rewriting.known_as(page.moved, self._source), depth, page.number)

    def _reach(self, site: str, key: int, depth: int) -> None:
        if (place := self.chart.place(site, key)) is not None:
            self._walk.reach(place, depth)

    def _lead(self, address: str, depth: int, by: int) -> None:
        """Record a path of this length to an address that is known or was too deep; others are ignored."""
        key = fingerprint(address, self._source.number)
        place = self.chart.place(self._keys.of(address), key)
        if place is not None:
            self._walk.reach(place, depth, by)
        elif (was := self._fringe.nearer(key, depth)) is not None:
            ruling = self._source.gates.follow(address, depth)
            if ruling.admitted or ruling.status != Status.TOO_DEEP or depth != was:
                self.strangers[key] = Stranger(address, key, depth, by, ruling)


def found(stranger: Stranger, source: Source) -> DiscoveredUrl:
    """Return the discovered URL of a stranger that may be admitted now."""
    site, priority = origin_of(stranger.address).site, usual(source.settings.level(stranger.address))
    return DiscoveredUrl(
        stranger.address, site, stranger.depth, DiscoveredBy.LINK, referrer=stranger.by or None, priority=priority
    )
