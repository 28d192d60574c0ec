"""Explanation of the score of a document: its parts, each computed by a query of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import tantivy

from cormorant.search.index import query as ask
from cormorant.search.index.document import IndexedDocument
from cormorant.search.index.filter_fields import read
from cormorant.search.index.protocol import COUNT, PAIR, SPELLED, Reason
from cormorant.search.index.query import Field
from cormorant.search.index.tantivy.query_compiler import Compiler
from cormorant.search.index.tantivy.term_frequency import Rules, times
from cormorant.search.index.tokenizer import places

Ask = Callable[[tantivy.Query], float | None]
"""Returns the score of the document for a query, None if it does not match."""


class Scored(NamedTuple):
    """One contribution to a score, as the index computed it."""

    what: str
    points: float
    about: str = ""
    leaf: ask.Leaf | None = None


def scored(compiler: Compiler, search: ask.Search, score: Ask) -> Iterator[Scored]:
    """Yield the contributions to the score of a document that a search finds; `score` queries that document."""
    root = search.query
    yield from _walked(compiler, root, score)
    if isinstance(root, ask.Clauses):
        for node, worth in zip(root.should, compiler.worths(root), strict=False):
            if score(compiler.part(node)) is not None:
                yield Scored(COUNT, score(worth.query) or 0.0, worth.about)
        for pair in compiler.pairs(root):
            yield Scored(PAIR, score(pair.query) or 0.0, pair.about)
    for spelled in compiler.spelled(search):
        yield Scored(SPELLED, score(spelled.query) or 0.0, spelled.about)
    for prior, _, query in compiler.priors(search):
        yield Scored(prior, score(query) or 0.0)


def _walked(compiler: Compiler, node: ask.Query, score: Ask) -> Iterator[Scored]:
    """Yield the scores of the words in a part of a query, if the whole part matches."""
    match node:
        case ask.QueryWord() | ask.Phrase() | ask.Near() | ask.Prefix() | ask.Pattern() | ask.Like():
            for field, query in compiler.leaves.by_field(node):
                yield Scored(field, score(query) or 0.0, node.text, node)
            return
        case ask.And() | ask.Or():
            parts: Iterable[ask.Query] = node.parts
        case ask.Clauses():
            parts = (*node.must, *node.should)
        case _:
            return
    if score(compiler.part(node)) is not None:
        for part in parts:
            yield from _walked(compiler, part, score)


def reasons(found: Iterable[Scored], entry: IndexedDocument, spoken: str) -> tuple[Reason, ...]:
    """Sum contributions of the same kind for an entry in this language, without those that added nothing."""
    by: dict[str, list[Scored]] = {}
    for each in found:
        if each.points:
            by.setdefault(each.what, []).append(each)
    return tuple(_reason(what, some, entry, Rules(spoken, spoken)) for what, some in by.items())


def _reason(what: str, some: list[Scored], entry: IndexedDocument, rules: Rules) -> Reason:
    count = 0
    if what in tuple(Field):
        where = places(read(entry)[Field(what)])
        leaves = {each.leaf for each in some if each.leaf is not None}
        count = sum(round(max(1.0, times(leaf, rules, where))) for leaf in leaves)
    about = tuple(dict.fromkeys(each.about for each in some if each.about))
    return Reason(what, sum(each.points for each in some), about, count)
