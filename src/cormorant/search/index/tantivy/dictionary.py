"""Dictionary of the words in the embedded index, read from the index itself rather than stored beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import Final

import tantivy

from cormorant.search.index.compounds import ends_backwards, first_part, has_compounds, holds, turned
from cormorant.search.index.edit_distance import allowed, edits, misspelt
from cormorant.search.index.query import Field, Key
from cormorant.search.index.stemming import beginning, beginnings, has_forms, stem
from cormorant.search.index.tantivy.reader_view import Forms, ReaderView
from cormorant.search.index.tantivy.schema import BACKWARDS
from cormorant.search.index.tokenizer import plainer

MOST_LOOKED_AT: Final = 5_000
"""Words with one prefix that are examined for forms of a word; only short prefixes have more."""
MOST_FORMS: Final = 24
"""Other forms of a word that are searched, those first that most of the reader's documents hold."""
MOST_COMPOUNDS: Final = 1_000
"""Compounds with a word as a part that are searched, likewise."""
MOST_COMPARED: Final = 200_000
"""Words with one first letter that are compared with a misspelt one: 0.2 s."""
MOST_ALIKE: Final = 8
_REMEMBERED: Final = 10_000
_FIELDS: Final = (Field.TEXT, Field.TITLE)


class Dictionary:
    """The words of one committed state.

    Candidates come from the words of all documents. The words returned, their order, and those left out if there are
    too many depend only on the documents that the reader sees.
    """

    def __init__(self, searcher: tantivy.Searcher) -> None:
        self._searcher = searcher
        self._families: dict[tuple[str, str], tuple[str, ...] | None] = {}

    @cached_property
    def primary(self) -> frozenset[str]:
        """All languages of documents; every document is in one of them, UNKNOWN if its language is unknown."""
        return frozenset(tag for tag, _ in self._searcher.terms_with_prefix(Key.LANGUAGE, "") if "-" not in tag)

    def forms(self, word: str, sight: ReaderView) -> tuple[Forms, ...]:
        """Return other forms of a word that the reader's documents hold, for each language in which there are any."""
        known = sight.forms.get(word)
        if known is None:
            if len(sight.forms) >= _REMEMBERED:
                sight.forms.clear()
            known = sight.forms[word] = self._look_up(word, sight)
        return known

    def compounds(self, word: str, sight: ReaderView) -> tuple[Forms, ...]:
        """Return compounds that have a word as a part, for each language, those first that most documents hold."""
        known = sight.compounds.get(word)
        if known is None:
            if len(sight.compounds) >= _REMEMBERED:
                sight.compounds.clear()
            languages = [language for language in sight.spoken if has_compounds(word, language)]
            found = ((language, self._compounds_in(word, language, sight)) for language in sorted(languages))
            known = sight.compounds[word] = tuple(Forms(language, some) for language, some in found if some)
        return known

    def alike(self, word: str, sight: ReaderView) -> list[str]:
        """Return words that are written nearly like this one, nearest first, then those that most documents hold.

        Of two words as near, the one that differs only by an additional ending comes first (expence: expenses, not
        expect). They begin with the same letter, since the first letter is seldom misspelt. A word that no document of
        the reader holds is not returned, nor takes the place of another.
        """
        most = allowed(word)
        found = [other for other in plainer(word) if sight.holding(other)]
        beginning = self._beginning(word[:1], MOST_COMPARED, sight)
        apart = {other: edits(word, other, most) for other in beginning if other != word and other not in found}
        for distance in range(1, most + 1):
            held = {other: sight.holding(other) for other, by in apart.items() if by == distance}
            found += sorted(filter(held.get, held), key=lambda other: (misspelt(word, other), -held[other], other))
            if len(found) >= MOST_ALIKE:
                break
        return found[:MOST_ALIKE]

    def _look_up(self, word: str, sight: ReaderView) -> tuple[Forms, ...]:
        if not has_forms(word):
            return ()
        found = ((language, self._forms_in(word, language, sight)) for language in sight.spoken)
        return tuple(Forms(language, others) for language, others in sorted(found) if others)

    def _compounds_in(self, word: str, language: str, sight: ReaderView) -> tuple[str, ...]:
        """Return compounds in one language: words that begin like this one, and words that end like it."""
        found = set(self._beginning(first_part(word, language), MOST_LOOKED_AT, sight))
        for letters in ends_backwards(word, language):
            found.update(turned(each) for each in self._beginning(letters, MOST_LOOKED_AT, sight, (BACKWARDS,)))
        held = {each: sight.holding(each) for each in found if holds(each, word, language)}
        return tuple(sorted(filter(held.get, held), key=lambda each: (-held[each], each))[:MOST_COMPOUNDS])

    def _forms_in(self, word: str, language: str, sight: ReaderView) -> tuple[str, ...]:
        """Return the forms that most of the reader's documents hold."""
        held = {other: sight.holding(other) for other in self._family(word, language, sight)}
        return tuple(sorted(filter(held.get, held), key=lambda other: (-held[other], other))[:MOST_FORMS])

    def _family(self, word: str, language: str, sight: ReaderView) -> tuple[str, ...]:
        """Return other words with the same stem.

        They are the same for every reader and cached, unless there are too many to examine.
        """
        if (word, language) not in self._families:
            if len(self._families) >= _REMEMBERED:
                self._families.clear()
            words = self._all(beginning(word, language), MOST_LOOKED_AT)
            self._families[word, language] = None if words is None else _related(words, word, language)
        known = self._families[word, language]
        if known is None:
            starts = beginnings(word, language)
            found = {each for start in starts for each in self._beginning(start, MOST_LOOKED_AT, sight)}
            known = _related(found, word, language)
        return known

    def _beginning(
        self, letters: str, most: int, sight: ReaderView, fields: Sequence[str] = _FIELDS
    ) -> Collection[str]:
        """Return words with this prefix; of more than `most`, those that most of the reader's documents hold."""
        words = self._all(letters, most, fields)
        return self._walk(letters, most, sight.query, fields) if words is None else words

    def _all(self, letters: str, most: int, fields: Sequence[str] = _FIELDS) -> Collection[str] | None:
        """Return all words with this prefix, None if a field has more than `most`."""
        found = [self._searcher.terms_with_prefix(field, letters, limit=most + 1) for field in fields]
        if any(len(each) > most for each in found):
            return None
        return {word for each in found for word, _ in each}

    def _walk(self, letters: str, most: int, within: tantivy.Query, fields: Sequence[str]) -> Collection[str]:
        """Return the words with this prefix that most documents of a query hold, in one field or another."""
        found = (self._searcher.terms_with_prefix(field, letters, within, limit=most) for field in fields)
        return {word for each in found for word, count in each if count}


def _related(words: Iterable[str], word: str, language: str) -> tuple[str, ...]:
    """Return which of these words have the stem of another one."""
    wanted = stem(word, language)
    return tuple(other for other in words if other != word and stem(other, language) == wanted)
