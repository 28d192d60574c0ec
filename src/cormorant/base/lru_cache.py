"""Bounded cache of recent values, for keys that a crawl produces without limit, like origins with a robots.txt."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

V = TypeVar("V")


class LruCache(Generic[V]):
    """Values by name, limited in number and in bytes; the least recently used value is removed first.

    The newest stays whatever its size.
    """

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._kept: OrderedDict[str, tuple[V, int]] = OrderedDict()
        self._bytes = 0

    def get(self, name: str) -> V | None:
        """Return the value of a name and mark it as used; None if it is unknown."""
        found = self._kept.get(name)
        if found is None:
            return None
        self._kept.move_to_end(name)
        return found[0]

    def put(self, name: str, value: V, size_bytes: int = 0) -> None:
        """Store a value, replacing an older one of its name."""
        _, before = self._kept.pop(name, (None, 0))
        self._kept[name] = value, size_bytes
        self._bytes += size_bytes - before
        while len(self._kept) > self._most or (self._bytes > self._most_bytes and len(self._kept) > 1):
            _, (_, freed) = self._kept.popitem(last=False)
            self._bytes -= freed
