"""Detection of soft 404 pages by comparison with the site's page for URLs that do not exist.

Texts are compared line by line.

    probe: an address that does not exist -> 200 -> Sketch, stored
    page: suspicious? (`says_missing`) -> Sketch -> `is_like`

A site's navigation is on every page, so a large common part proves nothing. A page is like the probe if it has the
probe's message, hence every line of its answer or one that says that nothing is there, and hardly any line of its own.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final, NamedTuple
from zlib import crc32

import msgspec
import re2

ALIKE: Final = 0.9
"""The share of the words of the longer text that both must have, line by line."""
FEW: Final = 20
"""Words of an answer that proves little: an application's empty frame, a line. It must also say that nothing is there.
"""
MOST_LINES: Final = 2_000
MOST_CHARACTERS: Final = 100_000
"""The longest text of a page that may be missing."""
SHORT: Final = 600
"""The longest text that is searched for the words of missing pages."""

_WORD: Final = re.compile(r"[^\W_]+")
_OPTIONS: Final = re2.Options()
_OPTIONS.case_sensitive = False
_SAYS: Final = re2.compile(
    r"(?m:^)\W*(?:404|410)\b|\b(?:error|http|status|code)\W{0,3}(?:404|410)\b|\b(?:404|410) error"
    r"|not (?:be )?found|n[o']t exist|no such (?:page|file|article|document)"
    r"|no longer (?:exist|avail|here)"
    r"|page (?:is )?(?:missing|unavailable|gone)|missing page|nothing (?:was )?found|couldn.?t find|can.?t find"
    r"|could not find|cannot find|does ?n.?t exist|has been (?:removed|deleted)|wrong (?:url|address)|oops"
    r"|nicht (?:gefunden|vorhanden|verf.gbar)|existiert nicht|gibt es nicht|introuvable|n.existe (?:pas|plus)"
    r"|no (?:se )?(?:ha )?encontrad|no se encuentra|no existe|n.o (?:foi )?encontrad|n.o existe|non (?:.\b )?trovat"
    r"|non esiste|niet gevonden|bestaat niet|nie (?:znaleziono|istnieje|odnaleziono)|hittades inte|finns inte"
    r"|ikke (?:fundet|funnet)|findes ikke|finnes ikke|ei l.ydy|nenalezen|neexistuje|nem tal.lhat|bulunamad"
    r"|не (?:найден|существует|знайден|існує)|未找到|找不到|不存在|見つかりません|存在しません|찾을 수 없|존재하지 않"
    r"|غير موجود|לא נמצא",
    _OPTIONS,
)
"""An automaton, since so many words in turn take a backtracking search half a millisecond for a short text."""


class Sketch(NamedTuple):
    """A text by its lines: the key of each, and its number of words, without its address and all figures.

    `says` are the keys of the lines, including the title, that say that the page is missing. `characters` is the length
    of the text.
    """

    lines: dict[int, int]
    says: frozenset[int]
    characters: int

    @property
    def words(self) -> int:
        """The number of words, with each line counted once."""
        return sum(self.lines.values())

    def pack(self) -> bytes:
        """Return the stored form."""
        return msgspec.msgpack.encode([self.lines, sorted(self.says), self.characters])


def unpack(value: bytes) -> Sketch | None:
    """Return the sketch that `pack` encoded, or None for any other bytes."""
    try:
        return Sketch(*msgspec.msgpack.decode(value, type=tuple[dict[int, int], frozenset[int], int]))
    except msgspec.DecodeError:
        return None


def sketch(title: str, text: str, address: str) -> Sketch:
    """Return the sketch of a page's text, without the words of its own address."""
    explained = set(_WORD.findall(address.lower()))
    lines: dict[int, int] = {}
    says = {_key(_kept(title, explained))} if says_missing(title, "") else set[int]()
    for line in islice(text[:MOST_CHARACTERS].split("\n"), MOST_LINES):
        words = _kept(line, explained)
        if words:
            key = _key(words)
            lines[key] = len(words)
            if says_missing("", line):
                says.add(key)
    return Sketch(lines, frozenset(says), len(text))


def _kept(line: str, explained: set[str]) -> list[str]:
    """Return the words of a line that neither occur in the address nor contain figures."""
    return [word for word in _WORD.findall(line.lower()) if word.isalpha() and word not in explained]


def _key(words: list[str]) -> int:
    return crc32(" ".join(words).encode(errors="replace"))


def may_be_like(characters: int, missing: Sketch) -> bool:
    """Return whether a text of this length can be like the sketched page; called before it is sketched."""
    return abs(characters - missing.characters) <= 200 + 0.3 * missing.characters


def is_like(page: Sketch, missing: Sketch) -> bool:
    """Return whether a page is the site's page for addresses that do not exist.

    If that page is short, both must have the same text, which says that nothing is there; an empty answer is like no
    page.
    """
    words = missing.words
    if not words:
        return False
    if words < FEW:
        return bool(missing.says) and page.says == missing.says and page.lines == missing.lines
    shared = sum(count for key, count in page.lines.items() if key in missing.lines)
    if shared < ALIKE * max(words, page.words):
        return False
    return missing.lines.keys() <= page.lines.keys() or bool(page.says & missing.says)


def says_missing(title: str, text: str) -> bool:
    """Return whether a title, or a short text, has the words of missing pages."""
    return _SAYS.search(title) is not None or (len(text) <= SHORT and _SAYS.search(text) is not None)
