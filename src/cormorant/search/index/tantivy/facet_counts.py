"""Facet counts of the embedded engine.

The engine counts documents in its columns, however many match. Surplus equal documents are then subtracted: only
matches with an equal among the matches are examined one by one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import tantivy

from cormorant.search.index.attribute_terms import SEPARATOR, named, values_of
from cormorant.search.index.collapse import Folded, folded
from cormorant.search.index.facet_request import ByAttribute, ByKey, Counts, Since, Split
from cormorant.search.index.filter_fields import filed_under, mark_of
from cormorant.search.index.query import MOST_RANKED, Number
from cormorant.search.index.tantivy.integrity import altered
from cormorant.search.index.tantivy.reader_view import total_of
from cormorant.search.index.tantivy.schema import ATTRIBUTE_VALUE, entry_in, own

MOST_VALUES = 10_000
"""Values of a key that are counted, the most frequent first."""


class Twins(NamedTuple):
    """Matches with an equal among the matches: their addresses, the keys of their contents, and their classes."""

    addresses: Sequence[Any]
    contents: Sequence[int | None]
    nears: Sequence[int | None]

    def surplus(self, sorts: Iterable[frozenset[str]]) -> Counter[str]:
        """Count by facet value the matches that fold into another one with that value, given the values of each."""
        found = defaultdict[str, list[int]](list)
        for number, some in enumerate(sorts):
            for sort in some:
                found[sort].append(number)
        return Counter({sort: len(numbers) - self._distinct(numbers) for sort, numbers in found.items()})

    def _distinct(self, numbers: Sequence[int]) -> int:
        contents = [self.contents[number] for number in numbers]
        return folded(contents, [self.nears[number] for number in numbers]).distinct


NO_TWINS = Twins((), (), ())


def twins_of(folds: Folded, addresses: Sequence[Any]) -> Twins:
    """Return those of these matches that have an equal among them."""
    numbers = folds.twins()
    columns = (addresses, folds.contents, folds.nears)
    return Twins(*([column[number] for number in numbers] for column in columns))


class Columns:
    """The columns of one committed state."""

    def __init__(self, searcher: tantivy.Searcher) -> None:
        self._searcher = searcher

    def tally(self, query: tantivy.Query, splits: Sequence[Split], twins: Twins) -> list[Counts]:
        """Count the matches of a query by facet value, for each split; those of `twins` that fold count as one."""
        asked = {str(number): _asked(split) for number, split in enumerate(splits)}
        answer = self._searcher.aggregate(query, asked) if asked else {}
        counts = []
        for number, split in enumerate(splits):
            buckets = answer[str(number)]["buckets"]
            found = _counted(split, buckets)
            if twins.addresses:
                found.subtract(twins.surplus(self._sorts(split, buckets, twins.addresses)))
            counts.append({sort: count for sort, count in found.items() if count > 0})
        return counts

    def numbers(self, name: str, addresses: Sequence[Any]) -> Sequence[float | None]:
        """Return the values of a column of numbers for these documents."""
        return self._searcher.fast_field_values(name, list(addresses))

    def whole(self, name: str, addresses: Sequence[Any]) -> Sequence[int | None]:
        """Return the values of a column of whole numbers; the engine guarantees their type, so none is checked."""
        return cast("Sequence[int | None]", self.numbers(name, addresses))

    def every(self, name: str, addresses: Sequence[Any]) -> Sequence[int]:
        """Return the values of a column that every document has. Raises IndexDamaged if one is missing."""
        found = self.whole(name, addresses)
        if None in found:
            raise altered()
        return cast("Sequence[int]", found)

    def twins(self, query: tantivy.Query) -> Twins:
        """Return the matches with an equal among them; none if there are too many matches to examine each."""
        result = self._searcher.search(query, MOST_RANKED, order_by_field="id", order=tantivy.Order.Asc)
        if total_of(result) > MOST_RANKED:
            return NO_TWINS
        addresses = [address for _, address in result.hits]
        return twins_of(self.folded(addresses), addresses)

    def folded(self, addresses: Sequence[Any]) -> Folded:
        """Fold documents that are equal or nearly the same."""
        return folded(self.whole("fold", addresses), self.whole("near", addresses))

    def _sorts(
        self, split: Split, buckets: Sequence[Mapping[str, Any]], addresses: Sequence[Any]
    ) -> Iterable[frozenset[str]]:
        """Return the facet values under which each of these documents is counted."""
        if isinstance(split, ByAttribute):
            return (frozenset(values_of(entry_in(self._searcher.doc(each)), split.list_name)) for each in addresses)
        if isinstance(split, Since):
            return map(split.sorts, self.numbers(Number.MODIFIED, addresses))
        values = (str(bucket["key"]) for bucket in buckets)
        known = {mark_of(value): split.sorts(filed_under(split.key, value)) for value in values}
        nothing = frozenset[str]()
        return (known.get(int(mark or 0), nothing) for mark in self.numbers(own(split.key), addresses))


def _asked(split: Split) -> dict[str, Any]:
    """Return the aggregation of a split for the engine."""
    if isinstance(split, ByKey):
        return {"terms": {"field": str(split.key), "size": MOST_VALUES}}
    if isinstance(split, ByAttribute):
        begin = named(split.list_name, "").replace(".", r"\.")
        return {"terms": {"field": ATTRIBUTE_VALUE, "size": MOST_VALUES, "include": f"{begin}.*"}}
    steps = sorted(set(split.moments.values()))
    ends: Iterable[dict[str, float]] = ({"to": each} for each in steps[1:])
    ranges = [{"from": step, **end} for step, end in zip(steps, (*ends, {}), strict=True)]
    return {"range": {"field": str(Number.MODIFIED), "ranges": ranges}}


def _counted(split: Split, buckets: Sequence[Mapping[str, Any]]) -> Counter[str]:
    """Return the engine's counts by facet value; a count between two moments counts for all earlier moments too."""
    counts = Counter[str]()
    if isinstance(split, ByAttribute):
        return Counter({str(each["key"]).partition(SEPARATOR)[2]: each["doc_count"] for each in buckets})
    for bucket in buckets:
        sorts = split.sorts([bucket["key"]]) if isinstance(split, ByKey) else split.sorts(bucket.get("from"))
        for sort in sorts:
            counts[sort] += bucket["doc_count"]
    return counts
