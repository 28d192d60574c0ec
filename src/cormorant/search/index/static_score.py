"""Static score of a document, which does not depend on the words of a query.

Links to the document, its address, its age and its language each add a share of their weight, in a few steps. A step is
a set of exact values of a column, which the engine looks up as quickly as a word; a part that adds nothing has no
value, and costs nothing. The static score is the same for every search within a month.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple

from cormorant.search.index.document import IndexedDocument
from cormorant.search.index.filter_fields import language_keys, level
from cormorant.search.index.query import Search, Sort

DAY_S: Final = 86_400.0
MONTH_S: Final = 30 * DAY_S


class Prior(StrEnum):
    """The parts of the static score; each value is the name of its weight."""

    LINKS = "links"
    DEPTH = "depth"
    RECENCY = "recency"
    LANGUAGE = "language"


class ScoreStep(NamedTuple):
    """Values that add the same share of a weight."""

    values: tuple[int, ...]
    share: float


LINK_STEPS: Final = 10
"""Greatest value of the column for links: whole numbers, scaled from a score from 0 to 1."""
_LINKS: Final = tuple(ScoreStep((each,), each / LINK_STEPS) for each in range(1, LINK_STEPS + 1))
_DEPTH: Final = (ScoreStep((0,), 1.0), ScoreStep((1,), 0.5), ScoreStep((2,), 0.25))
_AGES: Final = ((0, 2, 1.0), (2, 7, 0.5), (7, 25, 0.25))
"""Ages in months, from and below, and the share that a change of that age adds."""


def columns(entry: IndexedDocument) -> dict[Prior, int]:
    """Return the column values of the parts that may add to the score of an entry."""
    found = {Prior.LINKS: links(entry), Prior.DEPTH: level(entry.url)}
    if entry.modified_at is not None:
        found[Prior.RECENCY] = month(entry.modified_at)
    adding = {Prior.LINKS: found[Prior.LINKS] > 0, Prior.DEPTH: found[Prior.DEPTH] <= _DEPTH[-1].values[0]}
    return {prior: value for prior, value in found.items() if adding.get(prior, True)}


def links(entry: IndexedDocument) -> int:
    """Return the value of the column for links."""
    return max(0, min(round(entry.link_score * LINK_STEPS), LINK_STEPS))


def month(moment: float) -> int:
    """Return the number of the 30-day period of a moment, counted from the epoch, limited to the column's range."""
    return int(max(-1e9, min(moment // MONTH_S, 1e9)))


def steps(search: Search) -> Iterator[tuple[Prior, ScoreStep]]:
    """Yield the steps that add to the score of a document, for a search sorted by relevance."""
    weights = search.weights
    if search.sort is not Sort.RELEVANCE:
        return
    if weights.links:
        yield from ((Prior.LINKS, step) for step in _LINKS)
    if weights.depth:
        yield from ((Prior.DEPTH, step) for step in _DEPTH)
    if weights.recency and search.today is not None:
        today = month(search.today)
        for first, last, share in _AGES:
            yield Prior.RECENCY, ScoreStep(tuple(today - age for age in range(first, last)), share)
    if weights.language and search.languages:
        yield Prior.LANGUAGE, ScoreStep((), 1.0)


def worth(entry: IndexedDocument, search: Search) -> dict[Prior, float]:
    """Return what each part adds to the score of an entry, computed directly, for the index in memory."""
    found: dict[Prior, float] = {}
    held = columns(entry)
    for prior, step in steps(search):
        spoken = prior is Prior.LANGUAGE and not set(language_keys(entry.language)).isdisjoint(search.languages)
        if spoken or held.get(prior) in step.values:
            found[prior] = step.share * search.weights.prior(prior)
    return found
