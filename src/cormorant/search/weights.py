"""Ranking weights of the product: every figure of ranking, and the range in which an administrator may change it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from cormorant.search.index.query import Weights

DEFAULT = Weights(
    title=3.0,  # with 1: .393
    headings=0.0,  # known pages of three manuals: with 1 a mean reciprocal rank of .844, without .853
    text=1.0,
    anchors=1.0,
    address=0.0,  # with .5 a mean reciprocal rank of .848, and a search takes a fifth longer
    form=0.7,  # without other forms of words: .396; with 1: .420
    compound=0.3,  # a round figure below that of a form; no collection in a language with compounds was measured
    strict_words=5,  # a question of more words is a sentence, in which not every word matters; without end: .258
    rare_word=1.0,  # with 0: .388; with 2: .396
    pair=0.5,  # with 0: .392; with 1: .398
    links=1.5,
    depth=0.5,
    recency=0.5,
    language=2.0,
)
"""Mean average precision on Cranfield (1,400 abstracts, 225 questions of some twenty words) is .419 with these.

Plain BM25 reaches .395; `bench/relevance.py` measures both.
"""


class Factor(NamedTuple):
    """A factor that an administrator may change: its purpose, and its least and greatest value."""

    about: str
    least: float = 0.0
    most: float = 10.0


FACTORS: Final[Mapping[str, Factor]] = MappingProxyType(
    {
        "title": Factor("A word in the title, as many times as much as in a text."),
        "headings": Factor("A word in a heading."),
        "text": Factor("A word in the text; not 0, or most documents would not be found.", 0.1),
        "anchors": Factor("A word in the text of links to the document."),
        "address": Factor("A word in the address."),
        "form": Factor(
            "Another form of a word, as a share of the word itself; 0: only the word itself is found.", most=1
        ),
        "compound": Factor(
            "A compound with the word as a part (German, Dutch, Nordic), as a share of the word itself; 0: not found.",
            most=1,
        ),
        "pair": Factor("Two neighbouring words of the question side by side."),
        "links": Factor("Points that a document has at most by how many pages link to it.", most=50),
        "depth": Factor("Points of the front page of a site; the pages just below have a part of them.", most=50),
        "recency": Factor(
            "Points of a document that was changed within a month or two; older ones have a part of them.", most=50
        ),
        "language": Factor("Points of a document in a language that the reader prefers.", most=50),
    }
)
"""By the names in commands, settings and programs. A field whose weight is 0 is searched only if named."""


def tuned(values: Mapping[str, float]) -> Weights:
    """Return the weights with some of them changed; unknown names are ignored."""
    chosen: dict[str, Any] = {name: value for name, value in values.items() if name in FACTORS}
    return replace(DEFAULT, **chosen)
