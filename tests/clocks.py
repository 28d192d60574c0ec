"""A clock for tests, so that none has to wait."""

from __future__ import annotations


class Hands:
    """A clock that is set by hand; it goes on by `step_s` whenever somebody measures an interval."""

    def __init__(self, at: float = 1_000.0, step_s: float = 0.0) -> None:
        self.at, self._step_s = at, step_s

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        self.at += self._step_s
        return self.at
