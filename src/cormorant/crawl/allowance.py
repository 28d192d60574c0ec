"""How many documents may this process still fetch for a run that has a limit?

The processes share what is left; every share is rounded up, so that whoever has the last sites can finish: a run may
fetch one document too many for each process but the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many documents a run may fetch (`most`, None: any number), what other processes did, and how many share."""

    most: int | None = None
    by_others: int = 0
    peers: int = 1

    def left(self, here: int) -> float:
        """How many more this process may fetch, which has fetched `here`: its share of what is left, rounded up."""
        return inf if self.most is None else -(-(self.most - self.by_others - here) // self.peers)
