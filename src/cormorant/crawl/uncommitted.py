"""What has the index taken that it has not committed, and what waits until it has?

Other anchors, links or another class can be written only on what is committed. Were there a commit for each document
that is told of them soon after it came, a crawl of many near copies would make twice the segments it needs. So these
wait for the commit that is due, which is placed before them: after a crash they come again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cormorant.index.entry import Relink

if TYPE_CHECKING:
    from cormorant.index.entry import Change


class Uncommitted:
    """What came after the last commit: so many `events`, so many `bytes` of text, the first at `since`."""

    def __init__(self) -> None:
        self.events, self.bytes, self.since = 0, 0, 0.0
        self._applied: set[int] = set()
        self._waiting: dict[int, tuple[int, Relink]] = {}

    def add(self, events: int, size: int, now: float) -> None:
        """Count what came."""
        if not self.events:
            self.since = now
        self.events += events
        self.bytes += size

    def sift(self, changes: Iterable[tuple[int, Change]]) -> list[Change]:
        """Return what can be applied, of changes with the numbers of their events; the later for a document wins."""
        ready: list[Change] = []
        for number, change in changes:
            if isinstance(change, Relink) and change.id in self._applied:
                self._waiting[change.id] = number, change
                continue
            self._waiting.pop(change.id, None)
            self._applied.add(change.id)
            ready.append(change)
        return ready

    def place(self, upto: int) -> int:
        """Return up to which event all was applied, when events up to that one came."""
        return min((number - 1 for number, _ in self._waiting.values()), default=upto)

    def committed(self) -> list[Change]:
        """Begin anew after a commit; returns what waited for it, to be applied and added."""
        ready: list[Change] = [change for _, change in self._waiting.values()]
        self.events, self.bytes = 0, 0
        self._applied, self._waiting = {each.id for each in ready}, {}
        return ready
