"""Tokenizer: the definition of a word for documents, queries and snippets.

A word is a run of letters and digits, in lower case, without accents: `Crème` is `creme`. In scripts that are written
without spaces (Chinese, Japanese, Thai and their neighbours) and in Korean, whose endings are attached to its words,
every character is a word of its own, so that any part of a sentence is found as a phrase. Nothing is stemmed.

The tokenizer is Tantivy's; the text is prepared for it by spaces between characters and composed accents.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import tantivy

LONGEST_WORD = 255
"""Bytes. Longer runs (mostly encoded data) are no words, but count as positions in phrases."""

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Characters that are words of their own, for use inside the brackets of a regular expression."""

_UMLAUT = re.compile("([aou])e")
_RUN = re.compile(f"[{UNSPACED}]+")
# Bytes in UTF-8 that begin a character which may need composing or spaces; most texts have none. A search for them is
# 16 times as fast as the pattern, and 3 times as fast as a check whether a text is composed.
_LEADS = bytes((0xCC, 0xCD, 0xD9, 0xE0, 0xE1, *range(0xE3, 0xF0), 0xF0))
# The Turkish capital whose small form is two code points, which no query would match.
_DOTTED = "\u0130"


class Prepared(NamedTuple):
    """A text as stored (accents composed, halves of surrogate pairs replaced), its UTF-8, and the text to be split.

    In the text to be split, every character that is a word of its own has spaces around it.
    """

    kept: str
    encoded: bytes
    split: str


def prepare(text: str) -> Prepared:
    """Prepare `text` for storing and for splitting into words."""
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        encoded = text.encode("utf-8", "replace")
        text = encoded.decode()
    if len(text) == len(encoded):
        return Prepared(text, encoded, text)
    if len(encoded.translate(None, _LEADS)) == len(encoded):
        return Prepared(text, encoded, text.replace(_DOTTED, "I"))
    text = unicodedata.normalize("NFC", text)
    return Prepared(text, text.encode(), _RUN.sub(_with_spaces, text.replace(_DOTTED, "I")))


def _with_spaces(run: re.Match[str]) -> str:
    """Put spaces around the characters of a run, each of which is a word of its own."""
    return f" {' '.join(run[0])} "


def clean(text: str) -> str:
    """Return `text` as it is stored."""
    return prepare(text).kept


def analyzer() -> tantivy.TextAnalyzer:
    """Return the tokenizer that every process has to register before it touches an index."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    lower = tantivy.Filter.lowercase  # twice, since folding makes a capital of a few small letters, like that of U+01E4
    for each in (tantivy.Filter.remove_long(LONGEST_WORD + 1), lower(), tantivy.Filter.ascii_fold(), lower()):
        builder = builder.filter(each)
    return builder.build()


@cache
def _own() -> tantivy.TextAnalyzer:
    """Return the tokenizer that this module uses."""
    return analyzer()


def words(text: str) -> list[str]:
    """Return the words of any text, in order."""
    return _own().analyze(prepare(text).split)


MOST_SPELLED = 200_000
"""Characters of a text that are searched for spellings of a word."""
_ACCENTED = re.compile(r"\w*[^\x00-\x7f\W]\w*")


def spelling(word: str, documents: Iterable[Iterable[str]]) -> str:
    """Return the most frequent spelling of a word of the index in these documents: `Führung` for `fuhrung`.

    A spelling that differs in case alone counts as the word itself. `documents` are the stored texts of each.
    """
    counts = Counter[str]()
    for texts in documents:
        found = set[str]()
        for text in (each[:MOST_SPELLED] for each in texts):
            if not text.isascii():
                accented = {each for each in set(_ACCENTED.findall(text)) if words(each) == [word]}
                found |= {word if each.lower() == word else each for each in accented}
            if re.search(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", text, re.IGNORECASE | re.ASCII):
                found.add(word)
        counts.update(found)
    return max(sorted(counts), key=lambda each: (counts[each], each != word, each.islower()), default=word)


def plainer(word: str) -> tuple[str, ...]:
    """Return words of the index that a word with two plain letters in place of a marked one may mean.

    The index drops marks: `malmoe` may be `malmo`, `aarhus` may be `arhus`.
    """
    umlauts = _UMLAUT.sub(r"\1", word)
    found = (umlauts, word.replace("aa", "a"), umlauts.replace("aa", "a"))
    return tuple(dict.fromkeys(each for each in found if each != word))


def places(text: str) -> dict[str, list[int]]:
    """Return every word of a text with its positions, counted in words."""
    found: dict[str, list[int]] = {}
    for token in _own().pre_tokenize(prepare(text).split).tokens:
        found.setdefault(token.text, []).append(token.position)
    return found
