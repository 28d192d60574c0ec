"""Does a page say anything that pages made alike did not say? What its address tells is not counted.

A line of text is known by the words that its address does not explain. An address explains its own words, its numbers
and those beside them (the next month, the page before), and every number of one or two digits.
"""

from __future__ import annotations

import re
from zlib import crc32

MOST_LINES, MOST_TEXT = 200, 200_000
"""Lines of a page that are looked at, and characters of them."""
MOST_KNOWN = 20_000
"""Lines that are remembered of pages made alike; beyond them nothing counts as said before."""
MARK = 7
"""Digits of a number that is a mark and no figure: it says nothing when the address explains it."""
_WORD = re.compile(r"[^\W_]+")


def unexplained(text: str, address: str) -> tuple[set[int], set[int]]:
    """Keys of the lines of a text: by words that its address does not explain, and of lines with figures whole."""
    told = set(_WORD.findall(address.lower()))
    told |= {str(int(word) + step) for word in told if word.isdecimal() and len(word) < 12 for step in (-1, 0, 1)}
    bare, exact = set[int](), set[int]()
    for line in text[:MOST_TEXT].split("\n", MOST_LINES)[:MOST_LINES]:
        words = _WORD.findall(line.lower())
        kept = [word for word in words if word not in told and not (word.isdecimal() and len(word) < 3)]
        numbers = [word for word in words if word.isdecimal() and len(word) < MARK]
        if kept:
            bare.add(crc32(" ".join(kept).encode(errors="replace")))
        if numbers:
            exact.add(crc32(("#" + " ".join(words)).encode(errors="replace")))
    return bare, exact
