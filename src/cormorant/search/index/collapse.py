"""Collapsing of equal documents and near duplicates, and grouping, for a page of matches."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress, groupby, islice
from operator import ne
from typing import Any, TypeVar

from cormorant.search.index.query import GROUP_HITS

T = TypeVar("T")
Place = tuple[int, int, int]
"""The number of a match, and how many more are folded into it: of equal content, and nearly the same."""
Worth = Callable[[Sequence[int]], Sequence[Any]]
"""Says of some matches which is the least: of equal ones, that which is shown.

It is asked only of those that have an equal, and only when one of them is come to: a page is the beginning of
thousands.
"""


def ties_by_id(values: Sequence[Hashable], ids: Callable[[Sequence[int]], Sequence[Any]]) -> Iterator[int]:
    """Yield the numbers of ranked matches in their final order: as ranked by `values`, equal ones by id.

    Lazy, because a page is the beginning of thousands: ids are asked for where there is a tie, and one is come to.
    """
    for _, run in groupby(range(len(values)), key=values.__getitem__):
        tied = list(run)
        yield from tied if len(tied) == 1 else (number for _, number in sorted(zip(ids(tied), tied, strict=True)))


@dataclass(frozen=True, slots=True)
class Folded:
    """Matches, equal ones folded: under which key each folds, how many do, the key of its content, and its class."""

    folds: Sequence[int | None]
    copies: Mapping[int | None, int]
    contents: Sequence[int | None]
    nears: Sequence[int | None]

    @property
    def distinct(self) -> int:
        """The number of matches left: those of one key count once, those without a key each."""
        loose = self.copies.get(None, 0)
        return len(self.copies) + (loose - 1 if loose else 0)

    def twins(self) -> list[int]:
        """Return the numbers of the matches that have an equal among the others."""
        if len(self.copies) == len(self.folds):
            return []
        several = {fold for fold, copies in self.copies.items() if copies > 1 and fold is not None}
        return [number for number, fold in enumerate(self.folds) if fold in several]

    def kept(self, order: Iterable[int], worth: Worth, scores: Sequence[Hashable] = ()) -> Iterator[Place]:
        """Yield what is left of matches in their order.

        Shown of those that fold together is one of the best score, and of all that equal it the least by worth, in its
        own place. `scores` are of the matches, the first in order has the best; none: all are as good.
        """
        shown: dict[int, Place] = {}
        for number in order:
            fold = self.folds[number]
            copies = self.copies[fold]
            if fold is None or copies == 1:
                yield number, 0, 0
                continue
            if fold not in shown:
                shown[fold] = self._shown(number, worth, scores)
            if shown[fold][0] == number:
                yield shown[fold]

    def _shown(self, first: int, worth: Worth, scores: Sequence[Hashable]) -> Place:
        """Return the one that is shown of those that fold with the first of them that is come to."""
        fold, numbers = self.folds[first], list[int]()
        for _ in range(self.copies[fold]):
            numbers.append(self.folds.index(fold, numbers[-1] + 1 if numbers else 0))
        if scores and len({self.contents[number] for number in numbers}) > 1:
            best = [number for number in numbers if scores[number] == scores[first]]
            content = self.contents[_least(best, worth) if len(best) > 1 else first]
            equals = [number for number in numbers if self.contents[number] == content]
        else:
            equals = numbers
        least = _least(equals, worth)
        equal = sum(self.contents[number] == self.contents[least] for number in numbers)
        return least, equal - 1, len(numbers) - equal


def _least(numbers: Sequence[int], worth: Worth) -> int:
    return min(zip(worth(numbers), numbers, strict=True))[1] if len(numbers) > 1 else numbers[0]


def folded(contents: Sequence[int | None], nears: Sequence[int | None] = ()) -> Folded:
    """Fold matches, of each of which the key of its content is known, None: it folds with no other.

    `nears` are the classes of what is nearly the same, None: of none. What is of equal content is one, and what is of
    one class; so two classes that hold equal documents are one as wholes.
    """
    if nears.count(None) == len(nears):
        return Folded(contents, Counter(contents), contents, (None,) * len(contents))
    pairs = zip(contents, nears, strict=True)
    folds = [content if content is None or near is None else near for content, near in pairs]
    last = dict(zip(contents, folds, strict=True))
    ends = [*map(last.__getitem__, contents)]
    if ends != folds:
        folds = joined(folds, ends)
    return Folded(folds, Counter(folds), contents, nears)


def joined(keys: Sequence[int | None], others: Sequence[int | None]) -> list[int | None]:
    """Return by which keys these fold when those of each pair are one. None is one with None alone."""
    above: dict[int | None, int | None] = {}

    def top(key: int | None) -> int | None:
        while key in above:
            key = above[key]
        return key

    for one, other in compress(zip(keys, others, strict=True), map(ne, keys, others)):
        low, high = top(one), top(other)
        if low != high:
            above[low] = high
    tops = {key: top(key) for key in above}
    return [*map(tops.get, keys, keys)]


def page(kept: Iterable[T], offset: int, limit: int) -> list[T]:
    """Return one page of what is left after folding, or of its groups."""
    first = min(offset, sys.maxsize - limit)  # what can be counted to, far beyond the end of any list
    return list(islice(kept, first, first + limit))


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
