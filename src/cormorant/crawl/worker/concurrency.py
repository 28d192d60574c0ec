"""Concurrency: the number of simultaneous visits of a worker.

As many as the worker is wide, without counting long visits.

take -> began -> ended, soon --------------> take ...
          `----> still under way after LONG_S: another slot opens, and this one closes when its visit ends

Forty servers that do not answer hold forty visits until their time-outs; the forty-first visit must not wait for them.
A hanging visit costs a socket and its received bytes: `most` limits the number here, and the fetcher the memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

from cormorant.frontier.queue.workbench import HostState, Workbench

LONG_S = 1.0
"""Seconds after which a visit no longer counts against the width."""
AGAIN_S = 0.2
"""Seconds between repeated cancellations of a task that ignores cancel()."""


class Slots:
    """The slots of one worker: `width` for short visits, and one more for each long visit, up to `most`.

    Once half of those are taken, a site with a long visit gets no other until it ends (`Workbench.crowded`). Times are
    monotonic seconds.
    """

    def __init__(self, slot: Callable[[], Coroutine[None, None, None]], desk: Workbench, width: int, most: int) -> None:
        self._slot, self._desk = slot, desk
        self._width, self._most = width, most
        self._tasks: set[asyncio.Task[None]] = set()
        self._visits: dict[int, tuple[float, HostState]] = {}
        self._long: dict[int, HostState] = {}
        self._begun = 0
        for _ in range(width):
            self._open()

    def __len__(self) -> int:
        """Return how many visits may be in progress now."""
        return len(self._tasks)

    def _open(self) -> None:
        self._tasks.add(asyncio.create_task(self._slot()))

    def began(self, site: HostState, now: float) -> int:
        """Note that a visit to a site begins; returns its number for `ended`."""
        self._begun += 1
        self._visits[self._begun] = (now, site)
        return self._begun

    def ended(self, number: int) -> bool:
        """Note that a visit ended. Returns whether another slot has replaced its slot."""
        self._visits.pop(number, None)
        site = self._long.pop(number, None)
        if site is None:
            return False
        site.stuck -= 1
        self._desk.crowded = self._is_crowded()
        return True

    def look_after(self, now: float) -> None:
        """Open a slot for each long visit, and raise the error of a slot that failed."""
        for task in [task for task in self._tasks if task.done()]:
            task.result()
            self._tasks.discard(task)
        for number, (began, site) in self._visits.items():  # in the order they began
            if now - began < LONG_S or len(self._tasks) >= self._most:
                break
            if number not in self._long:
                self._long[number] = site
                site.stuck += 1
                self._open()
        self._desk.crowded = self._is_crowded()

    def _is_crowded(self) -> bool:
        return 2 * len(self._long) > self._most - self._width

    async def close(self) -> None:
        """Cancel the visits under way, repeatedly until they end: a plug-in may ignore its cancellation."""
        while left := [task for task in self._tasks if not task.done()]:
            for task in left:
                task.cancel()
            await asyncio.wait(left, timeout=AGAIN_S)
