"""Weighted queues of the visits waiting at a site, in levels that take turns so that none starves.

    before all levels --> highest 16, high 8, normal 4, low 2, lowest 1 of 31 visits --> behind all levels

An empty level leaves its turn to the others. Turns are spread as evenly as possible: each time, every waiting level
gets its share in credit, and the level with the most credit pays for all (smooth weighted round-robin, as nginx uses
for upstream servers).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain

from cormorant.model.resource import Resource
from cormorant.model.settings.priority import Shares


class Queues:
    """The queues of one source at one site, in as many parts as `priority.spans` has.

    A part in `read_out` has no more rows to read.
    """

    def __init__(self, shares: Shares) -> None:
        self._shares = shares
        self.parts: list[deque[Resource]] = [deque() for _ in range(len(shares) + 2)]
        self.read_out: set[int] = set()
        self._credit = [0] * len(shares)

    def __len__(self) -> int:
        """Return the number of waiting visits."""
        return sum(map(len, self.parts))

    def __iter__(self) -> Iterator[Resource]:
        """Iterate over all waiting visits, level by level."""
        return chain.from_iterable(self.parts)

    def short(self, least: int) -> list[int]:
        """Return the parts with fewer waiting visits that have more rows to read."""
        return [n for n, part in enumerate(self.parts) if len(part) < least and n not in self.read_out]

    @property
    def exhausted(self) -> bool:
        """Return whether no part has more rows to read."""
        return len(self.read_out) == len(self.parts)

    def appendleft(self, resource: Resource) -> None:
        """Put a visit back, which is then the next."""
        self.parts[0].appendleft(resource)

    def popleft(self) -> Resource:
        """Return the next visit. Raises IndexError if none waits."""
        before, *levels, behind = self.parts
        if before:
            return before.popleft()
        at = self._turn(levels)
        return behind.popleft() if at is None else levels[at].popleft()

    def _turn(self, levels: Sequence[deque[Resource]]) -> int | None:
        """Return the level whose turn it is, None if all are empty."""
        waiting = [n for n, queue in enumerate(levels) if queue]
        if not waiting:
            return None
        for n in waiting:
            self._credit[n] += self._shares[n]
        best = max(waiting, key=lambda n: (self._credit[n], -n))
        self._credit[best] -= sum(self._shares[n] for n in waiting)
        return best

    def remove(self, resource: Resource) -> None:
        """Remove a visit. Raises ValueError if it does not wait."""
        next((part for part in self.parts if resource in part), self.parts[0]).remove(resource)

    def clear(self) -> None:
        """Remove all waiting visits."""
        for part in self.parts:
            part.clear()
