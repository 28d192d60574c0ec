"""How does the embedded engine ask what a query means?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import assert_never

import tantivy
from tantivy import FieldType, Occur

from cormorant.index import query as ask
from cormorant.index.dictionary import Dictionary
from cormorant.index.keys import exact
from cormorant.index.layout import GREATEST_ID
from cormorant.index.leaves import Leaves
from cormorant.index.query import Field, Key, Number
from cormorant.index.sight import Clause, Sight
from cormorant.index.words import words

_Q = tantivy.Query

WORDS_FIRST = 2000.0
"""What one more of few words is worth: more than all else can add up to.

A word's score is at most 2.2 times its rarity (`sight.RAREST`) times the sum of the field weights, so the four words of
a document that lacks the fifth have at most 1,162 with field weights of 6, and their three pairs 145.
"""


class Compiler:
    """Turns queries of ours into the engine's, for one reader's sight."""

    def __init__(self, schema: tantivy.Schema, sight: Sight, dictionary: Dictionary, weights: ask.Weights) -> None:
        self._schema = schema
        self._sight = sight
        self._weights = weights
        self._leaves = Leaves(schema, sight, dictionary, weights)

    def whole(self, search: ask.Search) -> tantivy.Query:
        """Return the engine's query for a whole search: what matches, ranked, as far as the reader may see it."""
        root = search.query
        asked = self._ranked(root) if isinstance(root, ask.Clauses) else self.part(root)
        clauses: list[Clause] = [(Occur.Must, asked), *self._sight.clauses]
        if search.hidden:
            clauses.append((Occur.MustNot, self._ids(map(str, search.hidden))))
        return _Q.boolean_query(clauses)

    def part(self, node: ask.Query) -> tantivy.Query:
        """Return the engine's query for a part of a search."""
        match node:
            case ask.Word() | ask.Phrase() | ask.Near() | ask.Prefix() | ask.Pattern() | ask.Like():
                return self._leaves.of(node)
            case ask.Exact():
                return _Q.const_score_query(self._exact(node), 0.0)
            case ask.Range():
                return _Q.const_score_query(self._range(node), 0.0)
            case ask.Everything():
                return _silent_everything()
            case ask.Nothing():
                return _Q.empty_query()
            case ask.And():
                return _boolean([self._must(each) for each in node.parts])
            case ask.Or():
                return _boolean([(Occur.Should, self.part(each)) for each in node.parts])
            case ask.Not():
                return _boolean([self._must(node)])
            case ask.Clauses():
                return self._clauses(node, [])
        assert_never(node)

    def _must(self, node: ask.Query) -> Clause:
        """Return the clause for a part that has to match."""
        if isinstance(node, ask.Not):
            return Occur.MustNot, self.part(node.part)
        return Occur.Must, self.part(node)

    def _clauses(self, node: ask.Clauses, extra: list[Clause]) -> tantivy.Query:
        """Return the query for clauses; `extra` are optional ones that only change the order."""
        optional: list[Clause] = [(Occur.Should, self.part(each)) for each in node.should]
        required = [self._must(each) for each in node.must]
        forbidden: list[Clause] = [(Occur.MustNot, self.part(each)) for each in node.never]
        if node.needs_one and optional:
            needed = _Q.boolean_query([*optional, *extra])
            return _boolean([(Occur.Must, needed), *required, *forbidden])
        return _boolean([*required, *optional, *extra, *forbidden])

    def _ranked(self, root: ask.Clauses) -> tantivy.Query:
        """Return the query for the outermost clauses, where the number of optional words that match counts.

        Up to `strict_words`, each is worth WORDS_FIRST; beyond, what its rarity says.
        """
        should = root.should
        if len(should) < 2:
            return self._clauses(root, [])
        few = len(should) <= self._weights.strict_words
        extra: list[Clause] = []
        for each in should:
            worth = WORDS_FIRST if few else self._weights.rare_word * self._leaves.rarity(each)
            extra.append((Occur.Should, _Q.const_score_query(self.part(each), worth)))
        return self._clauses(root, [*extra, *self._pairs(should)])

    def _pairs(self, nodes: Sequence[ask.Query]) -> list[Clause]:
        """Return clauses that lift documents in which neighbouring words of the query stand side by side."""
        if not self._weights.pair:
            return []
        free = [words(each.text) if isinstance(each, ask.Word) and not each.field else [] for each in nodes]
        return [
            (Occur.Should, self._leaves.phrase(Field.TEXT, pair, self._weights.pair))
            for first, second in pairwise(free)
            if len(pair := [*first[-1:], *second[:1]]) == 2
        ]

    def _range(self, node: ask.Range) -> tantivy.Query:
        """Return a query for documents whose number lies between two others."""
        if node.number is Number.MODIFIED:
            kind, low, high = FieldType.Float, node.low, node.high
        else:
            kind = FieldType.Integer
            low = None if node.low is None else math.ceil(node.low)
            high = None if node.high is None else math.floor(node.high)
        if low is None and high is None:
            return _Q.exists_query(node.number)
        return _Q.range_query(self._schema, node.number, kind, low, high)

    def _exact(self, node: ask.Exact) -> tantivy.Query:
        """Return a query for documents filed under one of the values."""
        if node.key is Key.ID:
            return self._ids(node.values)
        if node.key is Key.CONTENT:
            return self._equals(node.values)
        return self._sight.terms(node.key, [exact(value) for value in node.values])

    def _equals(self, values: Sequence[str]) -> tantivy.Query:
        """Return a query for documents that fold under one of these keys."""
        keys = [int(value) for value in values if value.removeprefix("-").isdecimal()]
        return _Q.boolean_query(
            [(Occur.Should, _Q.range_query(self._schema, "fold", FieldType.Integer, key, key)) for key in keys]
        )

    def _ids(self, values: Sequence[str] | map[str]) -> tantivy.Query:
        """Return a query for these ids; what is no id finds nothing."""
        ids = [int(value) for value in values if value.isdecimal() and int(value) <= GREATEST_ID]
        return _Q.term_set_query(self._schema, "id", ids)


def _silent_everything() -> tantivy.Query:
    """Return a query that matches all and says nothing about any."""
    return _Q.const_score_query(_Q.all_query(), 0.0)


def _boolean(clauses: list[Clause]) -> tantivy.Query:
    """Return a boolean query; one that only forbids matches all the rest, which the engine's would not."""
    if all(occur == Occur.MustNot for occur, _ in clauses):
        clauses = [(Occur.Must, _silent_everything()), *clauses] if clauses else [(Occur.Must, _Q.empty_query())]
    return _Q.boolean_query(clauses)
