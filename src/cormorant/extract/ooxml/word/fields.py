"""Fields of text documents: code, then result (ECMA-376-1 17.16).

A field's result is text, its code is not; the code of a hyperlink names an address, and that of an equation without a
result holds what is displayed.
"""

from __future__ import annotations

import re
from typing import Final

_MAX_CODE: Final = 10_000
_QUOTED: Final = re.compile(r'\s*HYPERLINK\s+"([^"]+)"', re.IGNORECASE)
_BARE: Final = re.compile(r'\s*HYPERLINK\s+([^\s"\\]\S*)', re.IGNORECASE)
_PAGES: Final = frozenset(("PAGE", "NUMPAGES", "SECTIONPAGES"))


class WordField:
    """A field that has begun and not ended."""

    def __init__(self) -> None:
        self.in_code = True
        self.choice = ""
        """The chosen entry of a list to choose from."""
        self.start = -1
        """Pieces of its paragraph before its result."""
        self.paragraph: object = None
        self._code: list[str] = []
        self._size = 0

    @property
    def code(self) -> str:
        """The code of the field, as far as it was read."""
        return "".join(self._code)

    def add_code(self, text: str) -> None:
        """Add a piece of the code."""
        if self._size < _MAX_CODE:
            self._code.append(text[:_MAX_CODE])
            self._size += len(text)


def hyperlink_of(code: str) -> str:
    """Return the address that the code of a HYPERLINK field names, "" for other fields and places in the document."""
    match = _QUOTED.match(code) or _BARE.match(code)
    return match[1].replace("\\\\", "\\") if match else ""


def is_page_number(code: str) -> bool:
    """Return whether a field shows the number of a page, or how many there are."""
    return (code.split(None, 1) or [""])[0].upper() in _PAGES
