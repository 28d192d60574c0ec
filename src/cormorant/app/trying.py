"""Wires what `source test` needs: a way out and limited children, for one visit."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from cormorant.app import converters
from cormorant.app.build import Plan
from cormorant.app.converters import Converters
from cormorant.app.interrupts import Held, held_back
from cormorant.app.opening import opened
from cormorant.app.roles import way_out
from cormorant.base.steps import unmeasured
from cormorant.crawl.reading import Reader
from cormorant.fetch.http import Fetcher
from cormorant.frontier.standing import stands
from cormorant.limits.client import ChildPool
from cormorant.operate import testing
from cormorant.operate.house import House

LOOK_S = 0.02


def try_source(plan: Plan, name: str, address: str | None) -> dict[str, Any]:
    """Visit one address of a source now; None: the first it begins with. Raises what `testing.test` raises."""
    with opened(plan) as house, converters.started() as servers, held_back(house.clock) as held:
        return asyncio.run(_try(plan, house, (name, address), servers, held))


async def _try(
    plan: Plan, house: House, asked: tuple[str, str | None], servers: Converters, held: Held
) -> dict[str, Any]:
    egress = way_out(plan, house)
    fetcher = Fetcher(egress, width=4)
    watch = asyncio.create_task(_look_after(servers, held))
    reader = Reader(ChildPool(servers.addresses), unmeasured, partial(stands, house.store))
    try:
        return await testing.test(house, *asked, testing.Means(fetcher, reader))
    finally:
        watch.cancel()
        await fetcher.close()
        await egress.close()


async def _look_after(servers: Converters, held: Held) -> None:
    """Start the servers when they are wanted; raise here what a signal raises, where it tears nothing."""
    while True:
        held.let_through()
        servers.keep_alive()
        await asyncio.sleep(LOOK_S)
