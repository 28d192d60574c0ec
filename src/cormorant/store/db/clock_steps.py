"""Clock steps: detects whether the clock of the store was set.

Only then does it go otherwise than the monotonic clock of this process.

A lease of a minute written before somebody set the clock an hour forward looks as if it had run out long ago, one
written before it was set back as if it lasted for hours. So whoever asks what has run out is told as of the clock that
it was written by.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from cormorant.base.clock import Clock

STEP_S: Final = 1.0
"""What the two clocks may differ by from one look to the next, as the database may take as long to answer."""
LONG_S: Final = 10.0
"""Who has not looked for so long may have slept while the clock was set and set right again."""
KEPT: Final = 64
"""Steps that are remembered: of a clock that is set all the time the newest."""


class ClockStep(NamedTuple):
    """The clock was set by so many seconds; `at` is when that was noticed (monotonic seconds)."""

    at: float
    by: float


class Steady:
    """Compares the clock of the store with the one of this process, whenever it is told what the former shows.

    `total` is by how much the clock was set in all, `set_back` how often it was set back; what happened before the
    first look nobody knows.
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
        """Return whether the clock was set since this process first looked at it. It may have been set right again."""
        return bool(self._steps)

    def now(self) -> float:
        """Return the time of the store's clock (epoch seconds) by the last look at it; before that, ours."""
        return self._clock.now() if self._apart is None else self._clock.monotonic() + self._apart

    def doubt(self) -> None:
        """Take it for possible that the clock was set just before, and whenever nobody here has looked for long."""
        self._doubts_from = self._clock.monotonic()

    def doubts(self, seconds: float) -> bool:
        """Return whether the clock may have been set unnoticed in the last `seconds`."""
        return self._doubts_from is not None and self._clock.monotonic() - self._doubts_from < seconds

    def look(self, now: float) -> None:
        """The clock of the store shows `now` (epoch seconds)."""
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
        """By how much the clock is ahead at most of the one by which something was written in the last `seconds`.

        0 when it was not set forward in that time.
        """
        since, behind, most = self._clock.monotonic() - seconds, 0.0, 0.0
        for step in reversed(self._steps):
            if step.at < since:
                break
            behind += step.by
            most = max(most, behind)
        return most


class ServerClock:
    """The clock of a database server, for what is dated without asking it each time."""

    def __init__(self, clock: Clock, steady: Steady) -> None:
        self._clock, self._steady = clock, steady

    def now(self) -> float:
        """Epoch seconds, by the last look."""
        return self._steady.now()

    def monotonic(self) -> float:
        """Seconds of this machine, never going back."""
        return self._clock.monotonic()
