"""Text of one page, and whether it is any.

A font may lack the table from glyphs to characters (ISO 32000-1, 9.10). PDFium then hands out glyph numbers as if they
were characters, which look like text and are none: such a page has no text, like a scan.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple, TypeAlias

import pypdfium2.raw as pdfium

from cormorant.extract.pdf.presentation_forms import letters_of_forms

TextPage: TypeAlias = Any
"""A text page of pypdfium2, which comes without types."""

_SAMPLE: Final = 200
"""Characters of a page that are looked at for what they are."""
_MOST_GARBLED: Final = 0.5
_NO_CHARACTERS: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd]")
"""Controls, private use, the replacement character; the marks of broken words are taken out before."""
WITHOUT_MARKS: Final = str.maketrans("", "", "\x02\ufffe")
"""Takes the marks of PDFium for broken words out of a text (`str.translate`)."""


class PageText(NamedTuple):
    """The text of a page, "" for one that `is_garbled`: its glyphs name no characters."""

    text: str
    is_garbled: bool = False


def page_text(text_page: TextPage) -> PageText:
    """Return the text that stands within the page's box.

    A hyphen at the end of a line stands as U+0002 or U+FFFE where PDFium would remove it (`line_hyphens`).
    """
    text: str = text_page.get_text_bounded()
    if not text.strip():
        return PageText("")
    if _is_garbled(text) or _has_no_characters(text_page):
        return PageText("", is_garbled=True)
    return PageText(letters_of_forms(text))


def count_letters(text: str) -> int:
    """Return how many letters and digits `text` has."""
    return sum(map(str.isalnum, text))


def _is_garbled(text: str) -> bool:
    shown = "".join(text.translate(WITHOUT_MARKS).split())
    return len(_NO_CHARACTERS.findall(shown)) > _MOST_GARBLED * len(shown)


def _has_no_characters(text_page: TextPage) -> bool:
    """Ask of some glyphs, evenly spread, whether PDFium knows their characters."""
    count = pdfium.FPDFText_CountChars(text_page)
    places = range(0, count, max(1, count // _SAMPLE))
    unknown = sum(pdfium.FPDFText_HasUnicodeMapError(text_page, place) == 1 for place in places)
    return bool(unknown > _MOST_GARBLED * len(places))
