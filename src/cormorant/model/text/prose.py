"""Detection of lines of prose, as opposed to menus, headings and site slogans.

Snippets and generated descriptions both use it.
"""

from __future__ import annotations

import re
from typing import Final

LEAST: Final = 60
"""Bytes in UTF-8; a shorter line with a sentence may be the motto of a site: `We keep you warm.`"""
_SENTENCE: Final = re.compile("[^\\W\\d_]{2}[.!?\u2026][\"'\u2019\u201d)\u00bb]*(?:\\s|$)|[\u3002\uff01\uff1f]")
"""The end of a sentence; the dots of `5.1. Lists` and `file.txt` are none."""


def is_prose(text: str, begin: int, end: int) -> bool:
    """Return whether a line of a text, from `begin` to `end`, is long enough and has a sentence in it."""
    head = text[begin : min(end, begin + LEAST)]
    return len(head.encode(errors="replace")) >= LEAST and _SENTENCE.search(text, begin, end) is not None
