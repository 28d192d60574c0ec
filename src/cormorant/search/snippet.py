"""Which few words of a document show why it was found?

The window of the kept text that holds the most different parts of the query, as one line of plain text, and where in
that line the parts stand. Of windows that hold as many, one in a line with a sentence comes before one in a menu, a
table of contents or a heading, and before that with more places. Words match as in the index: in any case and with any
accents, whole, a phrase side by side. Time grows with the text as far as it is looked at, and that is bounded.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cormorant.search.needles import Needles, Place

LENGTH = 240
"""Code points in a snippet, dots included."""

SCANNED = 200_000
"""Code points at the beginning of a text that are looked at closely; 10 ms. Beyond, plain spellings are looked for."""

OPENING = 20_000
"""Code points at the beginning of a text in which a sentence to begin with is looked for; 1 ms."""

_LOOKED_AT = 200
"""Windows of which is asked whether they stand in a sentence."""
_SENTENCE = re.compile("[^\\W\\d_]{2}[.!?\u2026][\"'\u2019\u201d)\u00bb]*(?:\\s|$)|[\u3002\uff01\uff1f]")
"""The end of one; the dots of `5.1. Lists` and `file.txt` are none."""
_MARGIN = 2_000
_LEAD = 60
_DOTS = "\u2026"
# Line breaks, other controls, and the marks that would turn the direction of a page's text.
_NOISE = re.compile("[\x00-\x20\x7f-\xa0\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")


@dataclass(frozen=True, slots=True)
class Snippet:
    """Text of at most LENGTH code points, and half-open ranges of it that match."""

    text: str
    highlights: tuple[tuple[int, int], ...] = ()


def snippet(text: str, needles: Needles) -> Snippet:
    """Return the part of a kept text that shows best why it matches, or its first sentence when nothing is seen to."""
    places = needles.places(text, 0, min(SCANNED, len(text)))
    if not places and len(text) > SCANNED and (far := _far(text, needles.plain)) >= 0:
        places = needles.places(text, max(0, far - _MARGIN), min(far + _MARGIN, len(text)))
    if places:
        begin = _begin(text, *_best(text, places))
    else:
        begin = _opening(text)
    line = _line(text, begin)
    return Snippet(line, tuple((place.start, place.end) for place in needles.places(line, 0, len(line))))


def _far(text: str, plain: Iterable[str]) -> int:
    """Return the first place beyond what is looked at closely where a word stands as it is spelled here, or -1."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter became two: places would not fit
        lowered = text
    found = [at for word in plain if (at := lowered.find(word, SCANNED)) >= 0]
    return min(found, default=-1)


def _best(text: str, places: Sequence[Place]) -> tuple[int, int]:
    """Return where the best window's matches begin and end: most different parts, then a sentence, then most places."""
    counts: dict[int, int] = {}
    left, best, best_worth = 0, (places[0].start, places[0].end), (0, False, 0)
    room, left_to_look = LENGTH - _LEAD, _LOOKED_AT
    for right, (_, end, part) in enumerate(places):
        counts[part] = counts.get(part, 0) + 1
        while left < right and end - places[left].start > room:
            gone = places[left].part
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
            left += 1
        worth = (len(counts), True, right - left + 1)
        if worth > best_worth:
            left_to_look -= 1
            worth = (worth[0], left_to_look > 0 and _in_sentence(text, places[left].start), worth[2])
        if worth > best_worth:
            best_worth, best = worth, (places[left].start, end)
    return best


def _in_sentence(text: str, at: int) -> bool:
    """Say whether a sentence ends in the line of this place, as far around it as a snippet goes."""
    begin = text.rfind("\n", max(0, at - LENGTH), at) + 1 or max(0, at - LENGTH)
    end = text.find("\n", at, at + LENGTH)
    return _SENTENCE.search(text, begin, end if end >= 0 else at + LENGTH) is not None


def _opening(text: str) -> int:
    """Return where the first line with a sentence begins, 0 when none is seen."""
    found = _SENTENCE.search(text, 0, OPENING)
    return text.rfind("\n", 0, found.start()) + 1 if found else 0


def _begin(text: str, first: int, last: int) -> int:
    """Return where to begin, so that matches from `first` to `last` have some words before them."""
    lead = max(_LEAD // 2, min(_LEAD, (LENGTH - (last - first)) // 2))
    begin = first - lead
    if begin <= 0:
        return 0
    sentence = max(text.rfind(mark, begin, first) for mark in (". ", "! ", "? ", "\n", "\u3002"))
    if sentence >= 0:
        return sentence + 1
    space = re.compile(r"\s").search(text, begin, first)
    return space.start() + 1 if space else begin


def _line(text: str, begin: int) -> str:
    """Return one line of at most LENGTH code points of `text` from `begin` on, cut between words if it can be."""
    # Runs of spaces vanish, so more is taken than is needed.
    piece = _NOISE.sub(" ", text[begin : begin + 4 * LENGTH]).strip()
    more = begin + 4 * LENGTH < len(text)
    start = _DOTS + " " if begin > 0 and piece else ""
    while piece and unicodedata.category(piece[0]).startswith("M"):
        piece = piece[1:]
    room = LENGTH - len(start)
    if len(piece) <= room and not more:
        return start + piece
    cut = piece[: room - 2]
    space = cut.rfind(" ", room - 40)
    return f"{start}{cut[:space] if space > 0 else cut} {_DOTS}"
