"""Query compiler of the embedded engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, assert_never

import tantivy
from tantivy import FieldType, Occur

from cormorant.search.index import query as ask
from cormorant.search.index.attribute_terms import named, range_terms
from cormorant.search.index.filter_fields import exact
from cormorant.search.index.identifiers import Identifier
from cormorant.search.index.query import Field, Key, Number
from cormorant.search.index.static_score import Prior, ScoreStep, steps
from cormorant.search.index.tantivy.dictionary import Dictionary
from cormorant.search.index.tantivy.literals import COMPOUND, asked, worth
from cormorant.search.index.tantivy.reader_view import RAREST, Clause, ReaderView
from cormorant.search.index.tantivy.schema import (
    ATTRIBUTE_NUMBER,
    ATTRIBUTE_VALUE,
    ATTRIBUTE_WORDS,
    GREATEST_ID,
    NAMES,
    PRIORS,
)
from cormorant.search.index.tantivy.term_queries import TIE, Leaves
from cormorant.search.index.tokenizer import words

_Q = tantivy.Query

MOST_OF_A_WORD = 2.2 * RAREST
"""The most that a word in a field of weight 1 adds: BM25 gives 2.2 times its rarity (k1 = 1.2, and once)."""
WORDS_FIRST = 2000.0
"""The least points of one more matching word among few: more than the sum of all other parts of a score.

With the weights of the product (5 for title, text and anchors) a document that lacks the fifth of five words gets at
most 1,258 for its four words with their forms (see `words_first`), 73 for their three pairs and 5 for the static score:
1,336 in all. Weights that an administrator has raised may raise it.
"""


def words_first(weights: ask.Weights) -> float:
    """Return the points of one more matching word among few, so that a document with more of them always ranks first.

    A word matches as itself, as forms or in compounds; the best counts in full, the others together by TIE.
    """
    fewer = max(0, weights.strict_words - 1)
    forms = 1 + TIE * (weights.form + weights.compound)
    word = MOST_OF_A_WORD * forms * sum(map(weights.of, Field))
    pairs = max(0, fewer - 1) * MOST_OF_A_WORD * weights.pair
    rest = fewer * (word + COMPOUND) + pairs + sum(map(weights.prior, Prior))
    return max(WORDS_FIRST, 500.0 * (math.floor(rest / 500.0) + 1))


Literal = Callable[[Identifier], Sequence[int]]
"""Returns the ids of documents that hold an identifier with marks within as it was typed."""


def _nowhere(identifier: Identifier) -> Sequence[int]:  # noqa: ARG001 - the shape of Literal
    return ()


class Extra(NamedTuple):
    """A query that adds to a score beside the words, and the words that it concerns."""

    about: str
    query: tantivy.Query


class Compiler:
    """Compiles queries to those of the engine, for one reader's view."""

    def __init__(
        self,
        schema: tantivy.Schema,
        sight: ReaderView,
        dictionary: Dictionary,
        weights: ask.Weights,
        literal: Literal = _nowhere,
    ) -> None:
        self._schema = schema
        self._literal = literal
        self._sight = sight
        self._weights = weights
        self.leaves = Leaves(schema, sight, dictionary, weights)

    def whole(self, search: ask.Search) -> tantivy.Query:
        """Return the engine's query for a whole search: matches, their ranking, and the reader's access."""
        root = search.query
        asked = self._ranked(root) if isinstance(root, ask.Clauses) else self.part(root)
        clauses: list[Clause] = [(Occur.Must, asked), *self._sight.clauses]
        if search.hidden:
            clauses.append((Occur.MustNot, self._ids(map(str, search.hidden))))
        if search.limit:
            clauses += [(Occur.Should, each) for _, _, each in self.priors(search)]
            clauses += [(Occur.Should, each.query) for each in self.spelled(search)]
        return _Q.boolean_query(clauses)

    def spelled(self, search: ask.Search) -> list[Extra]:
        """Return the queries that boost documents with identifiers of the search as they were typed."""
        found = []
        for each in asked(search):
            if each.is_name:
                held = _Q.term_query(self._schema, NAMES, each.text, "basic")
            else:
                held = self._ids(map(str, self._literal(each)))
            points = worth(each, search, words_first(self._weights))
            found.append(Extra(each.text, _Q.const_score_query(held, points)))
        return found

    def priors(self, search: ask.Search) -> list[tuple[Prior, ScoreStep, tantivy.Query]]:
        """Return the parts of the static score: a query for each step."""
        return [
            (
                prior,
                step,
                _Q.const_score_query(self._step(search, prior, step), step.share * self._weights.prior(prior)),
            )
            for prior, step in steps(search)
        ]

    def one(self, query: tantivy.Query, number: int) -> tantivy.Query:
        """Return a query for one document if it matches another query, with the score of that query."""
        clauses: list[Clause] = [(Occur.Must, query), (Occur.Must, self._silent_id(number))]
        return _Q.boolean_query(clauses)

    def part(self, node: ask.Query) -> tantivy.Query:
        """Return the engine's query for a part of a search."""
        match node:
            case ask.QueryWord() | ask.Phrase() | ask.Near() | ask.Prefix() | ask.Pattern() | ask.Like():
                return self.leaves.of(node)
            case ask.Exact() | ask.Range() | ask.AttributeMatch() | ask.AttributeRange():
                return _Q.const_score_query(self._place(node), 0.0)
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
                return self._clauses(node, [(Occur.Should, self.part(each)) for each in node.should])
        assert_never(node)

    def _place(self, node: ask.Exact | ask.Range | ask.AttributeMatch | ask.AttributeRange) -> tantivy.Query:
        """Return a query for a filter."""
        match node:
            case ask.Exact():
                return self._exact(node)
            case ask.Range():
                return self._range(node)
            case ask.AttributeMatch():
                return self._attribute(node)
            case ask.AttributeRange():
                return self._sight.terms(ATTRIBUTE_NUMBER, range_terms(node))
        assert_never(node)

    def worths(self, root: ask.Clauses) -> list[Extra]:
        """Return what each optional word of the outermost clauses adds if it matches, beside its score.

        Up to `strict_words` words all add the same; beyond, each adds by its rarity. A single word adds nothing.
        """
        should = root.should
        if len(should) < 2:
            return []
        few, first = len(should) <= self._weights.strict_words, words_first(self._weights)
        worths = [first if few else self._weights.rare_word * self.leaves.rarity(each) for each in should]
        return [
            Extra(getattr(each, "text", ""), _Q.const_score_query(_Q.all_query(), worth))
            for each, worth in zip(should, worths, strict=True)
        ]

    def pairs(self, root: ask.Clauses) -> list[Extra]:
        """Return the queries that boost documents in which neighbouring words of the search stand side by side."""
        if not self._weights.pair or len(root.should) < 2:
            return []
        free = [words(each.text) if isinstance(each, ask.QueryWord) and not each.field else [] for each in root.should]
        return [
            Extra(" ".join(pair), self.leaves.phrase(Field.TEXT, pair, self._weights.pair))
            for first, second in pairwise(free)
            if len(pair := [*first[-1:], *second[:1]]) == 2
        ]

    def _ranked(self, root: ask.Clauses) -> tantivy.Query:
        """Return the query for the outermost clauses, where the number of optional words that match counts."""
        parts = [self.part(each) for each in root.should]
        if worths := self.worths(root):
            parts = [
                _Q.boolean_query([(Occur.Must, part), (Occur.Must, worth.query)])
                for part, worth in zip(parts, worths, strict=True)
            ]
        optional: list[Clause] = [(Occur.Should, each) for each in parts]
        return self._clauses(root, optional + [(Occur.Should, each.query) for each in self.pairs(root)])

    def _must(self, node: ask.Query) -> Clause:
        """Return the clause for a part that has to match."""
        if isinstance(node, ask.Not):
            return Occur.MustNot, self.part(node.part)
        return Occur.Must, self.part(node)

    def _clauses(self, node: ask.Clauses, optional: list[Clause]) -> tantivy.Query:
        """Return the query for clauses whose optional parts are already compiled."""
        required = [self._must(each) for each in node.must]
        forbidden: list[Clause] = [(Occur.MustNot, self.part(each)) for each in node.never]
        if node.needs_one and optional:
            return _boolean([(Occur.Must, _Q.boolean_query(optional)), *required, *forbidden])
        return _boolean([*required, *optional, *forbidden])

    def _step(self, search: ask.Search, prior: Prior, step: ScoreStep) -> tantivy.Query:
        """Return a query for the documents in one step of the static score."""
        if prior is Prior.LANGUAGE:
            return self._sight.terms(Key.LANGUAGE, [exact(each) for each in search.languages])
        if len(step.values) == 1:
            return _Q.term_query(self._schema, PRIORS[prior], step.values[0], "basic")
        return _Q.term_set_query(self._schema, PRIORS[prior], step.values)

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
        """Return a query for documents with one of these values of a key."""
        if node.key is Key.ID:
            return self._ids(node.values)
        if node.key in (Key.CONTENT, Key.NEAR):
            return self._equals("fold" if node.key is Key.CONTENT else "near", node.values)
        return self._sight.terms(node.key, [exact(value) for value in node.values])

    def _attribute(self, node: ask.AttributeMatch) -> tantivy.Query:
        """Return a query for documents by the values of an attribute."""
        if not node.texts:
            terms = named(node.name, "").replace(".", r"\.") + ".*"
            fields = (ATTRIBUTE_WORDS, ATTRIBUTE_VALUE)
            return _Q.boolean_query([(Occur.Should, _Q.regex_query(self._schema, each, terms)) for each in fields])
        if node.whole:
            return self._sight.terms(ATTRIBUTE_VALUE, [exact(named(node.name, text)) for text in node.texts])
        texts = [[named(node.name, word) for word in words(text)] for text in node.texts]
        asked: list[Clause] = [(Occur.Should, self._side_by_side(terms)) for terms in texts if terms]
        return _Q.boolean_query(asked) if asked else _Q.empty_query()

    def _side_by_side(self, terms: list[str]) -> tantivy.Query:
        if len(terms) == 1:
            return _Q.term_query(self._schema, ATTRIBUTE_WORDS, terms[0], "basic")
        return _Q.phrase_query(self._schema, ATTRIBUTE_WORDS, [*terms])

    def _equals(self, column: str, values: Sequence[str]) -> tantivy.Query:
        """Return a query for documents that fold under one of these keys of a column."""
        keys = [int(value) for value in values if value.removeprefix("-").isdecimal()]
        return _Q.boolean_query(
            [(Occur.Should, _Q.range_query(self._schema, column, FieldType.Integer, key, key)) for key in keys]
        )

    def _silent_id(self, number: int) -> tantivy.Query:
        """Return a query for a document that adds nothing to its score."""
        return _Q.const_score_query(_Q.term_query(self._schema, "id", number), 0.0)

    def _ids(self, values: Sequence[str] | map[str]) -> tantivy.Query:
        """Return a query for these ids; a value that is no id finds nothing."""
        ids = [int(value) for value in values if value.isdecimal() and int(value) <= GREATEST_ID]
        return _Q.term_set_query(self._schema, "id", ids)


def _silent_everything() -> tantivy.Query:
    """Return a query that matches all documents and adds nothing to their scores."""
    return _Q.const_score_query(_Q.all_query(), 0.0)


def _boolean(clauses: list[Clause]) -> tantivy.Query:
    """Return a boolean query; one with only negated clauses matches all other documents, unlike the engine's."""
    if all(occur == Occur.MustNot for occur, _ in clauses):
        clauses = [(Occur.Must, _silent_everything()), *clauses] if clauses else [(Occur.Must, _Q.empty_query())]
    return _Q.boolean_query(clauses)
