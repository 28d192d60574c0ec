"""Term queries of the embedded engine: words, phrases, prefixes, patterns and similar words."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import permutations
from typing import assert_never

import tantivy
from tantivy import Occur

from cormorant.search.index import query as ask
from cormorant.search.index.filter_fields import UNKNOWN
from cormorant.search.index.identifiers import variants
from cormorant.search.index.query import Field, Key
from cormorant.search.index.tantivy.dictionary import MOST_FORMS, Dictionary
from cormorant.search.index.tantivy.reader_view import Forms, ReaderView
from cormorant.search.index.tokenizer import words

_Q = tantivy.Query
_WILD = re.compile(r"([*?])")
_WILDCARDS = {"*": ".*", "?": "."}
MOST_ORDERED = 3
"""Words near each other that match in any order; more words match only in the order of the query."""
VARIANT = 0.5
"""Weight of another usual spelling of a number or a version."""
_TOGETHER = 0.5
"""Term frequency factor of words that are looked up as one set, where BM25 gives from 0 to 2.2."""
TIE = 0.3
"""Weight of the lesser of a word and its best form, if a document holds both."""


class Leaves:
    """Compiles leaves to queries of the engine, for one reader's view."""

    def __init__(self, schema: tantivy.Schema, sight: ReaderView, dictionary: Dictionary, weights: ask.Weights) -> None:
        self._schema = schema
        self._sight = sight
        self._dictionary = dictionary
        self._weights = weights

    def of(self, node: ask.Leaf) -> tantivy.Query:
        """Return a query for a leaf in all fields that it searches."""
        parts = self.by_field(node)
        return _Q.boolean_query([(Occur.Should, one) for _, one in parts]) if parts else _Q.empty_query()

    def by_field(self, node: ask.Leaf) -> list[tuple[Field, tantivy.Query]]:
        """Return a query for a leaf in each field that it searches; the leaf adds the sum of their scores."""
        found, make = words(node.text), self._maker(node)
        if not found and not isinstance(node, ask.Pattern):
            return []
        return [
            (field, make(field, found, self._weights.of(field) or 1.0)) for field in self._weights.fields(node.field)
        ]

    def _maker(self, node: ask.Leaf) -> Callable[[Field, list[str], float], tantivy.Query]:
        """Return the function that builds the query for a leaf in one field, from its words and the field's weight."""
        match node:
            case ask.QueryWord():
                return partial(self._word, others=variants(node.text))
            case ask.Phrase():
                return self.phrase
            case ask.Near():
                return partial(self._near, within=node.within)
            case ask.Prefix():
                return self._prefix
            case ask.Pattern():
                return partial(self._pattern, node.text)
            case ask.Like():
                return partial(self._like, edits=node.edits)
        assert_never(node)

    def rarity(self, node: ask.Query) -> float:
        """Return the rarity of an optional part."""
        if isinstance(node, ask.QueryWord) and len(found := words(node.text)) == 1:
            return self._sight.rarity_of_any([*self._group(found[0]), *self._compounds(found[0])])
        return self._sight.rarity(words(node.text)) if isinstance(node, ask.QueryWord | ask.Phrase | ask.Near) else 1.0

    def phrase(self, field: Field, found: list[str], weight: float) -> tantivy.Query:
        """Return a query for words side by side; the engine's phrase query takes two at least."""
        if len(found) == 1:
            made = _Q.term_query(self._schema, field, found[0])
        else:
            made = _Q.phrase_query(self._schema, field, list(found))
        return _Q.boost_query(made, weight * self._sight.scale(found, field))

    def _group(self, word: str) -> list[str]:
        """Return a word with its other forms, if these have a weight."""
        return [word, *(other for each in self._forms(word) for other in each.words)]

    def _forms(self, word: str) -> tuple[Forms, ...]:
        """Return the other forms of a word in the reader's documents."""
        return self._dictionary.forms(word, self._sight) if self._weights.form else ()

    def _joined(self, word: str) -> tuple[Forms, ...]:
        """Return compounds that have a word as a part, in the reader's documents."""
        return self._dictionary.compounds(word, self._sight) if self._weights.compound else ()

    def _compounds(self, word: str) -> list[str]:
        """Return the compounds with a word, of all languages."""
        return [other for each in self._joined(word) for other in each.words]

    def _word(self, field: Field, found: list[str], weight: float, *, others: list[list[str]]) -> tantivy.Query:
        """Return a query for a word as typed, or in one of the `others` spellings: other words side by side."""
        made = self._inflected(field, found, weight)
        if not others:
            return made
        varied = [self.phrase(field, each, weight * VARIANT) for each in others]
        return _Q.disjunction_max_query([made, *varied])

    def _inflected(self, field: Field, found: list[str], weight: float) -> tantivy.Query:
        """Return a query for a word, its forms or its compounds, or for the pieces of a split word side by side."""
        if len(found) != 1 or not (self._forms(found[0]) or self._joined(found[0])):
            return self.phrase(field, found, weight)
        group = self._group(found[0])
        rarity = self._sight.rarity_of_any(group)
        parts = [self._term(field, found[0], weight, rarity)]
        for each in self._forms(found[0]):
            parts += self._others(field, each, weight * self._weights.form, rarity)
        rarity = self._sight.rarity_of_any([*group, *self._compounds(found[0])])
        for each in self._joined(found[0]):
            parts += self._others(field, each, weight * self._weights.compound, rarity)
        return _Q.disjunction_max_query(parts, TIE)

    def _others(self, field: Field, forms: Forms, weight: float, rarity: float) -> list[tantivy.Query]:
        """Return queries for the other forms of a word, in documents of their language; the best of them counts.

        Of many forms, the rarest are looked up as one set and all count the same.
        """
        there = [other for other in forms.words if self._sight.stands(other, field)]
        held = [self._term(field, other, weight, rarity) for other in there[:MOST_FORMS]]
        if rest := there[MOST_FORMS:]:
            together = _Q.term_set_query(self._schema, field, rest)
            held.append(_Q.const_score_query(together, weight * rarity * _TOGETHER))
        return self._spoken(forms, _Q.disjunction_max_query(held)) if held else []

    def _term(self, field: Field, word: str, weight: float, rarity: float) -> tantivy.Query:
        """Return a query for one word with a given rarity."""
        scale = self._sight.scale([word], field, rarity)
        return _Q.boost_query(_Q.term_query(self._schema, field, word), weight * scale)

    def _spoken(self, forms: Forms, best: tantivy.Query) -> list[tantivy.Query]:
        """Restrict a query for these forms to documents in their language; no document matches two of the results.

        A document in an unknown language has the assumed language of its source (`ReaderView.assumed`). Each language
        is a query of its own, and only if there are others: the engine would read a set of two from end to end.
        """
        assumed, language = self._sight.assumed, forms.language
        others = {each for each in assumed.values() if each != language}
        if not others and self._dictionary.primary <= {language, UNKNOWN}:
            return [best]
        filed: list[list[tantivy.Query]] = [[self._sight.terms(Key.LANGUAGE, [language])]]
        if sources := [source for source, each in assumed.items() if each == language]:
            unknown = self._sight.terms(Key.LANGUAGE, [UNKNOWN])
            filed.append([unknown, self._sight.terms(Key.SOURCE, sources)] if others else [unknown])
        return [
            _Q.boolean_query([(Occur.Must, best), *((Occur.Must, _Q.const_score_query(each, 0.0)) for each in some)])
            for some in filed
        ]

    def _near(self, field: Field, found: list[str], weight: float, *, within: int) -> tantivy.Query:
        """Return a query for words with at most `within` others between them, a few in any order; each counts once.

        The words themselves are scored. The engine would count their nearness starting from the rarest word among all
        documents, including those that the reader may not see, so that count is not used.
        """
        found = list(dict.fromkeys(found))
        if len(found) == 1:
            return self.phrase(field, found, weight)
        orders = permutations(found) if len(found) <= MOST_ORDERED else [found]
        near = _Q.disjunction_max_query([_Q.phrase_query(self._schema, field, list(each), within) for each in orders])
        scored = [self._term(field, word, weight, self._sight.rarity([word])) for word in found]
        return _Q.boolean_query([(Occur.Must, each) for each in (_Q.const_score_query(near, 0.0), *scored)])

    def _prefix(self, field: Field, found: list[str], weight: float) -> tantivy.Query:
        """Return a query for a prefix, the last of `found`; the other words must stand side by side anywhere."""
        begins = _Q.const_score_query(_Q.regex_query(self._schema, field, f"{found[-1]}.*"), weight)
        return self._with_others(field, found, weight, begins)

    def _like(self, field: Field, found: list[str], weight: float, *, edits: int) -> tantivy.Query:
        """Return a query for words similar to the last of `found`; the others must stand side by side anywhere."""
        like = _Q.const_score_query(_Q.fuzzy_term_query(self._schema, field, found[-1], edits), weight)
        same = _Q.const_score_query(_Q.term_query(self._schema, field, found[-1]), weight)
        return self._with_others(field, found, weight, _Q.boolean_query([(Occur.Must, like), (Occur.Should, same)]))

    def _with_others(self, field: Field, found: list[str], weight: float, last: tantivy.Query) -> tantivy.Query:
        if len(found) == 1:
            return last
        return _Q.boolean_query([(Occur.Must, last), (Occur.Must, self.phrase(field, found[:-1], weight))])

    def _pattern(self, text: str, field: Field, _found: list[str], weight: float) -> tantivy.Query:
        """Return a query for words that match a pattern."""
        return _Q.const_score_query(_Q.regex_query(self._schema, field, as_regex(text)), weight)


def as_regex(pattern: str) -> str:
    """Return a pattern as a regular expression for words as the index has them: folded piece by piece."""
    made = ""
    for piece in _WILD.split(pattern):
        made += _WILDCARDS.get(piece) or "".join(map(re.escape, words(piece)))
    return made
