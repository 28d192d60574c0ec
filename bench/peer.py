"""Plain BM25 by a library of others, and full text search of SQLite, on the same documents and questions."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from functools import lru_cache

import bm25s

from cormorant.search.index.stemming import stem

_WORD = re.compile(r"[^\W_]+")
_STOPS = """
a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was
will with
"""
_STOP = frozenset(_STOPS.split())


def plain(text: str) -> list[str]:
    """Words in lower case, nothing more."""
    return _WORD.findall(text.lower())


@lru_cache(100_000)
def _stemmed(word: str) -> str:
    return stem(word, "en")


def stemmed(text: str) -> list[str]:
    """The same without stop words, each as its stem (Snowball, English)."""
    return [_stemmed(word) for word in plain(text) if word not in _STOP]


def ranking(documents: dict[int, tuple[str, str]], words: Callable[[str], list[str]]) -> Callable[[str], Sequence[int]]:
    """How BM25 with its usual constants (k1 = 1.2, b = 0.75) ranks these documents, title and text as one."""
    numbers = list(documents)
    index = bm25s.BM25(k1=1.2, b=0.75)
    index.index([words(" ".join(documents[number])) for number in numbers], show_progress=False)

    def ranked(question: str) -> list[int]:
        found, _ = index.retrieve([words(question)], k=len(numbers), show_progress=False)
        return [numbers[at] for at in found[0]]

    return ranked


def fts5(documents: dict[int, tuple[str, str]]) -> Callable[[str], Sequence[int]]:
    """How SQLite's FTS5 ranks these documents with its porter tokenizer, asked for any of the words."""
    database = sqlite3.connect(":memory:")
    database.execute("create virtual table document using fts5(title, text, tokenize = 'porter unicode61')")
    rows = ((number, title, text) for number, (title, text) in documents.items())
    database.executemany("insert into document (rowid, title, text) values (?, ?, ?)", rows)

    def ranked(question: str) -> Sequence[int]:
        asked = " OR ".join(f'"{word}"' for word in dict.fromkeys(plain(question)))
        found = database.execute("select rowid from document where document match ? order by rank limit 1000", (asked,))
        return [number for (number,) in found]

    return ranked
