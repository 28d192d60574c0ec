"""Which matches make a page, when equal documents and near copies count once and matches may come in groups?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice
from typing import Any, TypeVar

from cormorant.index.query import GROUP_HITS

T = TypeVar("T")
Place = tuple[int, int, int]
"""The number of a match, and how many more are folded into it: of equal content, and nearly the same."""
Worth = Callable[[Sequence[int]], Sequence[Any]]
"""Says of some matches which is the least, the one that is shown.

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
    """Matches, equal ones folded: under which key each folds, how many do, and the key of its content alone."""

    folds: Sequence[int | None]
    copies: Mapping[int | None, int]
    contents: Sequence[int | None]

    @property
    def distinct(self) -> int:
        """How many matches are left: those of one key count once, and those without a key each."""
        loose = self.copies.get(None, 0)
        return len(self.copies) + (loose - 1 if loose else 0)

    def twins(self) -> list[int]:
        """Return the numbers of the matches that have an equal among the others."""
        if len(self.copies) == len(self.folds):
            return []
        several = {fold for fold, copies in self.copies.items() if copies > 1 and fold is not None}
        return [number for number, fold in enumerate(self.folds) if fold in several]

    def kept(self, order: Iterable[int], worth: Worth) -> Iterator[Place]:
        """Yield what is left of matches in their order."""
        shown: dict[int, Place] = {}
        for number in order:
            fold = self.folds[number]
            copies = self.copies[fold]
            if fold is None or copies == 1:
                yield number, 0, 0
                continue
            if fold not in shown:
                shown[fold] = self._least(fold, copies, worth)
            if shown[fold][0] == number:
                yield shown[fold]

    def _least(self, fold: int, copies: int, worth: Worth) -> Place:
        """Return the one that is shown of those that fold under a key."""
        numbers: list[int] = []
        for _ in range(copies):
            numbers.append(self.folds.index(fold, numbers[-1] + 1 if numbers else 0))
        least = min(zip(worth(numbers), numbers, strict=True))[1]
        equal = sum(self.contents[number] == self.contents[least] for number in numbers)
        return least, equal - 1, copies - equal


def folded(contents: Sequence[int | None], nears: Sequence[int | None] = ()) -> Folded:
    """Fold matches, of each of which the key of its content is known, None: it folds with no other.

    `nears` are the classes of what is nearly the same, None: of none. What is in a class folds with that alone, so that
    it depends on no third match whether two are one, and counts are of what is found when a question is narrowed.
    """
    if nears.count(None) == len(nears):
        return Folded(contents, Counter(contents), contents)
    pairs = zip(contents, nears, strict=True)
    folds = [content if content is None or near is None else near for content, near in pairs]
    return Folded(folds, Counter(folds), contents)


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
