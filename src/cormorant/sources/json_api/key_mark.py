"""Key mark: the keys of a listing as a cursor remembers them, so that the next listing shows which are gone.

It is for records that a server does not name by their changes, so that each crawl lists all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, TypeVar

from cormorant.sources.json_api.source import version_of

MOST_KEYS: Final = 1_000
"""Keys that a cursor remembers; of more it has a digest, which shows only whether they are the same."""
K = TypeVar("K", int, str)


def key_mark(keys: Iterable[K]) -> list[K] | str:
    """Return the sorted keys of a listing, or their digest if there are more than MOST_KEYS."""
    found = sorted(keys)
    return found if len(found) <= MOST_KEYS else version_of(*found)


def gone_since(mark: object, keys: Collection[K]) -> list[K] | None:
    """Return the keys of a mark that a listing lacks, in order; None if the mark is a digest of other keys."""
    if isinstance(mark, list):
        return sorted(set(mark).difference(keys))
    return [] if mark == key_mark(keys) else None
