"""Suggestions for a query while it is typed: completions of its last word, and documents with matching titles.

    "travel exp" -> narrowed by travel, words that begin with exp -> "travel expenses", "travel expense"
                    titles with travel and a word that begins with exp -> documents

The last word is completed, the others narrow: a document has to hold all of them. Every search has the reader, so a
word that occurs only in documents the reader may not see, or the store has hidden since, is never suggested.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from cormorant.search.index import query as ask
from cormorant.search.index.completion import Beginning, Begun
from cormorant.search.index.protocol import IndexReader
from cormorant.search.index.query import Field, Query, Search
from cormorant.search.index.tokenizer import plainer, words
from cormorant.search.query.attribute_query import BUILT_IN_ATTRIBUTES, KnownAttributes
from cormorant.search.query.lexer import LONGEST, OPERATORS
from cormorant.search.query.parser import parse

LEAST: Final = 2
"""Letters that a word needs to be completed: a single letter begins too much of the dictionary."""
MOST_WORDS, MOST_DOCUMENTS = 6, 4
_TYPED: Final = re.compile(r"(?P<sign>[+-]?)\(*(?P<field>[A-Za-z]{2,12}:)?\(*(?P<last>[^\s():]*)")
_FIELDS: Final = {"title:", "intitle:", "text:", "heading:"}
_MARKED: Final = re.compile(r'["*?~]')


class Completion(NamedTuple):
    """A completed query, and the number of documents that hold the completed word with the other words."""

    text: str
    documents: int


@dataclass(frozen=True, slots=True)
class Opening:
    """The typed text before the last word, that word as the index has it, and the query of the others."""

    before: str
    letters: str
    narrowed: Query


def opening(typed: str, attributes: KnownAttributes = BUILT_IN_ATTRIBUTES) -> Opening | None:
    """Split a typed query before its last word; None if it cannot be completed, as within quotes."""
    typed = typed[:LONGEST].lstrip()
    at = max(typed.rfind(each) for each in (" ", "\t", "\n", "\u3000")) + 1
    found = _TYPED.fullmatch(typed[at:])
    if found is None or typed.count('"') % 2 or _MARKED.search(typed[at:]):
        return None
    field, last = (found["field"] or "").lower(), found["last"]
    if found["sign"] == "-" or last in OPERATORS or (field and field not in _FIELDS):
        return None
    letters = words(last)
    narrowed = _all_of(parse(typed[:at], attributes).query)
    if len(letters) > 1 or (isinstance(narrowed, ask.Everything) and not letters):
        return None
    return Opening(typed[: len(typed) - len(last)], letters[0] if letters else "", narrowed)


def wordings(asked: Opening, index: IndexReader, within: Search) -> tuple[Completion, ...]:
    """Return completions of a query; `within` has the reader and the filters."""
    if len(asked.letters) < LEAST:
        return ()
    query = _both(within.query, asked.narrowed)
    narrowed, others = replace(within, query=query), list[Begun]()
    for letters in (asked.letters, *plainer(asked.letters)):
        begun = index.beginning(Beginning(letters, narrowed, most=MOST_WORDS + 1))
        others = [each for each in begun if each.text != asked.letters][:MOST_WORDS]
        if others:
            break
    return tuple(Completion(asked.before + index.spelling(each.text, narrowed), each.documents) for each in others)


def titled(asked: Opening) -> Query | None:
    """Return the query for documents with matching titles; None if the last word has too few letters."""
    called = _in_titles(asked.narrowed)
    if not asked.letters:
        return called
    if len(asked.letters) < LEAST:
        return None
    begins: Query = ask.Prefix(asked.letters, Field.TITLE)
    return _both(called, begins)


def _both(first: Query, second: Query) -> Query:
    parts = tuple(each for each in (first, second) if not isinstance(each, ask.Everything))
    return ask.And(parts) if len(parts) > 1 else parts[0] if parts else ask.Everything()


def _all_of(query: Query) -> Query:
    """Return a query that requires all words of a query that requires any; an empty query matches all documents."""
    if isinstance(query, ask.Nothing):
        return ask.Everything()
    if isinstance(query, ask.Clauses):
        return ask.Clauses((*query.must, *query.should), (), query.never)
    return query


def _in_titles(node: Query) -> Query:
    """Return the query with its words searched in titles, unless they name another field."""
    match node:
        case ask.QueryWord() | ask.Phrase() | ask.Near() | ask.Prefix() | ask.Pattern() | ask.Like():
            return node if node.field else replace(node, field=Field.TITLE)
        case ask.And() | ask.Or():
            return replace(node, parts=tuple(map(_in_titles, node.parts)))
        case ask.Not():
            return ask.Not(_in_titles(node.part))
        case ask.Clauses():
            return ask.Clauses(
                tuple(map(_in_titles, node.must)), tuple(map(_in_titles, node.should)), node.never, node.least
            )
        case _:
            return node
