"""Explanation of a hit's score on the page of results, and the languages that a reader's browser prefers."""

from __future__ import annotations

from typing import NamedTuple

from fastapi import Request

from cormorant.base.errors import NotFoundError
from cormorant.search.reader import Question, ScoreExplanation
from cormorant.web.shared_reader import SharedReader

MOST_LANGUAGES = 3
LONGEST_TAG = 35
"""Characters of a language tag (RFC 5646 section 4.4.1)."""
_MOST_HEADER = 200


class ScoreRow(NamedTuple):
    """A part of a score as the page shows it: its points, and their percentage of the whole."""

    name: str
    about: str
    points: str
    share: str
    rest: str


class ScoreView(NamedTuple):
    """The explanation of a document's score."""

    id: int
    score: str
    rows: tuple[ScoreRow, ...]


def languages(request: Request) -> tuple[str, ...]:
    """The languages that a browser prefers, at most a few: those that its Accept-Language names, best first."""
    wanted: dict[str, float] = {}
    for each in request.headers.get("accept-language", "")[:_MOST_HEADER].split(","):
        tag, _, quality = each.strip().partition(";")
        weight = _weight(quality)
        if tag.strip() not in ("", "*") and len(tag) <= LONGEST_TAG and tag.isascii() and weight > 0:
            wanted.setdefault(tag.strip().lower(), weight)
    return tuple(sorted(wanted, key=lambda tag: -wanted[tag])[:MOST_LANGUAGES])


def _weight(quality: str) -> float:
    """Return the quality value of a language (RFC 9110 section 12.4.2); 0 for an unreadable one."""
    name, _, value = quality.strip().partition("=")
    if not name:
        return 1.0
    try:
        return min(max(float(value), 0.0), 1.0) if name.strip() == "q" else 0.0
    except ValueError:
        return 0.0


def view(shelf: SharedReader, question: Question, number: int | None) -> ScoreView | None:
    """Return the explanation of a document's score; None without a document, or if the question does not find it."""
    if number is None:
        return None
    try:
        return _shown(shelf.why(question, number))
    except NotFoundError:
        return None


def _shown(why: ScoreExplanation) -> ScoreView:
    rows = []
    for part in why.parts:
        share = 100 * part.points / why.score if why.score else 0.0
        width = min(max(share, 0.0), 100.0)
        rows.append(ScoreRow(part.name, part.about, f"{part.points:,.2f}", f"{width:.2f}%", f"{100 - width:.2f}%"))
    return ScoreView(why.id, f"{why.score:,.2f}", tuple(rows))
