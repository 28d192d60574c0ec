"""Explanation of a document's score in words for a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from cormorant.base.clock import date_of
from cormorant.search.index.filter_fields import level
from cormorant.search.index.protocol import COUNT, PAIR, SPELLED, Match, Reason
from cormorant.search.index.query import Field
from cormorant.search.index.static_score import DAY_S, Prior, links
from cormorant.search.index.tokenizer import words

MOST_TEXTS: Final = 3
"""Texts of links that are listed."""
_NAMES: Final = {
    COUNT: "Words found", Field.TITLE: "Title", Field.HEADINGS: "Headings", Field.TEXT: "Text",
    Field.ANCHORS: "Text of links to it", Field.ADDRESS: "Address", PAIR: "Side by side", SPELLED: "As it was typed",
    Prior.LINKS: "Links to it", Prior.DEPTH: "Depth", Prior.RECENCY: "Recency", Prior.LANGUAGE: "Language",
}  # fmt: skip
_STEPS: Final = ("the front page of its host", "one step below the front page", "two steps below the front page")
_SIDES: Final = ("few pages link to it", "several pages link to it", "many pages link to it")


class ScorePart(NamedTuple):
    """A part of a score, in words for a person.

    `what` is the factor's name for programs, `name` for people; `about` describes what it concerns.
    """

    what: str
    name: str
    about: str
    points: float


@dataclass(frozen=True, slots=True)
class ScoreExplanation:
    """The parts of a document's score, the largest first, which add up to it."""

    id: int
    url: str
    title: str
    score: float
    parts: tuple[ScorePart, ...]


def explain_match(match: Match, reasons: tuple[Reason, ...], asked: int, today: float) -> ScoreExplanation:
    """Explain the score of a match in words; `asked` is the number of words of the question."""
    parts = [
        ScorePart(each.what, _NAMES[each.what], _about(each, match, asked, today), each.points) for each in reasons
    ]
    parts.sort(key=lambda part: -part.points)
    return ScoreExplanation(match.id, match.entry.url, match.entry.title or match.entry.url, match.score, tuple(parts))


def _about(reason: Reason, match: Match, asked: int, today: float) -> str:
    entry = match.entry
    match reason.what:
        case "words":
            return f"{len(reason.about)} of {asked}: {', '.join(reason.about)}"
        case "pair" | "spelled":
            return ", ".join(f"“{each}”" for each in reason.about)
        case "links":
            return _SIDES[min(links(entry) // 4, 2)]
        case "depth":
            return _STEPS[min(level(entry.url), len(_STEPS) - 1)]
        case "recency":
            return _age(entry.modified_at or 0.0, today)
        case "language":
            return f"in {entry.language}, which is preferred"
        case "anchors":
            return "; ".join(f"“{each}”" for each in _holding(entry.anchors, reason.about))
        case _:
            places = f"{reason.places:,} place{'' if reason.places == 1 else 's'}"
            return f"{', '.join(reason.about)}: {places}"


def _holding(texts: tuple[str, ...], about: tuple[str, ...]) -> list[str]:
    """The texts that hold one of the words, or the first one, as another form of a word may have matched."""
    wanted = {word for each in about for word in words(each)}
    return [each for each in texts if not wanted.isdisjoint(words(each))][:MOST_TEXTS] or list(texts[:1])


def _age(modified_at: float, today: float) -> str:
    days = int((today + DAY_S - modified_at) // DAY_S)
    if days <= 0:
        return "changed today"
    if days < 60:
        return f"changed {days} day{'' if days == 1 else 's'} ago"
    found = date_of(modified_at)
    return f"changed on {found.day} {found:%b %Y}" if found else "changed"
