"""Titles of a PDF's outline, the bookmarks that a viewer shows beside its pages: ISO 32000-1, 12.3.3."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import partial
from typing import Any, Final, NamedTuple

import pypdfium2.raw as pdfium

from cormorant.extract.pdf.open_file import PdfFile
from cormorant.extract.pdf.pdfium_text import wide_text

MAX_BOOKMARKS: Final = 10_000


class OutlineTitle(NamedTuple):
    """The title of a bookmark, and the page that it leads to, counted from 0, -1 for none."""

    text: str
    page: int


def outline_titles(document: PdfFile) -> Iterator[OutlineTitle]:
    """Yield the titles in the order shown. An item that is its own successor or descendant is met once."""
    waiting = [pdfium.FPDFBookmark_GetFirstChild(document, None)]
    seen: set[int] = set()
    while waiting and len(seen) < MAX_BOOKMARKS:
        bookmark = waiting.pop()
        if not bookmark or _place(bookmark) in seen:
            continue
        seen.add(_place(bookmark))
        title = wide_text(partial(pdfium.FPDFBookmark_GetTitle, bookmark))
        if title.strip():
            yield OutlineTitle(title, _page(document, bookmark))
        waiting.append(pdfium.FPDFBookmark_GetNextSibling(document, bookmark))
        waiting.append(pdfium.FPDFBookmark_GetFirstChild(document, bookmark))


def _page(document: PdfFile, bookmark: Any) -> int:
    destination = pdfium.FPDFBookmark_GetDest(document, bookmark)
    return int(pdfium.FPDFDest_GetDestPageIndex(document, destination)) if destination else -1


def _place(bookmark: Any) -> int:
    return ctypes.addressof(bookmark.contents)
