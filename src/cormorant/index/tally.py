"""How many matches are there of each sort? What is asked, and how equal documents are counted once.

A count says how many matches a search would have that were narrowed to this sort, equal documents counted once, as in
its total. So one that several sorts hold counts in each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cormorant.index.query import Key

Counts = dict[str, int]
"""How many there are of each sort; what there is none of is not named."""


@dataclass(frozen=True, slots=True)
class ByKey:
    """Count by the values of a key. Values to which `names` gives a name count together under that."""

    key: Key
    names: Mapping[str, str] = field(default_factory=dict)

    def sorts(self, values: Iterable[str]) -> frozenset[str]:
        """Return as what a document counts that is filed under these values."""
        return frozenset(self.names.get(each, each) for each in values)


@dataclass(frozen=True, slots=True)
class Since:
    """Count what was changed at each of these moments or after it; by name, in epoch seconds."""

    moments: Mapping[str, float]

    def sorts(self, modified_at: float | None) -> frozenset[str]:
        """Return as what a document counts that was changed then."""
        if modified_at is None:
            return frozenset()
        return frozenset(name for name, moment in self.moments.items() if modified_at >= moment)


Split = ByKey | Since


def once(held: Iterable[tuple[frozenset[str], int | None]]) -> Counter[str]:
    """Count documents by sort, given for each its sorts and under which key it folds, None: with no other."""
    seen: set[tuple[str, int]] = set()
    counts = Counter[str]()
    for sorts, fold in held:
        if fold is not None:
            sorts = frozenset(each for each in sorts if (each, fold) not in seen)
            seen.update((each, fold) for each in sorts)
        counts.update(sorts)
    return counts


def repeated(held: Iterable[tuple[frozenset[str], int]]) -> Counter[str]:
    """Count by sort how often a document of it repeats another one of the same sort."""
    counts = Counter((sort, fold) for sorts, fold in held for sort in sorts)
    surplus = Counter[str]()
    for (sort, _), count in counts.items():
        surplus[sort] += count - 1
    return surplus
