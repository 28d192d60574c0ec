"""Spelling correction: a query with its misspelt words replaced by words of documents that the reader may read.

A word that finds something by its forms, or in another usual spelling, is not misspelt. Words with digits are not
corrected: another number means another thing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from cormorant.search.index import query as ask
from cormorant.search.index.protocol import IndexReader
from cormorant.search.index.query import Query, Search
from cormorant.search.index.tokenizer import words
from cormorant.search.query.filters import within
from cormorant.search.query.render import render

_RUN: Final = re.compile(r"[^\W_]+")


def better(query: Query, index: IndexReader, search: Search, places: Sequence[Query], total: int) -> str | None:
    """Return a corrected query that finds at least `total`, as it could be typed; None if there is none, or no need.

    `search` has the reader, and `query` is narrowed to `places`. A misspelt word is corrected however many documents
    are found: among several words, the one that no document contains may be the one that matters.
    """

    def finds(other: Query) -> int:
        return index.search(replace(search, query=within(other, places), limit=0)).total

    everywhere = replace(search, query=ask.Everything(), limit=0, offset=0, group=None)

    def mend(word: str) -> str:
        near = index.alike(word, search.reader) if word.isalpha() else ()
        return index.spelling(near[0], everywhere) if near and not finds(ask.QueryWord(word)) else word

    mended = _mended(query, mend)
    if mended == query or finds(mended) < max(total, 1):
        return None
    return render(mended)


def _mended(node: Query, mend: Callable[[str], str]) -> Query:
    """Return a part of a query with its misspelt words corrected; a part that must not match is left unchanged."""

    def again(parts: Sequence[Query]) -> tuple[Query, ...]:
        return tuple(_mended(each, mend) for each in parts)

    match node:
        case ask.QueryWord() | ask.Phrase():
            return replace(node, text=_RUN.sub(lambda run: _word(run[0], mend), node.text))
        case ask.And() | ask.Or():
            return replace(node, parts=again(node.parts))
        case ask.Clauses():
            return replace(node, must=again(node.must), should=again(node.should))
        case _:
            return node


def _word(run: str, mend: Callable[[str], str]) -> str:
    """Correct a run of letters and digits; a run of several words of the index, as of Chinese, is left unchanged."""
    own = words(run)
    if len(own) != 1:
        return run
    mended = mend(own[0])
    return run if mended == own[0] else mended
