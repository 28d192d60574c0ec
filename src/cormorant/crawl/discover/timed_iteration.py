"""Timed iteration over a listing that may never continue.

In a thread of its own, and not for ever (fault F11).

A share whose server is gone keeps whoever looks at it, and nothing can end that. So each step is taken in a thread that
nobody waits for any more when its time is over; the process ends without it (`app/processes/supervisor.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import islice
from typing import TypeVar

from cormorant.base.errors import Unreachable

T = TypeVar("T")

STEP_S = 300.0
"""Seconds one step may take. A source yields after a thousand entries or so: at a third of a second each."""


async def drawn(batches: Iterator[T]) -> AsyncIterator[T]:
    """The batches of a discovery, while everything else goes on.

    Raises Unreachable when a step takes too long, and what the discovery raises.
    """
    thread = ThreadPoolExecutor(1, thread_name_prefix="listing")
    try:
        while step := await _step(thread, batches):
            yield step[0]
    finally:
        thread.shutdown(wait=False, cancel_futures=True)


def _next_of(batches: Iterator[T]) -> list[T]:
    """The next batch alone in a list; an empty one at the end."""
    return list(islice(batches, 1))


async def _step(thread: ThreadPoolExecutor, batches: Iterator[T]) -> list[T]:
    drawing = asyncio.get_running_loop().run_in_executor(thread, copy_context().run, _next_of, batches)
    try:
        async with asyncio.timeout(STEP_S):
            return await drawing
    except TimeoutError:
        raise Unreachable(
            f"The listing did not continue for {STEP_S:g} seconds. Check the disk, or the server of the share."
        ) from None
