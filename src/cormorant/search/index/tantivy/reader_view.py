"""Search view of a reader: the documents that the reader sees, and the rarity of words in them.

The engine weighs a word by its rarity among all documents, so a score could reveal to readers whether documents that
they may not see hold a word. Here rarity is counted over the reader's documents, and the engine's own is divided out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import tantivy
from tantivy import Occur, Query

from cormorant.model.acl import Reader
from cormorant.search.index.compounds import language_of
from cormorant.search.index.document import IndexedDocument
from cormorant.search.index.filter_fields import UNKNOWN, exact
from cormorant.search.index.query import Field, Key

_MOST_SOURCES = 10_000
_MOST_TAGS = 1_000
"""Sources, and languages of each source, that are counted separately."""
Clause = tuple[Occur, Query]

RAREST = 22.0
"""The greatest rarity of a word: in one of 2^31 documents. It also limits words side by side."""

_RANKED = (Field.TITLE, Field.TEXT)
_REMEMBERED = 10_000


class Forms(NamedTuple):
    """Other forms of a word, or compounds that have it as a part, in documents of a language."""

    language: str
    words: tuple[str, ...]


class ReaderView:
    """One reader's view of one committed state of the index.

    `clauses` go into every query: any of the grants, none of the denies. They add nothing to a score.
    """

    def __init__(self, searcher: tantivy.Searcher, schema: tantivy.Schema, reader: Reader, slots: int) -> None:
        self._searcher = searcher
        self._schema = schema
        self._slots = slots
        principals = [exact(each) for each in sorted(reader.principals)]
        grants = self.terms("grant", principals)
        self.clauses: list[Clause] = [
            (Occur.Must, tantivy.Query.const_score_query(grants, 0.0)),
            (Occur.MustNot, self.terms("deny", principals)),
        ]
        self.documents = self._count([])
        self._complete = self.documents == searcher.num_docs - 1  # all but the mark
        self._counts: dict[str, int] = {}
        self.alike: dict[str, tuple[str, ...]] = {}
        """Words spelled nearly like a word, in documents that this reader may see."""
        self.forms: dict[str, tuple[Forms, ...]] = {}
        """Other forms of words, in documents that this reader may see."""
        self.compounds: dict[str, tuple[Forms, ...]] = {}
        """Compounds that have words as a part, likewise."""

    @property
    def query(self) -> Query:
        """The query for all documents that the reader may see."""
        return tantivy.Query.boolean_query(self.clauses)

    def terms(self, name: str, values: list[str]) -> Query:
        """Return a query for any of these exact values; a query for one term is faster than a set of one."""
        if len(values) == 1:
            return tantivy.Query.term_query(self._schema, name, values[0], "basic")
        return tantivy.Query.term_set_query(self._schema, name, values)

    @cached_property
    def _filed(self) -> dict[str, dict[str, int]]:
        """The number of the reader's documents in each language, by source."""
        by_language = {"terms": {"field": str(Key.LANGUAGE), "size": _MOST_TAGS}}
        asked = {"source": {"terms": {"field": str(Key.SOURCE), "size": _MOST_SOURCES}, "aggs": {"tag": by_language}}}
        found = self._searcher.aggregate(self.query, asked)["source"]["buckets"]
        return {
            str(one["key"]): {str(each["key"]): each["doc_count"] for each in one["tag"]["buckets"]} for one in found
        }

    @cached_property
    def spoken(self) -> Mapping[str, int]:
        """The number of the reader's documents in each language that has stemming rules or compounds."""
        counts = Counter[str]()
        for tags in self._filed.values():
            counts.update({tag: count for tag, count in tags.items() if tag == language_of(tag)})
        return counts

    @cached_property
    def assumed(self) -> Mapping[str, str]:
        """The assumed language of documents in an unknown language, by source.

        It is the prevailing language of the source, or of all sources if the source has no other; "" for none.
        """
        found = {}
        for source, tags in self._filed.items():
            if UNKNOWN in tags:
                own = {tag: count for tag, count in tags.items() if tag in self.spoken}
                found[source] = most_spoken(own or self.spoken)
        return found

    def language_of(self, entry: IndexedDocument) -> str:
        """Return the language whose rules apply to an entry, "" for none."""
        return language_of(entry.language) if entry.language else self.assumed.get(exact(entry.source), "")

    def rarity(self, words: list[str]) -> float:
        """Return the inverse document frequency of words side by side, among the reader's documents."""
        return min(sum(map(self._one, words)), RAREST)

    def rarity_of_any(self, words: Sequence[str]) -> float:
        """Return the inverse document frequency of any of these words, as if no document held two of them."""
        holding = sum(self.holding(word) for word in words)
        return min(_inverse(holding, self.documents), RAREST)

    def scale(self, words: list[str], field: Field, rarity: float | None = None) -> float:
        """Return the factor that replaces the engine's rarity by this view's, or by the one given."""
        engine = sum(_inverse(self._searcher.doc_freq(field, word), self._slots) for word in words)
        return (self.rarity(words) if rarity is None else rarity) / engine

    def stands(self, word: str, field: Field) -> bool:
        """Say whether any document, whoever may read it, has a word in a field; if not, the query can leave it out."""
        return self._searcher.doc_freq(field, word) > 0

    def holding(self, word: str) -> int:
        """Return the number of the reader's documents that hold a word, in the field where more do."""
        known = self._counts.get(word)
        if known is None:
            if len(self._counts) >= _REMEMBERED:
                self._counts.clear()
            known = self._counts[word] = max(self._holding(word, field) for field in _RANKED)
        return known

    def _one(self, word: str) -> float:
        """Return the inverse document frequency of one word."""
        return _inverse(self.holding(word), self.documents)

    def _holding(self, word: str, field: Field) -> int:
        """Return the number of the reader's documents that hold a word in a field."""
        if self._complete:
            return self._searcher.doc_freq(field, word)
        return self._count([(Occur.Must, tantivy.Query.term_query(self._schema, field, word, "basic"))])

    def _count(self, clauses: list[Clause]) -> int:
        """Return the number of the reader's documents that match."""
        return total_of(self._searcher.search(tantivy.Query.boolean_query([*clauses, *self.clauses]), 1))


def most_spoken(counts: Mapping[str, int]) -> str:
    """Return the language of most documents, "" for none."""
    return max(counts, key=lambda each: (counts[each], each), default="")


def total_of(result: Any) -> int:
    """Return the number of documents that a search matched, a field missing in the library's types."""
    return int(result.count)


def _inverse(holding: int, documents: int) -> float:
    """Return BM25's inverse document frequency, as the engine computes it: more than 0."""
    holding = min(holding, documents)
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))
