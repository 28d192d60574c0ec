"""What counts for a document before any word is looked at? Links to it, its address, its age, its language.

Each of them adds a share of its weight, in a few steps: so it can be asked for as ranges of a column, and is told in
words. What it adds is the same for every question of a day.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple

from cormorant.index.entry import Entry
from cormorant.index.keys import language_keys, level
from cormorant.index.query import Search, Sort

DAY_S: Final = 86_400.0


class Prior(StrEnum):
    """What counts; the name of its weight."""

    LINKS = "links"
    DEPTH = "depth"
    RECENCY = "recency"
    LANGUAGE = "language"


class Step(NamedTuple):
    """A range of values, both ends included (None: no bound), and which share of the weight it adds."""

    low: float | None
    high: float | None
    share: float


LINK_STEPS: Final = 10
"""Values of the column for links are whole numbers up to this, of a score from 0 to 1."""
_LINKS: Final = tuple(Step(each, each, each / LINK_STEPS) for each in range(1, LINK_STEPS + 1))
_DEPTH: Final = (Step(0, 0, 1.0), Step(1, 1, 0.5), Step(2, 2, 0.25))
_AGES: Final = ((7, 1.0), (30, 0.75), (180, 0.5), (720, 0.25))
"""Days since a document was changed, and the share that it adds until then."""


def links(entry: Entry) -> int:
    """Return the value of the column for links."""
    return max(0, min(round(entry.link_score * LINK_STEPS), LINK_STEPS))


def steps(search: Search) -> Iterator[tuple[Prior, Step]]:
    """Yield the steps that add something to the score of a document, for a question that is ordered by it."""
    weights = search.weights
    if search.sort is not Sort.RELEVANCE:
        return
    if weights.links:
        yield from ((Prior.LINKS, step) for step in _LINKS)
    if weights.depth:
        yield from ((Prior.DEPTH, step) for step in _DEPTH)
    if weights.recency and search.today is not None:
        yield from ((Prior.RECENCY, step) for step in _ages(search.today))
    if weights.language and search.languages:
        yield Prior.LANGUAGE, Step(None, None, 1.0)


def _ages(today: float) -> Iterator[Step]:
    """Yield a step for each age; what is of a later day than tomorrow has no age."""
    high = today + 2 * DAY_S
    for days, share in _AGES:
        low = today - days * DAY_S
        yield Step(low, high - 0.001, share)
        high = low


def worth(entry: Entry, search: Search) -> dict[Prior, float]:
    """Return what each adds to the score of an entry, plainly, for the index in memory."""
    found: dict[Prior, float] = {}
    for prior, step in steps(search):
        if _lies(entry, search, prior, step):
            found[prior] = step.share * search.weights.prior(prior)
    return found


def _lies(entry: Entry, search: Search, prior: Prior, step: Step) -> bool:
    if prior is Prior.LANGUAGE:
        return not set(language_keys(entry.language)).isdisjoint(search.languages)
    value = {Prior.LINKS: links(entry), Prior.DEPTH: level(entry.url), Prior.RECENCY: entry.modified_at}[prior]
    return value is not None and (step.low or 0) <= value <= (step.high or 0)
