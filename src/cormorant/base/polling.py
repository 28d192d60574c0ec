"""Wait in a loop until something happens, and look again after a while even so.

Apart from the clock, which programs load that have no loop. A task and a gathering for each wait would be a cycle for
the collector, some times a second.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress


async def nap(seconds: float, woken: asyncio.Event) -> None:
    """Wait to be woken, and no longer than so."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await woken.wait()
