"""Texts that a tagged PDF has in place of its contents: ISO 32000-1, 14.9.3 (Alt) and 14.9.4 (ActualText)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import pypdfium2.raw as pdfium

from cormorant.extract.pdf.pages import count_letters
from cormorant.extract.pdf.pdfium_text import wide_text

_MAX_ELEMENTS: Final = 20_000
"""Elements of a page that are looked at."""
_FEWEST_LETTERS: Final = 3
"""ActualText of fewer letters stands for a ligature or a hyphen within a word, which PDFium has read."""
_MADE_UP: Final = re.compile(
    r"(?:picture|image|graphic|figure|photo|bild|grafik|abbildung|imagen?|figura|gráfico|foto)?[ _-]*\d*"
    r"|\S+\.(?:png|jpe?g|gif|bmp|tiff?|svg|emf|wmf|webp)|.*description automatically generated\.?"
    r"|.*automatisch generierte beschreibung\.?",
    re.IGNORECASE,
)


def alternative_texts(page: Any) -> Iterator[str]:
    """Yield the descriptions of pictures and the spelled-out texts that the tags of a page give, in its order."""
    tree = pdfium.FPDF_StructTree_GetForPage(page)
    if not tree:
        return
    try:
        roots = range(min(_MAX_ELEMENTS, pdfium.FPDF_StructTree_CountChildren(tree)))
        waiting = [pdfium.FPDF_StructTree_GetChildAtIndex(tree, index) for index in reversed(roots)]
        for _ in range(_MAX_ELEMENTS):
            if not waiting:
                return
            element = waiting.pop()
            if element:
                yield from _texts(element)
                waiting += _children(element)
    finally:
        pdfium.FPDF_StructTree_Close(tree)


def _children(element: Any) -> list[Any]:
    count = min(_MAX_ELEMENTS, pdfium.FPDF_StructElement_CountChildren(element))
    return [pdfium.FPDF_StructElement_GetChildAtIndex(element, index) for index in reversed(range(count))]


def _texts(element: Any) -> Iterator[str]:
    described = wide_text(partial(pdfium.FPDF_StructElement_GetAltText, element))
    if described and not _MADE_UP.fullmatch(described.strip()):
        yield described
    spelled = wide_text(partial(pdfium.FPDF_StructElement_GetActualText, element))
    if count_letters(spelled) >= _FEWEST_LETTERS:
        yield spelled
