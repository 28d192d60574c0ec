"""Snippet of a document: the few words that show why it was found.

The window of the kept text that holds the most different parts of the query, as one line of plain text, and where in
that line the parts stand. Of windows that hold as many, one in prose comes before one in a table of contents or a
heading, and before one with more matches. Text before the first line of prose and after the last one, such as the menus
on every page of a site, is not shown; if nothing else matches, the first line of prose is. Words match as in the index:
in any case and with any accents, as whole words, a phrase side by side. The time grows with the scanned part of the
text, which is bounded.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cormorant.model.text.prose import is_prose
from cormorant.search.results.match_positions import MatchPosition, Needles

LENGTH = 240
"""Code points in a snippet, dots included."""

SCANNED = 200_000
"""Code points at the beginning of a text that are fully scanned (10 ms); beyond, only plain spellings are searched."""

EDGE = 20_000
"""Code points at the beginning and at the end of a text that are searched for a line of prose (1 ms)."""

_HEADERS = ("From: ", "To: ", "Cc: ", "Date: ", "Subject: ")
"""Beginnings of the text of a message (`extract/mail/message.py`)."""
_LOOKED_AT = 200
"""Matches that are tested for standing in prose."""
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
    """Return the part of a stored text that shows best why it matches, or its first prose if no match is found."""
    places = needles.places(text, 0, min(SCANNED, len(text)))
    if not places and len(text) > SCANNED and (far := _far(text, needles.plain)) >= 0:
        places = needles.places(text, max(0, far - _MARGIN), min(far + _MARGIN, len(text)))
    line = _line(text, _begin(text, places))
    return Snippet(line, tuple((place.start, place.end) for place in needles.places(line, 0, len(line))))


def message_snippet(text: str, needles: Needles) -> Snippet:
    """Return the snippet of a message: of its body, or of the header before it if only that one matches.

    The header of a message is the lines of its text before the first empty one: its people, its date and its subject,
    which a hit shows in other places.
    """
    header, gap, body = text.partition("\n\n")
    if not gap or not header.startswith(_HEADERS):
        return snippet(text, needles)
    found = snippet(body, needles)
    whole = found if found.highlights else snippet(text, needles)
    return whole if whole.highlights or not found.text else found


def plain_line(text: str, most: int) -> str:
    """Return a text as one line of at most so many code points, without controls and marks of direction."""
    return _NOISE.sub(" ", text[: 4 * most]).strip()[:most]


def _far(text: str, plain: Iterable[str]) -> int:
    """Return the first occurrence of a word in exactly this spelling beyond SCANNED, or -1."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter became two: places would not fit
        lowered = text
    found = [at for word in plain if (at := lowered.find(word, SCANNED)) >= 0]
    return min(found, default=-1)


def _begin(text: str, places: Sequence[MatchPosition]) -> int:
    """Return the start of the snippet for these matches, 0 if there are neither matches nor prose."""
    first, last = _prose(text)
    if first < 0:
        return _before(text, *_best(places)[1:]) if places else 0
    within = [place for place in places if first <= place.start < last]
    if not within:
        return first
    in_prose = [place for place in within[:_LOOKED_AT] if is_prose(text, *_bounds(text, place.start))]
    most = _best(within)
    best = _best(in_prose) if in_prose else most
    return _before(text, *(best if best[0] == most[0] else most)[1:])


def _prose(text: str) -> tuple[int, int]:
    """Return the start of the first line of prose and the end of the last one; (-1, -1) if none is found."""
    begin, end = 0, -1
    while begin < min(len(text), EDGE):
        begin, end = _bounds(text, begin)
        if is_prose(text, begin, end):
            break
        begin = end + 1
    else:
        return -1, -1
    last = len(text)
    while last > max(end, len(text) - EDGE):
        start = text.rfind("\n", max(end, last - EDGE), last) + 1
        if is_prose(text, start, last):
            return begin, last
        last = start - 1
    return begin, max(last, end)


def _bounds(text: str, at: int) -> tuple[int, int]:
    """Return the start and end of the line at a position, searched EDGE code points each way."""
    begin, end = text.rfind("\n", max(0, at - EDGE), at) + 1, text.find("\n", at, at + EDGE)
    return max(begin, at - EDGE), end if end >= 0 else min(len(text), at + EDGE)


def _best(places: Sequence[MatchPosition]) -> tuple[int, int, int]:
    """Return the number of different parts in the best window, and the start and end of its matches."""
    counts: dict[int, int] = {}
    left, best, best_worth = 0, (places[0].start, places[0].end), (0, 0)
    room = LENGTH - _LEAD
    for right, (_, end, part) in enumerate(places):
        counts[part] = counts.get(part, 0) + 1
        while left < right and end - places[left].start > room:
            gone = places[left].part
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
            left += 1
        worth = (len(counts), right - left + 1)
        if worth > best_worth:
            best_worth, best = worth, (places[left].start, end)
    return best_worth[0], *best


def _before(text: str, first: int, last: int) -> int:
    """Return a start that leaves some words before the matches from `first` to `last`."""
    lead = max(_LEAD // 2, min(_LEAD, (LENGTH - (last - first)) // 2))
    begin = first - lead
    if begin <= 0:
        return text.rfind("\n", 0, first) + 1
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
