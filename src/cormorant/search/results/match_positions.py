"""Positions of the words in a text that match a query.

Words match as in the index: in any case, with any accents, as whole words, a phrase side by side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from cormorant.search.index import query as ask
from cormorant.search.index.compounds import has_compounds, holds, language_of
from cormorant.search.index.edit_distance import edits
from cormorant.search.index.query import Field, Leaf, Like, Near, Pattern, Prefix, QueryWord
from cormorant.search.index.stemming import beginning, stem
from cormorant.search.index.tantivy.term_queries import as_regex
from cormorant.search.index.tokenizer import UNSPACED, words
from cormorant.search.query.attribute_query import BUILT_IN_ATTRIBUTES, KnownAttributes
from cormorant.search.query.parser import parse

_MOST_PLACES = 2_000
_REMEMBERED = 50_000
# Marks that some scripts write into their words.
_MARKS = "[\\u0300-\\u036f\\u0483-\\u0489\\u0591-\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0900-\\u0dff]"
_LETTER = rf"[^\W_{UNSPACED}]"
_WORD = re.compile(f"{_LETTER}+(?:{_MARKS}+{_LETTER}*)*|[{UNSPACED}]")
_ASCII_WORD = re.compile("[A-Za-z0-9]+")
_MOST_FOUND = 5_000
"""Occurrences of prefixes in a text that are examined, each of which may lie within a word."""


class MatchPosition(NamedTuple):
    """The position in a text of one part of the query."""

    start: int
    end: int
    part: int


class _Part(NamedTuple):
    """A part of the query: words side by side, and a test whether a word of the text fits as the last one.

    `opening` is the prefix of every word that matches the first one; "" if there is none.
    """

    number: int
    words: tuple[str, ...]
    fits: Callable[[str], bool]
    opening: str = ""


class Needles:
    """The terms to find in texts of a language; built once per query and used for every hit. Not thread-safe."""

    def __init__(self, leaves: Iterable[Leaf], tag: str = "") -> None:
        self._leaves, self._language = tuple(leaves), language_of(tag)
        self._known: dict[str, tuple[_Part, ...]] = {}
        self._others: dict[str, Needles] = {self._language: self}
        pieces = [piece for leaf in self._leaves if leaf.field in (None, Field.TEXT) for piece in _pieces(leaf)]
        parts = [
            _Part(n, found, self._fitting(leaf, found[-1]), self._opening(leaf, found))
            for n, (leaf, found) in enumerate(dict.fromkeys(pieces))
        ]
        self._parts = sorted(parts, key=lambda part: len(part.words), reverse=True)  # a phrase before its words
        self._openings = _shortest({part.opening for part in parts})
        self.plain = tuple(dict.fromkeys(part.words[-1] for part in parts))
        self.words = tuple(" ".join(part.words) for part in parts)
        """Each part as the index has it, by its number."""

    def spoken(self, tag: str) -> Needles:
        """The terms for texts in another language, whose words have other forms."""
        language = language_of(tag)
        known = self._others.get(language)
        if known is None:
            known = self._others[language] = Needles(self._leaves, language)
        return known

    def places(self, text: str, start: int, end: int) -> list[MatchPosition]:
        """Return the first places between `start` and `end`, none within another."""
        found: list[MatchPosition] = []
        if not self._parts:
            return found
        last, known = start, self._known
        plain = text.isascii()
        for word in _ascii_words(self._openings, text, start, end) if plain else _WORD.finditer(text, start, end):
            parts = known.get(word[0])
            if parts is None:
                parts = self._beginning(word[0])
            if parts and word.start() >= last and (place := _standing(parts, text, word)):
                found.append(place)
                last = place.end
                if len(found) == _MOST_PLACES:
                    break
        return found

    def _beginning(self, word: str) -> tuple[_Part, ...]:
        """Return the parts that may begin with a word of a text, and cache them."""
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        folded = _folded(word)
        parts = tuple(part for part in self._parts if folded and _begins(part, folded[0]))
        self._known[word] = parts
        return parts

    def _fitting(self, leaf: Leaf, last: str) -> Callable[[str], bool]:
        """Return the test whether a word fits as the last one of a leaf."""
        language = self._language
        match leaf:
            case Prefix():
                return lambda word: word.startswith(last)
            case Pattern():
                made = re.compile(as_regex(leaf.text))
                return lambda word: made.fullmatch(word) is not None
            case Like():
                return lambda word: edits(last, word, leaf.edits) <= leaf.edits
            case QueryWord() if language and len(words(leaf.text)) == 1:
                wanted, common = stem(last, language), beginning(last, language)
                return lambda word: (
                    word == last
                    or (word.startswith(common) and stem(word, language) == wanted)
                    or holds(word, last, language)
                )
            case _:
                return last.__eq__

    def _opening(self, leaf: Leaf, found: tuple[str, ...]) -> str:
        """Return the prefix of all words that match the first of these; "" if there is none."""
        if isinstance(leaf, Pattern):
            return "".join(words(found[0][0]))[:1]  # nothing of a wildcard
        if isinstance(leaf, Like) and len(found) == 1:
            return ""
        inflected = isinstance(leaf, QueryWord) and len(found) == 1 and self._language
        if inflected and has_compounds(found[0], self._language):
            return ""
        return beginning(found[0], self._language) if inflected else found[0]


def _pieces(leaf: Leaf) -> Iterator[tuple[Leaf, tuple[str, ...]]]:
    """Yield the words of a leaf that must stand side by side; words of Near are yielded one by one."""
    found = words(leaf.text) or ([leaf.text] if isinstance(leaf, Pattern) else [])
    if isinstance(leaf, Near):
        for word in found:
            yield leaf, (word,)
    elif isinstance(leaf, Pattern):
        yield leaf, (leaf.text,)
    elif found:
        yield leaf, tuple(found)


def _begins(part: _Part, word: str) -> bool:
    return part.fits(word) if len(part.words) == 1 else word == part.words[0]


def _shortest(openings: Set[str]) -> tuple[str, ...]:
    """Return the shortest ASCII prefixes that cover all of these; "" alone if any word may match."""
    if "" in openings:
        return ("",)
    found: list[str] = []
    for each in sorted(each for each in openings if _ASCII_WORD.fullmatch(each)):
        if not (found and each.startswith(found[-1])):
            found.append(each)
    return tuple(found)


def _ascii_words(openings: Sequence[str], text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Yield the words of an ASCII text with one of these prefixes, in either case.

    Most words have none and are skipped at the speed of a memory search, unless the prefixes occur too often within
    words: then every word is examined.
    """
    if openings == ("",):
        return _ASCII_WORD.finditer(text, start, end)
    lowered, found, left = text[start:end].lower(), list[int](), _MOST_FOUND
    for opening in openings:
        at = lowered.find(opening)
        while at >= 0:
            before = start + at - 1
            if before < 0 or not text[before].isalnum():
                found.append(start + at)
            left -= 1
            if not left:
                return _begun(openings, text, start, end)
            at = lowered.find(opening, at + 1)
    return (word for at in sorted(found) if (word := _ASCII_WORD.match(text, at, end)))


def _begun(openings: Sequence[str], text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Yield the words of an ASCII text with one of these prefixes by examining every word."""
    for word in _ASCII_WORD.finditer(text, start, end):
        cut = word.start() > 0 and text[word.start() - 1].isalnum()
        if not cut and word[0].lower().startswith(tuple(openings)):
            yield word


def _words_of(text: str) -> re.Pattern[str]:
    """Return the pattern of a word in this text; ASCII text has a simpler one."""
    return _ASCII_WORD if text.isascii() else _WORD


def _folded(word: str) -> list[str]:
    """Return a word of a text as the index has it, as several words if the index splits it further."""
    return [word.lower()] if word.isascii() else words(word)


def _standing(parts: Sequence[_Part], text: str, word: re.Match[str]) -> MatchPosition | None:
    """Return the position of the first part that matches at `word`."""
    for part in parts:
        end = _end(part, text, word)
        if end:
            return MatchPosition(word.start(), end, part.number)
    return None


def _end(part: _Part, text: str, word: re.Match[str]) -> int:
    """Return where a part that begins with `word` ends, 0 if its other words do not follow."""
    if len(part.words) == 1:
        return word.end()
    at = 0
    for each in _words_of(text).finditer(text, word.start()):
        for one in _folded(each[0]):
            own = part.words[at]
            at += 1
            final = at == len(part.words)
            if one != own and not (final and part.fits(one)):
                return 0
            if final:
                return each.end()
    return 0


class Marking:
    """The terms of a query that are marked in a text of a language. Not for several threads."""

    def __init__(self, query: str, language: str = "", attributes: KnownAttributes = BUILT_IN_ATTRIBUTES) -> None:
        self._needles = Needles(ask.leaves(parse(query, attributes).query), language)

    @property
    def words(self) -> tuple[str, ...]:
        """The terms to find, by number: words, or several words side by side."""
        return self._needles.words

    def __call__(self, text: str) -> Sequence[tuple[int, int, int]]:
        """Return the matches in order: start, end (exclusive) and the number of the term."""
        return self._needles.places(text, 0, len(text))
