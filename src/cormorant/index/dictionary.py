"""Which words are there? Looked up in the index itself, so that nothing about words has to be kept beside it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Final, NamedTuple

import tantivy

from cormorant.index.alike import allowed, edits
from cormorant.index.query import Field, Key
from cormorant.index.stems import beginning, has_forms, language_of, stem

MOST_LOOKED_AT: Final = 5_000
"""Words with one beginning that are looked at for forms of a word; there are more for short beginnings alone."""
MOST_FORMS: Final = 24
"""Other forms of a word that are asked for, those first that most documents hold."""
MOST_COMPARED: Final = 200_000
"""Words with one first letter that are compared with a misspelt one: 0.2 s."""
MOST_ALIKE: Final = 8
_REMEMBERED: Final = 10_000
_FIELDS: Final = (Field.TEXT, Field.TITLE)


class Forms(NamedTuple):
    """Other forms of a word in documents of a language."""

    language: str
    words: tuple[str, ...]


class Dictionary:
    """The words of one committed state. What it tells is of all documents: for questions, never for answers."""

    def __init__(self, searcher: tantivy.Searcher) -> None:
        self._searcher = searcher
        self._forms: dict[str, tuple[Forms, ...]] = {}

    @cached_property
    def _filed(self) -> dict[str, int]:
        """The tags that documents are filed under."""
        return dict(self._searcher.terms_with_prefix(Key.LANGUAGE, ""))

    @cached_property
    def languages(self) -> dict[str, int]:
        """The languages with known forms in which there are documents, and in how many."""
        return {tag: count for tag, count in self._filed.items() if tag == language_of(tag)}

    @cached_property
    def primary(self) -> frozenset[str]:
        """All languages in which there are documents, each of which is in one of them; UNKNOWN where nobody knows."""
        return frozenset(tag for tag in self._filed if "-" not in tag)

    def forms(self, word: str) -> tuple[Forms, ...]:
        """Return other forms of a word, for each language in which there are any."""
        known = self._forms.get(word)
        if known is None:
            if len(self._forms) >= _REMEMBERED:
                self._forms.clear()
            known = self._forms[word] = self._look_up(word)
        return known

    def alike(self, word: str, holding: Callable[[str], int]) -> list[str]:
        """Return words that are written nearly like this one, nearest first, then those that most documents hold.

        They begin with the same letter: who misspells seldom does so at once. `holding` says in how many documents that
        count a word stands; one that none of them holds is not told, nor takes the place of another.
        """
        most = allowed(word)
        apart = {other: edits(word, other, most) for other in self._beginning(word[:1], MOST_COMPARED) if other != word}
        found: list[str] = []
        for distance in range(1, most + 1):
            held = {other: holding(other) for other, by in apart.items() if by == distance}
            found += sorted(filter(held.get, held), key=lambda other: (-held[other], other))
            if len(found) >= MOST_ALIKE:
                break
        return found[:MOST_ALIKE]

    def _look_up(self, word: str) -> tuple[Forms, ...]:
        if not has_forms(word):
            return ()
        found = ((language, self._forms_in(word, language)) for language in sorted(self.languages))
        return tuple(Forms(language, others) for language, others in found if others)

    def _forms_in(self, word: str, language: str) -> tuple[str, ...]:
        wanted, counts = stem(word, language), self._beginning(beginning(word, language), MOST_LOOKED_AT)
        found = [other for other in counts if other != word and stem(other, language) == wanted]
        return tuple(sorted(found, key=lambda other: (-counts[other], other))[:MOST_FORMS])

    def _beginning(self, letters: str, most: int) -> dict[str, int]:
        """Words that begin so, and how many documents hold each in one field or the other."""
        counts: dict[str, int] = {}
        for field in _FIELDS:
            for word, count in self._searcher.terms_with_prefix(field, letters, limit=most):
                counts[word] = max(count, counts.get(word, 0))
        return counts
