"""What a store knows of a site, without one."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from cormorant.base.errors import Unreachable
from cormorant.frontier.queue import seen_lookup
from cormorant.frontier.queue.seen_urls import SeenUrls
from cormorant.store.db.database import Tx


class Books:
    """Knows these keys, of whatever site, and writes down what it is asked. `away`: it does not answer."""

    def __init__(self, keys: Iterable[int] = ()) -> None:
        self.keys = set(keys)
        self.asked: list[list[int]] = []
        self.away = False

    def among(self, site: int, keys: Sequence[int]) -> set[int]:
        """Those of these keys that it knows."""
        assert site
        self._answer()
        self.asked.append(list(keys))
        return self.keys.intersection(keys)

    def _answer(self) -> None:
        if self.away:
            raise Unreachable("It does not answer.")


def every(tx: Tx, site: int) -> array[int]:
    """All keys that the store knows of a site, in rising order."""
    some = seen_lookup.page(tx, site)
    keys = array("q", some)
    while len(some) == seen_lookup.AT_ONCE:
        some = seen_lookup.page(tx, site, some[-1])
        keys.extend(some)
    return keys


def nothing_seen() -> SeenUrls:
    """What a process knows whose store knows nothing."""
    return SeenUrls(Books())
