"""Which words are forms of one word? By the rules of a language (Snowball stemmers, as the engine has them).

    running, runs -> run (en)        hauser, haus -> haus (de)        running (de): itself

Words come as the index has them: in lower case, without accents. What is too short to have endings stays as it is.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

import tantivy

SHORTEST: Final = 3
"""Letters of a word that may have another form."""
_NAMES: Final = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "eu": "basque", "fi": "finnish", "fr": "french", "hu": "hungarian", "hy": "armenian", "it": "italian",
    "lt": "lithuanian", "nb": "norwegian", "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
LANGUAGES: Final = frozenset(_NAMES)
"""Languages whose forms are known, as the first part of a language tag."""


def language_of(tag: str) -> str:
    """The language of a tag whose forms are known, "" for another: `de-CH` is `de`."""
    primary = tag.lower().partition("-")[0]
    return primary if primary in LANGUAGES else ""


def has_forms(word: str) -> bool:
    """Say whether a word may have other forms: numbers and names made with figures have none."""
    return len(word) >= SHORTEST and word.isalpha()


@lru_cache(50_000)
def stem(word: str, language: str) -> str:
    """What all forms of a word begin with, or its rules make of them."""
    if not has_forms(word):
        return word
    found = _stemmer(_NAMES[language]).analyze(word)
    return found[0] if found else word


def beginning(word: str, language: str) -> str:
    """What every form of a word begins with: endings may change the last letter of its stem (city, cities)."""
    common = stem(word, language)
    while not word.startswith(common):
        common = common[:-1]
    return common[:-1] if len(common) > SHORTEST else common


@cache
def _stemmer(name: str) -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw())
    return builder.filter(tantivy.Filter.stemmer(name)).build()
