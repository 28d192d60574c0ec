"""A clock for tests, so that none has to wait; and how to wait where another process has to do something first."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from cormorant.base.clock import SystemClock, pause

T = TypeVar("T")
LOOK_S = 0.02
HANG_S = 240.0
"""Seconds after which something that is waited for does not come any more.

No test takes so long unless it fails, and no assertion is about it: a machine at work on other things is no fault.
"""


class Hands:
    """A clock that is set by hand; it goes on by `step_s` whenever somebody measures an interval."""

    def __init__(self, at: float = 1_000.0, step_s: float = 0.0) -> None:
        self.at, self._step_s = at, step_s

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        self.at += self._step_s
        return self.at


class Shifted(Hands):
    """A clock of which somebody sets what it shows, by `shift`, while intervals are what they are."""

    shift = 0.0

    def now(self) -> float:
        return self.at + self.shift


def until(seen: Callable[[], T | None], limit_s: float = HANG_S) -> T:
    """Wait until `seen()` is true, and return what it said."""
    clock = SystemClock()
    end = clock.monotonic() + limit_s
    while not (found := seen()):
        assert clock.monotonic() < end, f"it did not happen within {limit_s:g} s"
        pause(LOOK_S)
    return found


def cpu_s(work: Callable[[], object], times: int = 3) -> float:
    """The least CPU time of this thread that some work took, however busy the machine is with others."""
    took = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(times):
            began = time.thread_time()
            work()
            took.append(time.thread_time() - began)
    finally:
        gc.enable()
    return min(took)


def around_today() -> list[str]:
    """Windows of a weekly calendar in UTC that hold now and for a day, whatever the hour."""
    today = datetime.fromtimestamp(SystemClock().now(), UTC)
    return [f"{(today + timedelta(days=days)).strftime('%a')} 00-24" for days in (-1, 0, 1)]
