"""Clock steps: detects that the clock of the store was set, by the monotonic clock of this process.

A lease of a minute written before the clock was set an hour forward looks expired; one written before the clock was set
back seems to last for hours. So expiry is judged by the clock that wrote the lease.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from cormorant.base.clock import Clock

STEP_S: Final = 1.0
"""Seconds that the clocks may drift apart between two readings, since the database may take as long to answer."""
LONG_S: Final = 10.0
"""After a longer time without a reading the clock may have been set twice unnoticed, as during a suspend."""
KEPT: Final = 64
"""Steps that are remembered: the newest ones."""


class ClockStep(NamedTuple):
    """The clock was set by `by` seconds; `at` is when that was noticed (monotonic seconds)."""

    at: float
    by: float


class Steady:
    """Compares the clock of the store with the monotonic clock, at each reading of the former.

    `total` is the sum of all steps, `set_back` the number of steps backwards; steps before the first reading are
    unknown.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._apart: float | None = None
        self._looked_at = clock.monotonic()
        self._steps: deque[ClockStep] = deque(maxlen=KEPT)
        self.total, self.set_back = 0.0, 0
        self._doubts_from: float | None = None

    @property
    def was_set(self) -> bool:
        """Return whether the clock was set since its first reading. It may have been corrected since."""
        return bool(self._steps)

    def now(self) -> float:
        """Return the time of the store's clock (epoch seconds) by its last reading; before that, ours."""
        return self._clock.now() if self._apart is None else self._clock.monotonic() + self._apart

    def doubt(self) -> None:
        """Assume that the clock may have been set just before, and during long times without a reading."""
        self._doubts_from = self._clock.monotonic()

    def doubts(self, seconds: float) -> bool:
        """Return whether the clock may have been set unnoticed in the last `seconds`."""
        return self._doubts_from is not None and self._clock.monotonic() - self._doubts_from < seconds

    def look(self, now: float) -> None:
        """Take a reading of the store's clock (epoch seconds)."""
        at = self._clock.monotonic()
        if self._doubts_from is not None and at - self._looked_at > LONG_S:
            self._doubts_from = at
        self._looked_at = at
        apart = now - at
        by = 0.0 if self._apart is None else apart - self._apart
        self._apart = apart
        if abs(by) > STEP_S:
            self._steps.append(ClockStep(at, by))
            self.total += by
            self.set_back += by < 0

    def ahead(self, seconds: float) -> float:
        """Return how far the clock is at most ahead of the clock that wrote a row in the last `seconds`.

        0 if it was not set forward in that time.
        """
        since, behind, most = self._clock.monotonic() - seconds, 0.0, 0.0
        for step in reversed(self._steps):
            if step.at < since:
                break
            behind += step.by
            most = max(most, behind)
        return most


class ServerClock:
    """The clock of a database server, for dates that need no query."""

    def __init__(self, clock: Clock, steady: Steady) -> None:
        self._clock, self._steady = clock, steady

    def now(self) -> float:
        """Return epoch seconds, by the last reading."""
        return self._steady.now()

    def monotonic(self) -> float:
        """Return seconds of this machine that never go back."""
        return self._clock.monotonic()
