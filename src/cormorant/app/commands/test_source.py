"""Wiring of `source test`: network access and limited children, for one visit."""

from __future__ import annotations

import asyncio
from functools import partial

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.processes import fork_servers
from cormorant.app.processes.entrypoints import tika_of, way_out
from cormorant.app.processes.fork_servers import Converters
from cormorant.app.processes.signals import HeldSignals, held_back
from cormorant.base.profiling import unmeasured
from cormorant.crawl.visit.convert import Converter
from cormorant.crawl.visit.search_attributes import catalog_types
from cormorant.frontier.state.canonical_target import stands
from cormorant.net.http.client import Fetcher
from cormorant.operate.installation import Installation
from cormorant.operate.records.sources import QueryTest, VisitTest
from cormorant.operate.sources import fetch_test
from cormorant.sandbox.client import ChildPool

LOOK_S = 0.02


def try_source(plan: BuildPlan, name: str, address: str | None, query: str | None = None) -> VisitTest | QueryTest:
    """Visit one address of a source now, or send it a query; None: its first start address, or a word.

    Raises the errors of `fetch_test.test`.
    """
    with opened(plan) as house, fork_servers.started() as servers, held_back(house.clock) as held:
        return asyncio.run(_try(plan, house, (name, address, query), servers, held))


async def _try(
    plan: BuildPlan,
    house: Installation,
    asked: tuple[str, str | None, str | None],
    servers: Converters,
    held: HeldSignals,
) -> VisitTest | QueryTest:
    egress = way_out(plan, house)
    fetcher = Fetcher(egress, width=4)
    watch = asyncio.create_task(_look_after(servers, held))
    reader = Converter(ChildPool(servers.addresses), unmeasured, partial(stands, house.store))
    reader.attribute_types = catalog_types(house.store, house.clock)
    reader.tika = tika_of(plan, egress, house.clock)
    try:
        name, address, query = asked
        means = fetch_test.FetchTestContext(fetcher, reader, partial(way_out, plan, house))
        return await fetch_test.test(house, name, address, means, query)
    finally:
        watch.cancel()
        if reader.tika is not None:
            await reader.tika.close()
        await fetcher.close()
        await egress.close()


async def _look_after(servers: Converters, held: HeldSignals) -> None:
    """Start the servers on demand; raise a signal's exception here, where it interrupts no other work."""
    while True:
        held.let_through()
        servers.keep_alive()
        await asyncio.sleep(LOOK_S)
