"""Queries that an index can answer.

    Search = a query, by a Reader, over what is not hidden
    Query  = Clauses (must, should, never) over
             And, Or, Not over
             Word, Phrase, Near, Prefix, Pattern, Like (in analysed fields), Exact (in keys), Range (of numbers),
             AttributeMatch, AttributeRange (in attributes), Everything, Nothing

Texts in a query are as a person wrote them; the index splits and folds them as it did the documents. Every index
matches the same documents. Scores may differ between indexes, but up to `Weights.strict_words` words a document with
more of the words always ranks first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from cormorant.model.acl import Reader


class Field(StrEnum):
    """Analysed fields: they hold words. A leaf without a field means those whose weight is not zero."""

    TITLE = "title"
    HEADINGS = "headings"
    TEXT = "text"
    ANCHORS = "anchors"
    ADDRESS = "address"


class Key(StrEnum):
    """Fields with exact values; see `filter_fields`.

    CONTENT is the key under which equal documents fold, NEAR the class of near duplicates.
    """

    SOURCE = "source"
    SITE = "site"
    MIME = "mime"
    LANGUAGE = "language"
    ID = "id"
    CONTENT = "content"
    NEAR = "near"


class Number(StrEnum):
    """The numeric fields of range queries: change time (epoch seconds), size in bytes, steps from a start."""

    MODIFIED = "modified_at"
    SIZE = "size_bytes"
    DEPTH = "depth"


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One word as typed, or another form of it by the rules of the document's language, which counts less.

    In a language with compounds, a compound with the word as its first or last part matches too, and counts less.
    The pieces of a word that the tokenizer splits (`foo-bar`, a word of Chinese) must stand side by side.
    """

    text: str
    field: Field | None = None


@dataclass(frozen=True, slots=True)
class Phrase:
    """These words side by side in this order."""

    text: str
    field: Field | None = None


@dataclass(frozen=True, slots=True)
class Prefix:
    """A word that begins so."""

    text: str
    field: Field | None = None


@dataclass(frozen=True, slots=True)
class Near:
    """These words with at most so many others between them in all: two or three in any order, more in this one."""

    text: str
    within: int
    field: Field | None = None


@dataclass(frozen=True, slots=True)
class Pattern:
    """A word with wildcards: `*` stands for any letters, `?` for one."""

    text: str
    field: Field | None = None


@dataclass(frozen=True, slots=True)
class Like:
    """A word that differs in at most so many letters: one left out, put in, replaced, or changed with its neighbour."""

    text: str
    edits: int
    field: Field | None = None


@dataclass(frozen=True, slots=True)
class Range:
    """From `low` to `high`, both included; None: no bound. It is a filter and adds nothing to the score."""

    number: Number
    low: float | None = None
    high: float | None = None


MOST_RANKED = 10_000
"""Number of best matches that are folded exactly and can be reached by paging."""


@dataclass(frozen=True, slots=True)
class Exact:
    """The key has one of these values. It is a filter and adds nothing to the score."""

    key: Key
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AttributeMatch:
    """A value of an attribute with the words of any of these texts side by side; `whole`: one of these values.

    Without texts, any value with words or that can be chosen. It is a filter and adds nothing to the score. Names of
    attributes are compared without regard to case.
    """

    name: str
    texts: tuple[str, ...]
    whole: bool = False


@dataclass(frozen=True, slots=True)
class AttributeRange:
    """A number of an attribute from `low` to `high`, both included; None: no bound. `is_date`: it is epoch seconds."""

    name: str
    low: float | None = None
    high: float | None = None
    is_date: bool = False


@dataclass(frozen=True, slots=True)
class Everything:
    """Every document the reader may see."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """No document."""


@dataclass(frozen=True, slots=True)
class And:
    """All of the parts."""

    parts: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Any of the parts."""

    parts: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Every document that the part does not match."""

    part: Query


@dataclass(frozen=True, slots=True)
class Clauses:
    """All of `must`, none of `never`, and the more of `should` the better.

    At least one of `should` has to match if `least` is 1, or if `must` has only negated parts.
    """

    must: tuple[Query, ...] = ()
    should: tuple[Query, ...] = ()
    never: tuple[Query, ...] = ()
    least: int = 0

    @property
    def needs_one(self) -> bool:
        """Return whether one of `should` has to match."""
        return self.least > 0 or all(isinstance(each, Not) for each in self.must)


Leaf = QueryWord | Phrase | Near | Prefix | Pattern | Like
Query = Leaf | Exact | Range | AttributeMatch | AttributeRange | Everything | Nothing | And | Or | Not | Clauses


def leaves(node: Query) -> Iterator[Leaf]:
    """Yield the leaves that a match may hold, in the order they were written; not those that must be absent."""
    match node:
        case QueryWord() | Phrase() | Near() | Prefix() | Pattern() | Like():
            yield node
        case And() | Or():
            for part in node.parts:
                yield from leaves(part)
        case Clauses():
            for part in (*node.must, *node.should):
                yield from leaves(part)
        case Exact() | Range() | AttributeMatch() | AttributeRange() | Everything() | Nothing() | Not():
            return
        case _:
            assert_never(node)


@dataclass(frozen=True, slots=True)
class Weights:
    """The ranking weights of fields and word forms.

    These are neutral; the product's are in `search/weights.py`.

    `title` to `address`: factor of a match in that field; a field of weight 0 is searched only if named. `form`: weight
    of another form of a word; with 0 only the word itself is found; `compound`: the same for a compound that has the
    word as a part.
    `strict_words`: up to this number of optional words, the number of matching words decides before anything else;
    beyond, each matching word adds its rarity times `rare_word`. `pair`: factor of two such words side by side.
    `links`, `depth`, `recency`, `language`: the most that each adds to the score of a document (`static_score`).
    """

    title: float = 1.0
    headings: float = 0.0
    text: float = 1.0
    anchors: float = 0.0
    address: float = 0.0
    form: float = 0.0
    compound: float = 0.0
    strict_words: int = 5
    rare_word: float = 1.0
    pair: float = 0.0
    links: float = 0.0
    depth: float = 0.0
    recency: float = 0.0
    language: float = 0.0

    def of(self, field: Field) -> float:
        """Return the factor of a field."""
        factor: float = getattr(self, field)
        return factor

    def prior(self, name: str) -> float:
        """Return the weight of a part of the static score: the most that it adds."""
        most: float = getattr(self, name)
        return most

    def fields(self, named: Field | None) -> tuple[Field, ...]:
        """Return the fields to search for a leaf that names this field, or none."""
        return (named,) if named else tuple(each for each in Field if self.of(each))


class Sort(StrEnum):
    """The order of matches; titles are ordered by their words, without regard to case and accents.

    Documents without a date, or without words in their title, come last; ties are broken by id.
    """

    RELEVANCE = "relevance"
    NEWEST = "newest"
    OLDEST = "oldest"
    TITLE = "title"


GROUP_HITS = 3
"""Hits of one group in an answer."""


@dataclass(frozen=True, slots=True)
class Search:
    """A search of an index. Every search has a Reader.

    `hidden` are ids that must not be found though the index still holds them. With `fold`, documents of equal content
    or of one class are one match, in its own place: the representative of equal documents (`filter_fields.standing`),
    or, if sorted by relevance, the best match of a class. `limit` may be 0, to count. `today` is the moment (epoch
    seconds) from which the age of documents is counted, and `languages` are the preferred ones, as keys; without them,
    age and language add nothing to scores. With `group`, matches come in groups of one value of that key, in the order
    of the best of each, at most GROUP_HITS of them, and `limit` and `offset` count groups. A match without a value is a
    group by itself.
    """

    query: Query
    reader: Reader
    limit: int = 10
    offset: int = 0
    sort: Sort = Sort.RELEVANCE
    hidden: frozenset[int] = frozenset()
    fold: bool = True
    weights: Weights = Weights()
    group: Key | None = None
    today: float | None = None
    languages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.reader, Reader):
            raise TypeError("An index answers a Reader, nobody else.")
        if self.limit < 0 or self.offset < 0:
            raise ValueError("limit and offset count from 0.")
