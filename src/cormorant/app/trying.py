"""Wires what `source test` needs: a way out and limited children, for one visit."""

from __future__ import annotations

import asyncio
from typing import Any

from cormorant.app.build import Plan
from cormorant.app.opening import opened
from cormorant.app.roles import own_ports
from cormorant.app.session import CONVERTERS, TASKS
from cormorant.base.steps import unmeasured
from cormorant.crawl.reading import Reader
from cormorant.egress.gate import Egress
from cormorant.fetch.http import Fetcher
from cormorant.limits import ChildPool, start_server
from cormorant.operate import testing
from cormorant.operate.house import House


def try_source(plan: Plan, name: str, address: str) -> dict[str, Any]:
    """Visit one address of a source now. Raises what `testing.test` raises."""
    with opened(plan) as house:
        converters = start_server(CONVERTERS, TASKS)
        try:
            return asyncio.run(_try(plan, house, (name, address), converters.address))
        finally:
            converters.stop()


async def _try(plan: Plan, house: House, asked: tuple[str, str], converters: str) -> dict[str, Any]:
    egress = Egress(house.clock, own_ports(plan))
    fetcher = Fetcher(egress, width=4)
    try:
        return await testing.test(house, *asked, testing.Means(fetcher, Reader(ChildPool(converters), unmeasured)))
    finally:
        await fetcher.close()
        await egress.close()
