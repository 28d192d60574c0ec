"""Concurrency: the number of simultaneous visits of a worker.

As many as the worker is wide, those that take long not counted.

    take -> began -> ended, soon --------------> take ...
              `----> still under way after LONG_S: another slot opens, and this one closes when its visit ends

Forty servers that say nothing hold forty visits until their time-outs; the fortyfirst is not to wait for them. What
stands still costs a socket and what it has sent, so it is bounded: by `most` here, in memory by the fetcher.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

from cormorant.frontier.queue.workbench import HostState, Workbench

LONG_S = 1.0
"""Seconds after which a visit no longer counts against the width."""
AGAIN_S = 0.2
"""Seconds until what goes on although it was broken off is broken off again."""


class Slots:
    """The slots of one worker: `width` for visits that go on, and one more for each that takes long, up to `most`.

    Once half of those are taken, a site with such a visit gets no other until it ends (`Workbench.crowded`). Times are
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
        """A visit to a site begins; returns the number by which to say that it ended."""
        self._begun += 1
        self._visits[self._begun] = (now, site)
        return self._begun

    def ended(self, number: int) -> bool:
        """A visit ended. Has another slot taken the place of the one it was made in?"""
        self._visits.pop(number, None)
        site = self._long.pop(number, None)
        if site is None:
            return False
        site.stuck -= 1
        self._desk.crowded = self._is_crowded()
        return True

    def look_after(self, now: float) -> None:
        """Open a slot for each visit that takes long, and end with the fault of a slot that had one."""
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
        """Break off what is under way, again until it is: somebody's code may miss that it is to end, and go on."""
        while left := [task for task in self._tasks if not task.done()]:
            for task in left:
                task.cancel()
            await asyncio.wait(left, timeout=AGAIN_S)
