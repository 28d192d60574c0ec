"""MinHash sketches of documents for the detection of near duplicates.

About a hundred bytes, made in one pass.

    text -> long lines -> pieces of about six words -> MinHash -> 64 bytes, and the title

A piece ends at a punctuation mark, or at one of a few rare letters: its end depends only on the text around it, so that
an edit changes the pieces it touches and no later ones. Case and figures of the text, and so dates, do not count;
figures of the title do. `model.text.near_duplicates` compares sketches.
"""

from __future__ import annotations

import re
from typing import Final

import xxhash
from rensa import RMinHash

from cormorant.model.text.near_duplicates import FIGURES, PLACES

SHORTEST: Final = 600
"""Characters in long lines below which a text has no sketch: it is mostly the frame of its page."""
MOST: Final = 1 << 20
"""Characters that are read."""
_LINE: Final = 40
"""The shortest long line, in characters: a shorter one is a menu, a button, a heading, or part of a list."""
_WORDS: Final = 24
_WORD: Final = re.compile(r"[^\W\d_]+")
_FIGURE: Final = re.compile(r"\d+")
_SEED: Final = 1

_ENDS: Final = b'.,;:!?()[]{}"|<>=kv\x82\x8c\xb0\xb5'
_FIGURES: Final = b"0123456789"


def _table() -> bytes:
    table = bytearray(range(256))
    table[ord("A") : ord("Z") + 1] = range(ord("a"), ord("z") + 1)
    table[ord("\n")] = table[ord("\t")] = ord(" ")
    for each in _ENDS:
        table[each] = ord("\n")
    return bytes(table)


_TABLE: Final = _table()


def sketch(title: str, text: str) -> bytes:
    """Return the sketch of a document, 68 bytes and two for each word of the title; b"" for too little text."""
    text = text[:MOST]
    said = "\n".join([line for line in text.split("\n") if len(line) >= _LINE])
    if len(said) * 2 < len(text):
        said = text
    if len(said) < SHORTEST:
        return b""
    made = RMinHash(PLACES, _SEED)
    made.update(said.encode(errors="replace").translate(_TABLE, _FIGURES).split(b"\n"))
    return bytes([place & 255 for place in made.digest()]) + _figures(title) + _words(title)


def _figures(title: str) -> bytes:
    """Return bytes that are equal for titles with the same figures in the same order."""
    found = " ".join(_FIGURE.findall(title))
    return xxhash.xxh3_64_digest(found.encode())[:FIGURES] if found else bytes(FIGURES)


def _words(title: str) -> bytes:
    words = _WORD.findall(title.casefold())[:_WORDS]
    named = (xxhash.xxh3_64_digest(word.encode(errors="replace"))[:2] for word in words)
    return b"".join(sorted(set(named)))
