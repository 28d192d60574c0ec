"""Facet requests: the number of matches for each value of a facet.

A count is the total that the search would have if it were narrowed to this value, with equal documents counted once. A
document with several values counts for each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cormorant.search.index.attribute_terms import months_of
from cormorant.search.index.query import Key

Counts = dict[str, int]
"""Number of matches by value; values without matches are left out."""


@dataclass(frozen=True, slots=True)
class ByKey:
    """Count by the values of a key. Values with a name in `names` are counted together under that name."""

    key: Key
    names: Mapping[str, str] = field(default_factory=dict)

    def sorts(self, values: Iterable[str]) -> frozenset[str]:
        """Return the facet values under which a document with these values of the key is counted."""
        return frozenset(self.names.get(each, each) for each in values)


@dataclass(frozen=True, slots=True)
class Since:
    """Count documents changed at or after each of these moments (epoch seconds), by name."""

    moments: Mapping[str, float]

    def sorts(self, modified_at: float | None) -> frozenset[str]:
        """Return the names under which a document changed at this time is counted."""
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
        """The name of the indexed values that are counted."""
        return months_of(self.name) if self.by_month else self.name


Split = ByKey | Since | ByAttribute
