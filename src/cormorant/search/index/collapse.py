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
"""Returns sort keys of matches; of equal matches the one with the least key is shown.

It is called only for matches that have an equal, and only once a page reaches one of them: a page is the beginning
of thousands.
"""


def ties_by_id(values: Sequence[Hashable], ids: Callable[[Sequence[int]], Sequence[Any]]) -> Iterator[int]:
    """Yield the numbers of ranked matches in their final order: as ranked by `values`, equal ones by id.

    Lazy, because a page is the beginning of thousands: ids are read only where there is a tie that the page reaches.
    """
    for _, run in groupby(range(len(values)), key=values.__getitem__):
        tied = list(run)
        yield from tied if len(tied) == 1 else (number for _, number in sorted(zip(ids(tied), tied, strict=True)))


@dataclass(frozen=True, slots=True)
class Folded:
    """Matches with equal ones folded: the key each folds under, counts by key, keys of contents, and classes."""

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
        """Yield the matches that remain after folding, in their order.

        Of matches that fold together, one with the best score is shown, in its own place; of those equal to it, the one
        of least worth. `scores` are those of the matches, best first; without them all matches are equally good.
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
        """Return the match that is shown for all that fold with `first`, the first of them in order."""
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
    """Fold matches by the keys of their contents; a match whose key is None folds with no other.

    `nears` are their classes of near duplicates, None for no class. Matches of equal content fold into one, and so do
    matches of one class; so two classes that share equal documents fold into one.
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
    """Return the keys under which matches fold if both keys of each pair mean the same; None equals only None."""
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
    first = min(offset, sys.maxsize - limit)  # islice takes no more, and no list is as long
    return list(islice(kept, first, first + limit))


def groups(kept: Iterable[Place], values: Sequence[Hashable], most: int) -> list[list[Place]]:
    """Group folded matches by value, with the best `most` of each; a match without a value is a group by itself."""
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
