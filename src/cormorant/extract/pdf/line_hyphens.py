"""Words that were broken at the end of a line: hyphens of the word are kept, hyphens of the break are removed.

    exam-      ple        -> example                    a soft hyphen, removed
    Anglo-     Saxon      -> Anglo-Saxon                a hard one, kept
    Haupt-     und        -> Haupt- und                 one that represents the rest of a compound
    decision-  making     -> decisionmaking ... decision-making          in doubt: both can be found

A PDF does not distinguish the two, and PDFium marks both with U+0002 or U+FFFE, even a true soft hyphen. The document
itself decides first: by the form of the word elsewhere in it, unbroken. Otherwise rules for all languages with Latin,
Greek or Cyrillic letters decide: programs that break words do not break before a capital or a digit, nor behind a
single letter, nor abbreviations in capitals. Without such a sign, a break between two parts that both are words of the
document, or of which one is mostly joined with a hyphen, or within a word that has a hyphen before, is in doubt. Then
the text has the joined word, which is right more often, and so does a phrase that contains it; the other way stands in
an aside, so that both are found. To put both into the text would tear the phrase in either way, and to add the
hyphenated form of every broken word would make its pieces found ("exam", "ple"). Of 1,042 broken words in manuals in
English, German, French and Spanish, 43 are in doubt; of the 700 others that were checked, fewer than ten are wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

MAX_ASIDES: Final = 2_000
"""Hyphenated forms of a document that are kept beside its text."""

_BREAK: Final = re.compile(
    r"[\x02\ufffe](?:\r?\n)?|(?<=[^\W\d_])[-\u2010] ?\r?\n(?=[^\W_])|(?<=\d)[-\u2010]\r?\n(?=[^\W_])|\xad ?\r?\n"
)
_SOFT: Final = "\xad"
_MARKS: Final = "\x02\ufffe"
_AROUND: Final = 60
"""Characters on either side of a break in which its word is searched."""
_HEAD: Final = re.compile(r"[^\W_]+")
_TAIL: Final = re.compile(r"[^\W_]+\Z")
_RUN_BEFORE: Final = re.compile(r"\S*\Z")
_WORD: Final = re.compile(r"[^\W_]+")
_HYPHEN: Final = re.compile(r"(?<=[^\W_])[-\u2010\u2011](?=[^\W_])")
_ADDRESS: Final = re.compile(r"://|\bwww\.|@|_|\A[(\[\"'\u201c\u201d\u201e\u00ab]*~?/\w")
_LIST_WORDS: Final = frozenset((
    "and", "or", "nor", "versus", "und", "oder", "sowie", "bzw", "beziehungsweise", "et", "ou", "y", "och", "og",
    "eller",
))  # fmt: skip
"""Words that join the ends of two compounds: "pre- and post-war", "Haupt- und Nebensache"."""
_FIRST_PARTS: Final = frozenset((
    "self", "well", "non", "long", "short", "high", "low", "cross", "all", "half", "ex", "mid", "full", "part",
    "ever", "quasi", "semi", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "first",
    "second", "third", "vice", "two", "three", "four", "five", "six", "seven", "eight", "nine", "peut", "demi",
    "sous", "celui", "celle", "ceux", "celles", "là", "après", "avant", "contre", "grand", "petit", "lui", "elle",
    "moi", "toi", "soi", "nous", "vous", "eux", "rendez", "porte", "quelques", "est", "sont", "dit", "nicht",
    "möchtegern", "socio", "franco", "hispano", "teórico", "político",
))  # fmt: skip
"""First parts of words that are mostly written with a hyphen, in English, French, German and Spanish."""
_LAST_PARTS: Final = frozenset((
    "il", "elle", "ils", "elles", "on", "ce", "je", "tu", "moi", "toi", "lui", "vous", "nous", "leur", "même",
    "mêmes", "être", "ci", "là", "dire", "based", "free", "like", "related", "specific", "wide", "style", "level",
    "term", "time", "off", "up", "by", "making",
))  # fmt: skip
"""Last parts of such words."""


class Joint(NamedTuple):
    """The way in which two parts of a broken word go together: by `between`; `aside` is the other way, "" for none."""

    between: str
    aside: str = ""


class LineHyphens:
    """The broken words of a document, judged by its other words."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Take the texts of all pages, with the marks of PDFium."""
        self._words: set[str] = set()
        self._pairs: set[tuple[str, str]] = set()
        self.asides: dict[str, None] = {}
        if any(_BREAK.search(text) for text in texts):
            for text in texts:
                self._learn(" ".join(_without_broken(text)).lower())

    def _learn(self, text: str) -> None:
        self._words.update(_WORD.findall(text))
        for hyphen in _HYPHEN.finditer(text):
            first = _TAIL.search(text[max(0, hyphen.start() - _AROUND) : hyphen.start()])
            second = _HEAD.match(text[hyphen.end() : hyphen.end() + _AROUND])
            if first and second:
                self._pairs.add((first[0], second[0]))

    def joined(self, text: str) -> str:
        """Return the text of a page with its broken words joined, and keep doubtful forms in `asides`."""
        return "".join(self._pieces(text))

    def _pieces(self, text: str) -> Iterator[str]:
        end = 0
        for found in _BREAK.finditer(text):
            yield text[end : found.start()]
            end = found.end()
            before = text[max(0, found.start() - _AROUND) : found.start()]
            joint = self._joint(before, found[0], text[end : end + _AROUND])
            if joint.aside and len(self.asides) < MAX_ASIDES:
                self.asides[joint.aside] = None
            yield joint.between
        yield text[end:]

    def _joint(self, before: str, mark: str, after: str) -> Joint:
        first, second = _TAIL.search(before), _HEAD.match(after)
        if first is None or second is None:
            return Joint("-" if mark[0] in _MARKS else mark)
        if mark[0] == _SOFT:
            return Joint("")
        if _ADDRESS.search(_run_at(before)):
            return Joint("-")
        ahead = before[: first.start()]
        joined, hyphenated = self._stands_elsewhere(first[0], second[0])
        if joined != hyphenated:
            return Joint("" if joined else "-")
        behind = after[second.end() : second.end() + 1]
        if not joined and second[0].lower() in _LIST_WORDS and (not behind or behind.isspace()):
            return Joint("- ")
        if _is_hard(first[0], second[0], ahead):
            return Joint("-")
        in_doubt = hyphenated or ahead.endswith("-") or self._are_parts(first[0], second[0])
        return Joint("", f"{first[0]}-{second[0]}" if in_doubt else "")

    def _stands_elsewhere(self, first: str, second: str) -> tuple[bool, bool]:
        """Return whether the word occurs elsewhere joined, and whether it does with a hyphen."""
        first, second = first.lower(), second.lower()
        return first + second in self._words, (first, second) in self._pairs

    def _are_parts(self, first: str, second: str) -> bool:
        """Return whether both may be words of their own, or parts of a compound with a hyphen."""
        one, other = first.lower(), second.lower()
        if one in _FIRST_PARTS or other in _LAST_PARTS or (first.isupper() and second.isupper()):
            return True
        return min(len(one), len(other)) > 1 and one in self._words and other in self._words


def _without_broken(text: str) -> Iterator[str]:
    """Yield the text between the broken words, whose pieces are no words."""
    end = 0
    for found in _BREAK.finditer(text):
        piece = _TAIL.search(text[max(end, found.start() - _AROUND) : found.start()])
        yield text[end : found.start() - (len(piece[0]) if piece else 0)]
        rest = _HEAD.match(text[found.end() : found.end() + _AROUND])
        end = found.end() + (len(rest[0]) if rest else 0)
    yield text[end:]


def _run_at(before: str) -> str:
    run = _RUN_BEFORE.search(before)
    return run[0] if run else ""


def _is_hard(first: str, second: str, ahead: str) -> bool:
    """Return whether a hyphen between these parts belongs to any such word."""
    if not second[0].isalpha() or not first[-1].isalpha():
        return True
    if first.isupper() and second.isupper() and len(first) > 1 and len(second) > 1:
        return False
    if second[0].isupper() or (first.isupper() and len(first) > 1):
        return True
    return len(first) == 1 and not ahead.endswith(("'", "\u2019"))


def joined_lines(texts: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the texts of all pages with their broken words joined, and the hyphenated forms that are in doubt."""
    pages = list(texts)
    hyphens = LineHyphens(pages)
    return [hyphens.joined(page) for page in pages], list(hyphens.asides)
