"""Texts that a tagged PDF has in place of its contents: ISO 32000-1, 14.9.3 (Alt) and 14.9.4 (ActualText)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import pypdfium2.raw as pdfium

from cormorant.extract.document.alt_text import human_text
from cormorant.extract.pdf.pages import count_letters
from cormorant.extract.pdf.pdfium_text import wide_text

MAX_CHILDREN: Final = 3_000_000
"""Children of elements that are read in a document; some 3 s."""
_FEWEST_LETTERS: Final = 3
"""ActualText of fewer letters stands for a ligature or a hyphen within a word, which PDFium has read."""


class AlternativeTexts:
    """Reader of the tags of one document.

    An element lists its children on all pages, so each page costs as much as its ancestors are wide: of a document
    whose sections all hang at one element, only the first thousand pages or so are looked at.
    """

    def __init__(self, limit: int = MAX_CHILDREN) -> None:
        """Set the limit of children that are read in all."""
        self._left = limit

    def of_page(self, page: Any) -> Iterator[str]:
        """Yield the descriptions of pictures and the spelled-out texts that the tags of a page give, in its order."""
        tree = pdfium.FPDF_StructTree_GetForPage(page) if self._left > 0 else None
        if not tree:
            return
        try:
            count = pdfium.FPDF_StructTree_CountChildren(tree)
            waiting = self._children(pdfium.FPDF_StructTree_GetChildAtIndex, tree, count)
            while waiting:
                element = waiting.pop()
                yield from _texts(element)
                count = pdfium.FPDF_StructElement_CountChildren(element)
                waiting += self._children(pdfium.FPDF_StructElement_GetChildAtIndex, element, count)
        finally:
            pdfium.FPDF_StructTree_Close(tree)

    def _children(self, child: Callable[[Any, int], Any], parent: Any, count: int) -> list[Any]:
        """Return the children that belong to the page, the last one first."""
        count = max(0, min(count, self._left))
        self._left -= count
        return [found for index in reversed(range(count)) if (found := child(parent, index))]


def _texts(element: Any) -> Iterator[str]:
    described = human_text(wide_text(partial(pdfium.FPDF_StructElement_GetAltText, element)))
    if described:
        yield described
    spelled = wide_text(partial(pdfium.FPDF_StructElement_GetActualText, element))
    if count_letters(spelled) >= _FEWEST_LETTERS:
        yield spelled
