"""Grammar of directives to robots, in metas and in X-Robots-Tag fields.

    robots meta      noindex, max-snippet: 20, unavailable_after: 25 Jun 2030 15:00:00 GMT
    X-Robots-Tag     noarchive, otherbot: noindex, nofollow, googlebot: nofollow

Directives are separated by commas, but also by semicolons and blanks. In a field the name of an agent and a colon
address the directives up to the next name. https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

MAX_VALUE: Final = 2_000
"""Characters of one meta or field that are read."""

_WITH_VALUE: Final = frozenset(("max-image-preview", "max-snippet", "max-video-preview", "unavailable_after"))
"""Directives with a colon; a colon otherwise follows the name of an agent."""
_BARE: Final = frozenset(
    (
        "all", "follow", "index", "indexifembedded", "noai", "noarchive", "nocache", "nofollow", "noimageindex",
        "noimageai", "noindex", "noodp", "none", "nosnippet", "notranslate", "noydir",
    )
)  # fmt: skip
DIRECTIVES: Final = _WITH_VALUE | _BARE
"""The directives that search engines know, with older ones."""

# A date may contain commas, so only a comma before a word separates.
_COMMA: Final = re.compile(r"[,;](?=\s*[a-z_*])")
_AGENT: Final = re.compile(r"\s*([^\s,:]+)\s*:(.*)", re.DOTALL)


def parse_directives(content: str) -> list[str]:
    """Return the directives of a robots meta, lower case: `noindex`, `unavailable_after: 25 jun 2030 15:00:00 gmt`."""
    pieces = _COMMA.split(content[:MAX_VALUE].lower())
    return [directive for piece in pieces for directive in _of_piece(piece)]


def directives_for(values: Iterable[str], agent: str) -> tuple[str, ...]:
    """Return the directives of X-Robots-Tag fields that are meant for every robot or for `agent`, lower case."""
    return tuple(directive for value in values for directive in _of_field(value, agent.lower()))


def _of_field(value: str, agent: str) -> Iterator[str]:
    ours = True
    for each in _COMMA.split(value[:MAX_VALUE].lower()):
        match, piece = _AGENT.match(each), each
        if match is not None and match[1] not in DIRECTIVES:
            ours, piece = match[1] in (agent, "*"), match[2]
        if ours:
            yield from _of_piece(piece)


def _of_piece(piece: str) -> list[str]:
    """Return the directives between two commas: one, or several separated by blanks.

    A value extends to the next known directive, since a date contains blanks.
    """
    if ":" not in piece:
        return piece.replace(",", " ").split()
    found: list[str] = []
    in_value = False
    for word in piece.split():
        name, colon, _ = word.partition(":")
        if in_value and name not in DIRECTIVES:
            found[-1] += f" {word}"
        else:
            found.append(word)
            in_value = bool(colon) or name in _WITH_VALUE
    return found
