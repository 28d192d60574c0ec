"""Text and metadata extraction from a PDF.

Text page by page and its own particulars, by PDFium. Runs only in a limited child.
"""

from __future__ import annotations

from typing import Any, Final

import pypdfium2
import pypdfium2.raw

from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.sanitize import MAX_TEXT, MAX_VALUE, clean_lines, one_line, title_or_name
from cormorant.model.content import Extraction, Value

MAX_PAGES: Final = 20_000

# PDFium marks the hyphen at the end of a line that it would remove with these.
_LINE_HYPHENS: Final = ("\ufffe\r\n", "\x02\r\n", "\ufffe", "\x02")


def extract_pdf(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the text of all pages, a blank line between them.

    Raises Protected when it cannot be opened without a password, Unreadable when it is no PDF. A page that cannot be
    read is left out and flags the result truncated.
    """
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        if error.err_code == pypdfium2.raw.FPDF_ERR_PASSWORD:
            raise Protected from None
        raise Unreadable("it is damaged, or no PDF", f"PDFium: {error}") from None
    about = document.get_metadata_dict(skip_empty=True)
    text, truncated = _text(document)
    return Extraction(
        text=clean_lines(text),
        title=title_or_name(about.get("Title", ""), task.address, task.file_name),
        attributes=_attributes(about),
        truncated=truncated,
    )


def _text(document: Any) -> tuple[str, bool]:
    pages: list[str] = []
    size, truncated = 0, len(document) > MAX_PAGES
    for number in range(min(len(document), MAX_PAGES)):
        try:
            text = _page(document, number)
        except pypdfium2.PdfiumError:
            truncated = True
            continue
        pages.append(text)
        size += len(text)
        if size > MAX_TEXT:
            return "\n\n".join(pages), True
    return "\n\n".join(pages), truncated


def _page(document: Any, number: int) -> str:
    page = document[number]
    text_page = page.get_textpage()
    text: str = text_page.get_text_bounded()
    text_page.close()
    page.close()
    for mark in _LINE_HYPHENS:
        text = text.replace(mark, "")
    return text


def _attributes(about: dict[str, str]) -> dict[str, Value]:
    attributes: dict[str, Value] = {}
    for name in ("Author", "Subject"):
        value = one_line(about.get(name, ""), MAX_VALUE)
        if value:
            attributes[name] = value
    words = (one_line(word) for word in about.get("Keywords", "")[:MAX_VALUE].replace(";", ",").split(","))
    keywords = tuple(dict.fromkeys(word for word in words if word))
    if keywords:
        attributes["Keywords"] = keywords
    return attributes
