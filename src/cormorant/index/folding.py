"""Which matches make a page, when equal documents count once and matches may come in groups?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, islice
from typing import Any, TypeVar

from cormorant.index.query import GROUP_HITS

T = TypeVar("T")
Place = tuple[int, int]
"""The number of a match, and how many more are folded into it."""


def ties_by_id(values: Sequence[Hashable], ids: Sequence[int]) -> Iterator[int]:
    """Yield the numbers of ranked matches in their final order: as ranked by `values`, equal ones by id.

    Lazy, because a page is the beginning of thousands.
    """
    for _, run in groupby(range(len(values)), key=values.__getitem__):
        yield from sorted(run, key=ids.__getitem__)


def distinct(folds: Sequence[int | None]) -> int:
    """Return how many matches there are when those of one key count once, and those without a key each."""
    without = folds.count(None)
    return without + len(set(folds)) - (without > 0)


@dataclass(frozen=True, slots=True)
class Folded:
    """Ranked matches, equal ones folded: under which key each folds, how many do, and which one is shown of several."""

    folds: Sequence[int | None]
    copies: Mapping[int | None, int] = field(default_factory=dict)
    shown: Mapping[int | None, int] = field(default_factory=dict)

    def kept(self, order: Iterable[int]) -> Iterator[Place]:
        """Yield what is left of matches in their order."""
        for number in order:
            fold = self.folds[number]
            if self.shown.get(fold, number) == number:
                yield number, self.copies.get(fold, 1) - 1


def folded(folds: Sequence[int | None], worth: Callable[[Sequence[int]], Sequence[Any]]) -> Folded:
    """Fold matches. `worth` says of some of them which is the least, the one shown; of those that have an equal."""
    copies = Counter[int | None](fold for fold in folds if fold is not None)
    several = [number for number, fold in enumerate(folds) if copies[fold] > 1]
    shown: dict[int | None, int] = {}
    least: dict[int | None, Any] = {}
    for number, own in zip(several, worth(several) if several else (), strict=True):
        fold = folds[number]
        if fold not in least or own < least[fold]:
            least[fold], shown[fold] = own, number
    return Folded(folds, copies, shown)


def page(kept: Iterable[T], offset: int, limit: int) -> list[T]:
    """Return one page of what is left after folding, or of its groups."""
    return list(islice(kept, offset, offset + limit))


def groups(kept: Iterable[Place], values: Sequence[Hashable], most: int) -> list[list[Place]]:
    """Return what is left after folding by the values of its matches, the best `most` of each; no value: by itself."""
    found: dict[object, list[Place]] = {}
    for place in kept:
        value = values[place[0]]
        group = found.setdefault(place if value is None else value, [])
        if len(group) < most:
            group.append(place)
    return list(found.values())


def in_groups(kept: Iterable[Place], values: Sequence[Hashable], offset: int, limit: int) -> tuple[list[Place], int]:
    """Return the matches of one page of groups, and how many groups there are."""
    found = groups(kept, values, GROUP_HITS)
    return list(chain.from_iterable(page(found, offset, limit))), len(found)
