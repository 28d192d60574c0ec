"""Media types that the Apache Tika server of an installation reads: those in its setting, or the default.

""                                   the types of `tika_formats` without a converter, built in or of a package
"default, audio/*, application/pdf"  these, all of a family, and one that has another converter
"""

from __future__ import annotations

import re
from typing import Final

from cormorant.extract.detect.formats import reader_of
from cormorant.extract.detect.tika_formats import TIKA_TYPES

DEFAULT: Final = "default"
"""The word for the default types in a list."""
_WORD: Final = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,60}/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,80})")
_PAGES: Final = frozenset(("text/html", "application/xhtml+xml"))
_BETWEEN: Final = re.compile(r"[,\s]+")


class TikaTypes:
    """The types that Tika reads; `mime in types` tests one.

    Tika never reads a web page, since a crawl would not find its links.
    """

    def __init__(self, words: str) -> None:
        """Parse the setting. Raises ValueError with a sentence about an invalid word."""
        several = frozenset(filter(None, _BETWEEN.split(words.strip().lower())))
        for word in sorted(several - {DEFAULT}):
            _check(word)
        self._default = not several or DEFAULT in several
        self._families = frozenset(word.removesuffix("*") for word in several if word.endswith("/*"))
        self._named = several

    def words(self) -> frozenset[str]:
        """Return the types that can be named, and families as they are written (audio/*)."""
        exact = {mime for mime in (*TIKA_TYPES, *self._named) if mime in self and not mime.endswith("/*")}
        return frozenset(exact) | {f"{family}*" for family in self._families}

    def __contains__(self, mime: str) -> bool:
        if mime in self._named:
            return True
        if mime in _PAGES:
            return False
        if f"{mime.partition('/')[0]}/" in self._families:
            return True
        return self._default and mime in TIKA_TYPES and reader_of(mime) is None


def _check(word: str) -> None:
    if not _WORD.fullmatch(word):
        raise ValueError(f"{word!r} is no media type. Write some like audio/mpeg or audio/*, or default, with commas.")
    if word in _PAGES:
        raise ValueError(f"{word} cannot be read by Tika: a crawl would not find the links of pages. Leave it out.")
