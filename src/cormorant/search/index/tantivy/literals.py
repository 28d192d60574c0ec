"""Documents that hold an identifier of a query as it was typed, and the points that they get for it.

The points rank such a document before all that hold only the words of the identifier, however many other words of the
query these hold. A compound of plain words (`zero-copy`) is only a spelling: it decides between documents that hold the
same number of words.
"""

from __future__ import annotations

from typing import Final

import tantivy

from cormorant.search.index import query as ask
from cormorant.search.index.identifiers import Identifier, identifiers
from cormorant.search.index.query import Field, Search, Sort
from cormorant.search.index.tantivy.schema import texts_of

COMPOUND: Final = 100.0
"""Points of a compound beside other words: more than any number of occurrences adds, less than one more word."""
MOST_LOOKED_AT: Final = 300
"""Documents whose stored texts are searched for an identifier, the best matches first: 30 ms."""
MOST_READ: Final = 30_000_000
"""Characters of stored texts that are searched for an identifier."""


def asked(search: Search) -> tuple[Identifier, ...]:
    """Return the identifiers of a search that is sorted by relevance."""
    if search.sort is not Sort.RELEVANCE:
        return ()
    found = (
        each
        for leaf in ask.leaves(search.query)
        if isinstance(leaf, ask.QueryWord | ask.Phrase | ask.Near) and leaf.field in (None, Field.TITLE, Field.TEXT)
        for each in identifiers(leaf.text)
    )
    return tuple(dict.fromkeys(found))


def worth(identifier: Identifier, search: Search, word: float) -> float:
    """Return the points of an identifier if one more matching word is worth `word`."""
    root = search.query
    optional = len(root.should) if isinstance(root, ask.Clauses) else 1
    if not identifier.is_compound or optional <= 1:
        return max(1, optional) * word * identifier.share
    return COMPOUND if optional <= search.weights.strict_words else 0.0


def narrowed(query: ask.Query, identifier: Identifier) -> ask.Query:
    """Narrow a query to documents with the words of an identifier side by side in their title or text."""
    text = " ".join(identifier.words)
    return ask.And((query, ask.Or((ask.Phrase(text, Field.TEXT), ask.Phrase(text, Field.TITLE)))))


def holding(searcher: tantivy.Searcher, query: tantivy.Query, identifier: Identifier) -> tuple[int, ...]:
    """Return the ids of documents that a query finds, and that hold an identifier as it is."""
    left, found = MOST_READ, list[int]()
    for _, address in searcher.search(query, MOST_LOOKED_AT, count=False).hits:
        number, texts = texts_of(searcher.doc(address))
        left -= sum(map(len, texts))
        if identifier.stands_in(texts):
            found.append(number)
        if left < 0:
            break
    return tuple(found)
