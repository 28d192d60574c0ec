"""Facts and turns of a site that a visit needs although no worker has leased it for the visit.

A redirect may lead to any.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from cormorant.model.pace import Pace


class KnownFact(NamedTuple):
    """The value of a fact, and until when it holds (epoch seconds)."""

    value: bytes
    until: float


class Beside(Protocol):
    """The facts of the installation about sites other than that of a visit, and their turns for requests."""

    def fact(self, site: str, name: str) -> KnownFact | None:
        """A fact of the site that holds for every source, None when there is none that does."""
        ...

    def learn(self, site: str, name: str, value: bytes, seconds: float) -> None:
        """Keep a fact of the site for every source, from now on."""
        ...

    async def turn(self, site: str, pace: Pace, most_s: float) -> float:
        """Wait for the next turn at the site. Returns 0.0; if that takes more than `most_s`, how many seconds."""
        ...

    def sent(self, site: str) -> None:
        """A request goes out to it now."""
        ...
