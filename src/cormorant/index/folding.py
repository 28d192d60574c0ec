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


def ties_by_id(values: Sequence[Hashable], ids: Sequence[Any]) -> Iterator[int]:
    """Yield the numbers of ranked matches in their final order: as ranked by `values`, equal ones by id.

    Lazy, because a page is the beginning of thousands.
    """
    for _, run in groupby(range(len(values)), key=values.__getitem__):
        yield from sorted(run, key=ids.__getitem__)


def distinct(folds: Sequence[int | None]) -> int:
    """Return how many matches there are when those of one key count once, and those without a key each."""
    different = set(folds)
    return len(different) + (folds.count(None) - 1 if None in different else 0)


@dataclass(frozen=True, slots=True)
class Folded:
    """Ranked matches, equal ones folded: under which key each folds, and how many do.

    `worth` says of some of them which is the least, the one that is shown. It is asked only of those that have an
    equal, and only when one of them is come to: a page is the beginning of thousands.
    """

    folds: Sequence[int | None]
    worth: Callable[[Sequence[int]], Sequence[Any]]
    copies: Mapping[int | None, int] = field(default_factory=dict)

    def kept(self, order: Iterable[int]) -> Iterator[Place]:
        """Yield what is left of matches in their order."""
        shown: dict[int, int] = {}
        for number in order:
            fold = self.folds[number]
            copies = self.copies.get(fold, 1)
            if fold is None or copies == 1:
                yield number, 0
                continue
            if fold not in shown:
                shown[fold] = self._least(fold, copies)
            if shown[fold] == number:
                yield number, copies - 1

    def _least(self, fold: int, copies: int) -> int:
        """Return the number of the one that is shown of those that fold under a key."""
        numbers: list[int] = []
        for _ in range(copies):
            numbers.append(self.folds.index(fold, numbers[-1] + 1 if numbers else 0))
        return min(zip(self.worth(numbers), numbers, strict=True))[1]


def folded(folds: Sequence[int | None], worth: Callable[[Sequence[int]], Sequence[Any]]) -> Folded:
    """Fold matches; `worth` as `Folded` has it."""
    return Folded(folds, worth, {} if len(set(folds)) == len(folds) else Counter(folds))


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
