"""Facet requests: the number of matches for each value of a facet.

What is asked, and how equal documents are counted once.

A count says how many matches a search would have that were narrowed to this sort, equal documents counted once, as in
its total. So one that several sorts hold counts in each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cormorant.search.index.attribute_terms import months_of
from cormorant.search.index.query import Key

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


@dataclass(frozen=True, slots=True)
class ByAttribute:
    """Count by the values of an attribute that can be chosen as a whole, or by the months of its dates."""

    name: str
    by_month: bool = False

    @property
    def list_name(self) -> str:
        """The name under which an index has what is counted."""
        return months_of(self.name) if self.by_month else self.name


Split = ByKey | Since | ByAttribute
