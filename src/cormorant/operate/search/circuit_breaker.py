"""Circuit breaker: rests a server that keeps failing, and tries it with one request after a while.

    CLOSED --three failures in a row--> OPEN --rest is over, one request--> HALF_OPEN --answer--> CLOSED
       ^                                  ^                                    |
       '-- an answer ends the row         '------- failure: twice the rest ----'

Michael Nygard, "Release It!" (2007), the stability pattern of that name.
"""

from __future__ import annotations

import threading
from enum import StrEnum
from typing import Final

FAILURES: Final = 3
"""Failures in a row after which a server rests."""
REST_S: Final = 30.0
MOST_REST_S: Final = 600.0


class BreakerState(StrEnum):
    """State of a breaker: its server is asked, rests, or is tried with one request."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class CircuitBreaker:
    """The breaker of one server. Several threads may use it; times are those of a monotonic clock."""

    def __init__(self) -> None:
        self.state = BreakerState.CLOSED
        self._lock = threading.Lock()
        self._failures = 0
        self._rest_s = REST_S
        self._until = 0.0

    def admit(self, now: float) -> float:
        """Return 0 if the server may be asked, else the seconds that it still rests.

        Each request that is let through ends with `succeeded`, `failed` or `dropped`.
        """
        with self._lock:
            if self.state is BreakerState.CLOSED:
                return 0.0
            if self.state is BreakerState.OPEN and now >= self._until:
                self.state = BreakerState.HALF_OPEN
                return 0.0
            return max(self._until - now, 1.0)

    def succeeded(self) -> None:
        """Record that the server answered."""
        with self._lock:
            self.state, self._failures, self._rest_s = BreakerState.CLOSED, 0, REST_S

    def failed(self, now: float, rest_s: float | None = None) -> None:
        """Record a failure; `rest_s` is the time for which the server asks to be left alone, None if it gives none."""
        with self._lock:
            self._failures += 1
            again = self.state is BreakerState.HALF_OPEN
            if not again and rest_s is None and self._failures < FAILURES:
                return
            if again:
                self._rest_s = min(2 * self._rest_s, MOST_REST_S)
            if self.state is not BreakerState.OPEN:
                self.state = BreakerState.OPEN
                self._until = now + min(max(self._rest_s, rest_s or 0.0), MOST_REST_S)

    def dropped(self, now: float) -> None:
        """Record that an admitted request was not sent."""
        with self._lock:
            if self.state is BreakerState.HALF_OPEN:
                self.state, self._until = BreakerState.OPEN, now
