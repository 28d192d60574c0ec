"""Do two answers tell the same? Everything has to be equal but scores, which may differ by as much as is known.

A score counts WORDS_FIRST for every one of few words that stands in the document, and beside that what each is worth:
the first has to be equal, the second within the slack. Hits may only change places when theirs are that close.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from cormorant.search.index.tantivy.query_compiler import WORDS_FIRST
from tests.journeys.sight.faces import FaceAnswer, Ranked

_ROUNDED = 0.002
"""Rounding error of a score by single precision and four decimals."""


def differences(whole: FaceAnswer, allowed: FaceAnswer, slack: float) -> Iterator[str]:
    """Differences between two answers, a sentence each."""
    if whole.said != allowed.said:
        yield f"said {_first(whole.said, allowed.said)}"
    if whole.ranked.hits != allowed.ranked.hits:
        yield f"hits {_first(whole.ranked.hits, allowed.ranked.hits)}"
        return
    scores = dict(whole.ranked.order), dict(allowed.ranked.order)
    for number in scores[1]:
        if not close(scores[0][number], scores[1][number], slack):
            yield f"document {number} scores {scores[0][number]} and not {scores[1][number]}"
    yield from _turned(whole.ranked, allowed.ranked, slack)


def close(one: float, other: float, slack: float) -> bool:
    """Whether two scores may be of the same document."""
    words, rest = divmod(one, WORDS_FIRST)
    other_words, other_rest = divmod(other, WORDS_FIRST)
    return words == other_words and rest <= other_rest * slack + _ROUNDED and other_rest <= rest * slack + _ROUNDED


def _turned(whole: Ranked, allowed: Ranked, slack: float) -> Iterator[str]:
    """Neighbours in one order that stand the other way round in the other, and are not so close that they may."""
    places = {number: place for place, (number, _) in enumerate(whole.order)}
    for (first, score), (second, other) in pairwise(allowed.order):
        if places[first] > places[second] and not close(score, other, slack * slack):
            yield f"document {second} stands before {first}"


def _first(one: object, other: object) -> str:
    """Where two values begin to differ."""
    ours, theirs = repr(one), repr(other)
    at = next((place for place, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), 0)
    begin = max(0, at - 60)
    return f"…{ours[begin : at + 120]}… and not …{theirs[begin : at + 120]}…"
