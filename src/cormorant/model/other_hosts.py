"""Facts and turns of an unleased site that a visit needs.

A redirect may lead to any site.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from cormorant.model.pace import Pace


class KnownFact(NamedTuple):
    """The value of a fact, and its expiry (epoch seconds)."""

    value: bytes
    until: float


class Beside(Protocol):
    """The facts of the installation about sites other than that of a visit, and their turns for requests."""

    def fact(self, site: str, name: str) -> KnownFact | None:
        """Return a fact of the site that holds for every source, None if there is no valid one."""
        ...

    def learn(self, site: str, name: str, value: bytes, seconds: float) -> None:
        """Store a fact of the site for every source."""
        ...

    async def turn(self, site: str, pace: Pace, most_s: float) -> float:
        """Wait for the next turn at the site. Returns 0.0, or the wait in seconds if it exceeds `most_s`."""
        ...

    def sent(self, site: str) -> None:
        """Record that a request to the site goes out now."""
        ...
