"""Detection of HTML pages that make a parser build far more elements than were sent.

The HTML standard rebuilds formatting elements that were left open in every following block, up to the depth of the
tree: twelve bytes become 512 elements, four megabytes twelve gigabytes. And every further `page` or `body` tag is
compared with the first. Neither affects the text of a page, so in large pages these tags become plain ones.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

SMALL: Final = 64 * 1024
"""Bytes up to which a page is taken as it is: the worst such page costs a quarter of a second."""

MAX_TAGS: Final = 500_000
"""Elements of a page that are read."""

_MAX_OPEN: Final = 500
"""Formatting elements of one name that are open at a time; pages written by people and programs have a handful."""
_MAX_FORMATTING: Final = 10_000
"""Formatting tags in all, however well they look closed: a closing tag in another table cell closes nothing."""
_MAX_ROOTS: Final = 20
# https://html.spec.whatwg.org/multipage/parsing.html#formatting, without those that close each other (a, nobr).
_NAMES: Final = rb"big|b|code|em|font|i|small|strike|strong|s|tt|u"
_FORMATTING: Final = re.compile(rb"<(/?)(?:%s)(?=[\s/>])" % _NAMES, re.IGNORECASE)
_FORMATTING_LOWER: Final = re.compile(rb"<(/?(?:%s))(?=[\s/>])" % _NAMES)
_ROOT: Final = re.compile(rb"<(?:html|body)(?=[\s/>])", re.IGNORECASE)
# The tags of interest and some more, by two letters: four times as fast as looking for those alone.
_SUSPECT: Final = re.compile(rb"<[bBcCeEfFhHiIsStTuU][iImMoOtT\s/>]")
_BIG: Final = frozenset(("utf-16be", "unicodefffe"))
_LITTLE: Final = frozenset(("utf-16le", "utf-16", "csunicode", "iso-10646-ucs-2", "ucs-2", "unicode", "unicodefeff"))
"""https://encoding.spec.whatwg.org/#names-and-labels."""


def utf16_of(body: bytes, charset: str) -> str:
    """Name the UTF-16 a page is in: by its mark, else by what the transport declared, else by its first tag; or "".

    The last is not in the standard: browsers show such a page as text full of NULs.
    """
    start = body[:4]
    if start.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return {b"\xff\xfe": "utf-16le", b"\xfe\xff": "utf-16be"}.get(start[:2], "")
    label = charset.strip().lower()
    if label in _LITTLE or label in _BIG:
        return "utf-16be" if label in _BIG else "utf-16le"
    if not label and len(start) == 4:
        if start[0] == 60 and start[1] == start[3] == 0:
            return "utf-16le"
        if start[1] == 60 and start[0] == start[2] == 0:
            return "utf-16be"
    return ""


def defused(body: bytes, charset: str) -> tuple[bytes, bool]:
    """Return the page without excessive tags, and whether it was cut at MAX_TAGS."""
    if len(body) <= SMALL:
        return body, False
    wide = utf16_of(body, charset)
    if wide:  # hides its tags from a search for bytes; a mark in front tells any parser of the other form
        body = b"\xef\xbb\xbf" + body.decode(wide, "replace").removeprefix("\ufeff").encode(errors="replace")
    body, truncated = _cut(body)
    suspects = _suspects(body)
    many = max(suspects.values(), default=0) > _MAX_OPEN or suspects.total() > _MAX_FORMATTING
    if many and _piles_up(_FORMATTING_LOWER.findall(body.lower())):
        body = _FORMATTING.sub(rb"<\1span", body)
    if suspects[b"<ht"] + suspects[b"<bo"] > _MAX_ROOTS and _more_than(_MAX_ROOTS, _ROOT, body):
        start = next(_ROOT.finditer(body)).end()
        body = body[:start] + _ROOT.sub(b"<span", body[start:])
    return body, truncated


def _suspects(body: bytes) -> Counter[bytes]:
    """Count possible tags of interest by their beginnings (`<b>`, `<co`): at least as many as there are."""
    suspects: Counter[bytes] = Counter()
    for start, count in Counter(_SUSPECT.findall(body)).items():
        suspects[start.lower() if start[2:].isalpha() else start[:2].lower() + b">"] += count
    return suspects


def _piles_up(tags: list[bytes]) -> bool:
    """Return whether many formatting elements stay open, by the tags in their order (`b`, `/b`)."""
    if len(tags) <= _MAX_OPEN:
        return False
    if len(tags) > _MAX_FORMATTING:
        return True
    still = dict.fromkeys(tags, 0)
    for tag in tags:
        if tag[0] != 47:
            still[tag] += 1
            if still[tag] > _MAX_OPEN:
                return True
        elif still.get(tag[1:], 0):
            still[tag[1:]] -= 1
    return False


def _cut(body: bytes) -> tuple[bytes, bool]:
    if len(body) <= MAX_TAGS or body.count(b"<") <= MAX_TAGS:
        return body, False
    place = 0
    for _ in range(MAX_TAGS):
        place = body.index(b"<", place) + 1
    return body[: place - 1], True


def _more_than(limit: int, pattern: re.Pattern[bytes], body: bytes) -> bool:
    return any(count > limit for count, _ in enumerate(pattern.finditer(body), 1))
