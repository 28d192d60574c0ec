"""No-results page: the number of documents with each word, and broader searches with results.

Every figure is the total of the linked search, for the same reader and the same filters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from cormorant.search.query.form import taken_apart
from cormorant.search.reader import Answer
from cormorant.web.pages.search_page import SearchRequest
from cormorant.web.shared_reader import SharedReader

MOST_WORDS = 8
"""Words that are counted."""


class BroaderSearch(NamedTuple):
    """A search, its difference from the original one, its address, and its number of results."""

    text: str
    about: str
    address: str
    results: int


def page_values(shelf: SharedReader, asked: SearchRequest, answer: Answer) -> dict[str, Any]:
    """Return the values of the no-results page beside the query; empty ones if something was found."""
    if answer.total:
        return {"counted": [], "ways": []}
    words = [_row(shelf, asked, each, "") for each in _words(asked.q)]
    ways = [each for each in _ways(shelf, asked, words) if each.results]
    return {"counted": words if len(words) > 1 else [], "ways": ways}


def _words(text: str) -> list[str]:
    """The words of a query, each once, without parts that fit no field of the form."""
    fields = taken_apart(text)
    text = " ".join((fields.every, fields.phrase, fields.any_of)).replace('"', " ")
    return list(dict.fromkeys(text.split()))[:MOST_WORDS]


def _ways(shelf: SharedReader, asked: SearchRequest, words: list[BroaderSearch]) -> Iterator[BroaderSearch]:
    """Searches that may find something, besides another spelling."""
    there = [each.text for each in words if each.results]
    if there and len(there) < len(words):
        missing = ", ".join(each.text for each in words if not each.results)
        yield _row(shelf, asked, " ".join(there), f"without {missing}")
    elif len(there) > 1:
        yield _row(shelf, asked, " ".join(there), "any of the words")


def _row(shelf: SharedReader, asked: SearchRequest, text: str, about: str) -> BroaderSearch:
    """Return a search for another text with the same filters, with its total."""
    wanted = replace(asked, q=text, page=1, group=None)
    question = replace(wanted.question, limit=0, facets=False, as_typed=True, facet_attributes=())
    return BroaderSearch(text, about, wanted.address(), shelf.ask(question).total)
