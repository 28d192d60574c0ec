"""With whom does a leased site share its pace? Found out before anything is asked of it.

leased -> look (names may have to be resolved) -> place: in its lane | given back, since another process is there
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from cormorant.frontier.queue import host_leases, ip_groups
from cormorant.frontier.queue.refill import Moment, Supply
from cormorant.frontier.queue.workbench import HostState, Workbench

if TYPE_CHECKING:
    from cormorant.crawl.commit.committer import BatchCommitter
    from cormorant.sources.protocol import Source
    from cormorant.store.db.database import Tx


class Placing:
    """The sites of one worker that have yet to be placed. `wake` is called when one can be."""

    def __init__(self, owner: str, desk: Workbench, supply: Supply, wake: Callable[[], None]) -> None:
        self._owner, self._desk, self._supply, self._wake = owner, desk, supply, wake
        self._asking: dict[int, asyncio.Task[None]] = {}

    def look(self, site: HostState, runs: Mapping[int, BatchCommitter]) -> None:
        """A site was leased for these runs: begin to find out where it is."""
        site.unplaced = True
        sources = _sources(site, runs)
        if any(source.lane(site.key) is None for source in sources):
            number = site.lease.site
            task = self._asking[number] = asyncio.create_task(_look_up(site.key, sources))
            task.add_done_callback(lambda _: self._wake())

    def place(self, tx: Tx, runs: Mapping[int, BatchCommitter], moment: Moment) -> None:
        """Place the sites of which is known by now where they are. One that is nowhere shares its pace with none."""
        for number in [number for number, site in self._desk.sites.items() if site.unplaced]:
            asking = self._asking.get(number)
            if asking is not None and not asking.done():
                continue
            self._asking.pop(number, None)
            site = self._desk.sites[number]
            name = next(filter(None, (source.lane(site.key) for source in _sources(site, runs))), "")
            self._enter(tx, site, name, moment)

    def _enter(self, tx: Tx, site: HostState, name: str, moment: Moment) -> None:
        lapsed, number = tx.run_out(host_leases.LEASE_S, moment.store), site.lease.site
        at = 0.0 if name == site.lane_name == "" else ip_groups.enter(tx, self._owner, number, name, lapsed)
        if at is None:
            self._supply.give_back(tx, site)
        else:
            self._desk.place(site, name, min(moment.latest_of(at), moment.monotonic))


def _sources(site: HostState, runs: Mapping[int, BatchCommitter]) -> list[Source]:
    return [runs[number].source for number in site.sources if number in runs]


async def _look_up(key: str, sources: list[Source]) -> None:
    for source in sources:
        await source.look_up(key)
