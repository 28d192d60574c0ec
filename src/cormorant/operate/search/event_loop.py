"""Event loop in a thread of its own, with an egress, for searches that wait for servers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Final, TypeVar

from cormorant.net.egress.guard import Egress
from cormorant.net.http.client import Fetcher

T = TypeVar("T")

WIDTH: Final = 16
"""Requests under way at once; further ones wait, and the wait counts toward their time."""
MOST: Final = 64
OPEN_S: Final = 10.0
CLOSE_S: Final = 2.0


class EventLoopThread:
    """An event loop whose thread begins with the first request. Several threads may submit to it.

    Every connection is judged by the `egress` that is made on the loop; connections are kept between requests.
    """

    def __init__(self, egress: Callable[[], Egress]) -> None:
        self._make = egress
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._way: tuple[Egress, Fetcher] | None = None

    @property
    def fetcher(self) -> Fetcher:
        """The fetcher of the loop, which only it may use."""
        return self._started()[1]

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Have a coroutine carried out on the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._started()[0])

    def close(self) -> None:
        """Close the connections and end the thread. A later request begins another."""
        with self._lock:
            loop, thread, way = self._loop, self._thread, self._way
            self._loop = self._thread = self._way = None
        if loop is None or thread is None or way is None:
            return
        with suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(_left(way), loop).result(CLOSE_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(CLOSE_S)
        if not thread.is_alive():
            loop.close()

    def _started(self) -> tuple[asyncio.AbstractEventLoop, Fetcher]:
        with self._lock:
            if self._loop is None or self._way is None:
                loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=loop.run_forever, name="federation", daemon=True)
                self._thread.start()
                self._way = asyncio.run_coroutine_threadsafe(_opened(self._make), loop).result(OPEN_S)
                self._loop = loop
            return self._loop, self._way[1]


async def _opened(make: Callable[[], Egress]) -> tuple[Egress, Fetcher]:
    egress = make()
    return egress, Fetcher(egress, width=WIDTH, most=MOST)


async def _left(way: tuple[Egress, Fetcher]) -> None:
    """Cancel tasks under way, and close the connections."""
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await way[1].close()
    await way[0].close()
