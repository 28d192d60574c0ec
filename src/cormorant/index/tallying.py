"""How does the embedded engine count matches by sort, and under which value of a key is a document filed?

The engine counts documents in its columns, however many match. What equal documents are too many there is taken off
again: only those that have an equal among the matches are looked at one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import tantivy

from cormorant.index.keys import filed_under
from cormorant.index.query import MOST_RANKED, Key, Number
from cormorant.index.sight import total_of
from cormorant.index.tally import ByKey, Counts, Split, repeated

MOST_VALUES = 10_000
"""Values of a key that are counted, those first that most documents have."""


class Columns:
    """The columns of one committed state."""

    def __init__(self, searcher: tantivy.Searcher, schema: tantivy.Schema) -> None:
        self._searcher = searcher
        self._schema = schema

    def tally(self, query: tantivy.Query, splits: Sequence[Split], *, fold: bool) -> list[Counts]:
        """Count by sort what a query matches, for each split; equal documents once among MOST_RANKED matches or less.

        Of more than that each is counted.
        """
        asked = {str(number): _asked(split) for number, split in enumerate(splits)}
        answer = self._searcher.aggregate(query, asked) if asked else {}
        counts = [_counted(split, answer[str(number)]["buckets"]) for number, split in enumerate(splits)]
        equals = self._equals(query) if fold else {}
        for split, found in zip(splits, counts, strict=True) if equals else ():
            found.subtract(repeated(self._sorted(split, equals)))
        return [{sort: count for sort, count in found.items() if count > 0} for found in counts]

    def own(self, key: Key, ids: Sequence[int]) -> dict[int, str | None]:
        """Return under which value of a key each of these documents is filed first: its own host, not its domain."""
        if not ids:
            return {}
        query = tantivy.Query.term_set_query(self._schema, "id", list(ids))
        found = self._searcher.search(query, len(ids), order_by_field=key, order=tantivy.Order.Asc).hits
        numbers = self.numbers("id", [address for _, address in found])
        return {int(number or 0): value for number, (value, _) in zip(numbers, found, strict=True)}

    def numbers(self, name: str, addresses: Sequence[Any]) -> Sequence[float | None]:
        """Return what stands in a column of numbers for each of these documents."""
        return self._searcher.fast_field_values(name, list(addresses))

    def _equals(self, query: tantivy.Query) -> dict[int, int]:
        """Return the ids of matches that have an equal among them, each with the key under which it folds.

        None are returned when there are too many matches to look at each.
        """
        result = self._searcher.search(query, MOST_RANKED, order_by_field="id", order=tantivy.Order.Asc)
        if total_of(result) > MOST_RANKED:
            return {}
        addresses = [address for _, address in result.hits]
        folds = self.numbers("fold", addresses)
        counts = Counter(folds)
        twice = [number for number, fold in enumerate(folds) if fold is not None and counts[fold] > 1]
        ids = self.numbers("id", [addresses[number] for number in twice])
        return {int(id_ or 0): int(folds[number] or 0) for id_, number in zip(ids, twice, strict=True)}

    def _sorted(self, split: Split, equals: Mapping[int, int]) -> Iterator[tuple[frozenset[str], int]]:
        """Yield as what each of these documents counts, with the key under which it folds."""
        if isinstance(split, ByKey):
            for id_, value in self.own(split.key, list(equals)).items():
                yield split.sorts(filed_under(split.key, value)), equals[id_]
            return
        query = tantivy.Query.term_set_query(self._schema, "id", list(equals))
        addresses = [address for _, address in self._searcher.search(query, len(equals), order_by_field="id").hits]
        ids, moments = self.numbers("id", addresses), self.numbers(Number.MODIFIED, addresses)
        for number, moment in zip(ids, moments, strict=True):
            yield split.sorts(moment), equals[int(number or 0)]


def _asked(split: Split) -> dict[str, Any]:
    """Return what the engine is asked for."""
    if isinstance(split, ByKey):
        return {"terms": {"field": str(split.key), "size": MOST_VALUES}}
    steps = sorted(set(split.moments.values()))
    ends: Iterable[dict[str, float]] = ({"to": each} for each in steps[1:])
    ranges = [{"from": step, **end} for step, end in zip(steps, (*ends, {}), strict=True)]
    return {"range": {"field": str(Number.MODIFIED), "ranges": ranges}}


def _counted(split: Split, buckets: Sequence[Mapping[str, Any]]) -> Counter[str]:
    """Return counts by sort of what the engine counted; what it counts between two moments is after all before."""
    counts = Counter[str]()
    for bucket in buckets:
        sorts = split.sorts([bucket["key"]]) if isinstance(split, ByKey) else split.sorts(bucket.get("from"))
        for sort in sorts:
            counts[sort] += bucket["doc_count"]
    return counts
