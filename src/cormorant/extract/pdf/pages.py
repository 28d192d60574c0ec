"""Text of one page, and detection of meaningless text.

A word is found by its letters, and a PDF often names shapes (ligatures, forms of Arabic and Hebrew letters): "ﬁnd" is
"find". The letters are those of Unicode's compatibility decomposition (UAX 15); of other compatibility characters
(fractions, squared units) nothing is changed.

A font may lack the table from glyphs to characters (ISO 32000-1, 9.10). PDFium then returns glyph numbers as
characters, which look like text: such a page counts as one without text, like a scan.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Final, NamedTuple, TypeAlias

import pypdfium2.raw as pdfium

TextPage: TypeAlias = Any
"""A text page of pypdfium2, which comes without types."""

_SAMPLE: Final = 200
"""Characters of a page that are tested."""
_MOST_GARBLED: Final = 0.5
_NO_CHARACTERS: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd]")
"""Controls, private use, the replacement character; the marks of broken words are taken out before."""
_FORMS: Final = (
    "\ufb00-\ufb06\ufb13-\ufb17\ufb1d-\ufb4f\ufb50-\ufdcf\ufdf0-\ufdfc\ufe10-\ufe19\ufe30-\ufe4f\ufe70-\ufefc"
)
_FORM_RUN: Final = re.compile(f"[{_FORMS}]+")
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
    return PageText(_letters_of_forms(text))


def count_letters(text: str) -> int:
    """Return the number of letters and digits in `text`."""
    return sum(map(str.isalnum, text))


def _is_garbled(text: str) -> bool:
    shown = "".join(text.translate(WITHOUT_MARKS).split())
    return len(_NO_CHARACTERS.findall(shown)) > _MOST_GARBLED * len(shown)


def _has_no_characters(text_page: TextPage) -> bool:
    """Return whether PDFium lacks the characters of some evenly spread glyphs."""
    count = pdfium.FPDFText_CountChars(text_page)
    places = range(0, count, max(1, count // _SAMPLE))
    unknown = sum(pdfium.FPDFText_HasUnicodeMapError(text_page, place) == 1 for place in places)
    return bool(unknown > _MOST_GARBLED * len(places))


def _letters_of_forms(text: str) -> str:
    """Return `text` with ligatures and presentation forms replaced by their letters."""
    return _FORM_RUN.sub(lambda run: unicodedata.normalize("NFKC", run[0]), text) if not text.isascii() else text
