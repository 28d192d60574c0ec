"""Queue of the slots that wait for a visit: the asynchronous side of a workbench."""

from __future__ import annotations

import asyncio
from collections import deque

from cormorant.frontier.queue.workbench import VisitTask, Workbench


class ReadyQueue:
    """Visit slots wait here; changes of the workbench call `pump`.

    One timer wakes it when the next site's pace allows.
    """

    def __init__(self, desk: Workbench) -> None:
        self._desk = desk
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[asyncio.Future[VisitTask]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        desk.changed = self._pump_soon

    @property
    def idle(self) -> int:
        """Number of slots without a visit."""
        return len(self._waiting)

    async def take(self) -> VisitTask:
        """Return the next visit."""
        task = self._desk.take(self._loop.time()) if not self._waiting else None
        if task is not None:
            return task
        future: asyncio.Future[VisitTask] = self._loop.create_future()
        self._waiting.append(future)
        self.pump()
        return await future

    def pump(self) -> None:
        """Assign visits that may start now to waiting slots, and set the timer for the next."""
        now = self._loop.time()
        while self._waiting:
            if self._waiting[0].done():
                self._waiting.popleft()
                continue
            task = self._desk.take(now)
            if task is None:
                break
            self._waiting.popleft().set_result(task)
        self._set_timer(now)

    def _pump_soon(self) -> None:
        """Pump after the current callback, which may be in the middle of a transfer."""
        self._loop.call_soon(self.pump)

    def _set_timer(self, now: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        soonest = self._desk.next_time()
        if self._waiting and soonest is not None:
            self._timer = self._loop.call_later(max(soonest - now, 0.0005), self.pump)
