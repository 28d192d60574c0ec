"""Which places of a sample does an answer have?"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from enum import Enum
from itertools import chain
from typing import Final, NamedTuple

from bench.formats.places import NOISE, Kind, Place, has_noise
from bench.formats.readers.loop import Answer

_WORD: Final = re.compile(r"\w+")


class Outcome(Enum):
    """The result for a place."""

    FOUND = "found"
    CLEAN = "clean"
    GLUED = "glued"
    TWICE = "twice"
    MISSING = "-"
    NOISE = "NOISE"

    @property
    def right(self) -> bool:
        """Return whether it is as it should be."""
        return self in (Outcome.FOUND, Outcome.CLEAN)


class _Said(NamedTuple):
    """An answer in small letters: texts, attributes, links, and the words of the texts with their numbers."""

    text: str
    attributes: str
    links: str
    words: Counter[str]
    values: frozenset[str]


def judged(answer: Answer, places: tuple[Place, ...]) -> dict[Place, Outcome]:
    """Return the outcome of each place; an answer that is an error has nothing."""
    embedded = answer.get("embedded", ())
    texts = (answer.get("text", ""), *chain.from_iterable((each["name"], each["text"]) for each in embedded))
    text = _plain("\n".join(texts))
    attributes = _plain(
        "\n".join((answer.get("title", ""), *chain.from_iterable(answer.get("attributes", {}).values())))
    )
    said = _Said(
        text, attributes, _plain("\n".join(answer.get("links", ()))), Counter(_WORD.findall(text)),
        frozenset(_WORD.findall(attributes)),
    )  # fmt: skip
    return {place: _outcome(place, said) for place in places}


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower()


def _outcome(place: Place, said: _Said) -> Outcome:
    first = place.words[0] if place.words else ""
    everything = f"{said.text}\n{said.attributes}"
    match place.kind:
        case Kind.ABSENT:
            noisy = has_noise(said.text) if place == NOISE else first in everything
            return Outcome.NOISE if noisy else Outcome.CLEAN
        case Kind.LINK:
            return Outcome.FOUND if first in said.links + everything else Outcome.MISSING
        case Kind.PATTERN:
            return Outcome.FOUND if re.search(first, everything) else Outcome.MISSING
        case Kind.ATTRIBUTE:
            return Outcome.FOUND if first in said.values else Outcome.MISSING
        case Kind.TEXT | Kind.ONCE | Kind.APART:
            return _of_text(place, said, everything)


def _of_text(place: Place, said: _Said, everything: str) -> Outcome:
    if not all(said.words[word] or word in said.values for word in place.words):
        glued = all(word in everything for word in place.words)
        return Outcome.GLUED if glued else Outcome.MISSING
    twice = place.kind is Kind.ONCE and said.words[place.words[0]] > 1
    return Outcome.TWICE if twice else Outcome.FOUND
