"""Reciprocal rank fusion: one order from several lists whose scores cannot be compared.

Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods"
(SIGIR 2009): a result counts 1 / (60 + rank) for each list it stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Final, TypeVar

T = TypeVar("T")

RANK_CONSTANT: Final = 60
"""The constant of the paper: the first ranks of a list count little more than those that follow."""


def fuse(lists: Sequence[Sequence[T]], key: Callable[[T], Hashable]) -> list[T]:
    """Return every result once, the best first; of two with equal points, the one of the earlier list.

    Results with the same key are merged into that of the first list that has it.
    """
    points: dict[Hashable, float] = {}
    found: dict[Hashable, T] = {}
    for ranked in lists:
        seen = set[Hashable]()
        for rank, each in enumerate(ranked, 1):
            name = key(each)
            if name in seen:
                continue
            seen.add(name)
            found.setdefault(name, each)
            points[name] = points.get(name, 0.0) + 1 / (RANK_CONSTANT + rank)
    order = sorted(found, key=lambda name: -points[name])  # stable, so the earlier list comes first
    return [found[name] for name in order]
