"""Timed iteration over a listing that may never continue.

A share whose server is gone blocks its readers, and no call can end that. So each step runs in a thread of its own,
which is abandoned after a time limit; the process ends without waiting for it (`app/processes/supervisor.py`).
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
"""Seconds that one step may take. A source yields after a thousand entries or so: a third of a second for each."""


async def drawn(batches: Iterator[T]) -> AsyncIterator[T]:
    """The batches of a discovery, without blocking the event loop.

    Raises Unreachable if a step takes too long, and the exceptions of the discovery.
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
