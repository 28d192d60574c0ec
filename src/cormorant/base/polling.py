"""Wait for an event in a polling loop, with a time limit.

A module apart from the clock, since some programs that load the clock need no event loop. `asyncio.wait_for` would make
a reference cycle for each wait, several times a second.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress


async def nap(seconds: float, woken: asyncio.Event) -> None:
    """Wait for the event, but no longer than `seconds`."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await woken.wait()
