"""Stemming: the forms of one word, by the rules of a language (Snowball stemmers, from PyStemmer).

    running, runs -> run (en)        hauser, haus -> haus (de)        running (de): itself

Words come as the index has them: in lower case, without accents. Words too short to have endings stay unchanged. A
language for which the installed stemmers have no rules has no forms: its words are found as they are written.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Final

import Stemmer

SHORTEST: Final = 3
"""Letters of a word that may have another form."""
_NAMES: Final = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian",
    "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "st": "sesotho", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""Languages as the first part of a tag, and their names for the stemmers."""
_DUTCH: Final = "nl"
DOUBLED: Final = ("aa", "ee", "oo", "uu")
"""Vowels of Dutch stems that are single before an ending."""
LANGUAGES: Final = frozenset(tag for tag, name in _NAMES.items() if name in Stemmer.algorithms())
"""Languages whose forms are known: those for which the installed stemmers really have rules."""


class _Stemmers(threading.local):
    """The stemmers of one thread, by language; one must not be shared by two threads."""

    def __init__(self) -> None:
        self.by_language: dict[str, Stemmer.Stemmer] = {}

    def of(self, language: str) -> Stemmer.Stemmer:
        """Return the stemmer of a language, without its own cache: `stem` remembers."""
        found = self.by_language.get(language)
        if found is None:
            found = self.by_language[language] = Stemmer.Stemmer(_NAMES[language], 0)
        return found


_STEMMERS: Final = _Stemmers()


def language_of(tag: str) -> str:
    """The language of a tag whose forms are known, "" for another: `de-CH` is `de`."""
    primary = tag.lower().partition("-")[0]
    return primary if primary in LANGUAGES else ""


def has_forms(word: str) -> bool:
    """Say whether a word may have other forms: numbers and names made with figures have none."""
    return len(word) >= SHORTEST and word.isalpha()


@lru_cache(50_000)
def stem(word: str, language: str) -> str:
    """Return the stem of a word, by its language's rules; the word itself in a language without rules."""
    if language not in LANGUAGES or not has_forms(word):
        return word
    found: str = _STEMMERS.of(language).stemWord(word)
    return found or word


def beginning(word: str, language: str) -> str:
    """Return the prefix of all forms of a word; endings may change the last letter of its stem (city, cities).

    In Dutch they change its doubled vowel too (boot, boten).
    """
    common = stem(word, language)
    while not word.startswith(common):
        common = common[:-1]
    if language == _DUTCH and common[-3:-1] in DOUBLED:
        return common[:-2]
    return common[:-1] if len(common) > SHORTEST else common


def beginnings(word: str, language: str) -> tuple[str, ...]:
    """Prefixes of most forms of a word, of two letters at least, if there are too many words to examine each.

    A language with prefixes (Arabic, Indonesian, Irish) has forms that begin like the word's stem.
    """
    own = beginning(word, language)
    return (own,) if len(own) > 1 else tuple({word[:SHORTEST], stem(word, language)} - {own, ""})
