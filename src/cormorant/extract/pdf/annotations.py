"""Annotations of a page: ISO 32000-1, 12.5.

    FreeText                     text on the page                                   -> `written`
    Text, Highlight, Stamp, ...  comments of readers, shown in a pop-up             -> `comments`
    Link                         an address, and the text under it                  -> `links`
    Widget                       the place of a form field                          -> `values` (`form_fields`)

A pop-up window repeats the contents of its annotation, so it is left out, and so are annotations that only hold the
state of a review ("Accepted set by Anna"), and hidden ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from urllib.parse import quote

import pypdfium2.raw as pdfium

from cormorant.extract.document.xml_tree import parse_xml
from cormorant.extract.errors import Unreadable
from cormorant.extract.pdf.attachments import annotation_file_name
from cormorant.extract.pdf.form_fields import FormFields
from cormorant.extract.pdf.open_file import PdfFile, each_annotation
from cormorant.extract.pdf.pages import WITHOUT_MARKS, TextPage
from cormorant.extract.pdf.pdfium_text import byte_text, wide_text

MAX_VALUES: Final = 5_000
"""Values of form fields on a page: PDFium looks each up among all annotations of the page."""
MAX_LINK_TEXTS: Final = 300
"""Links of a page whose text is looked for: each takes a pass over the characters of the page."""

_UNSEEN: Final = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
_COMMENTS: Final = frozenset((
    pdfium.FPDF_ANNOT_TEXT, pdfium.FPDF_ANNOT_LINE, pdfium.FPDF_ANNOT_SQUARE, pdfium.FPDF_ANNOT_CIRCLE,
    pdfium.FPDF_ANNOT_POLYGON, pdfium.FPDF_ANNOT_POLYLINE, pdfium.FPDF_ANNOT_HIGHLIGHT, pdfium.FPDF_ANNOT_UNDERLINE,
    pdfium.FPDF_ANNOT_SQUIGGLY, pdfium.FPDF_ANNOT_STRIKEOUT, pdfium.FPDF_ANNOT_STAMP, pdfium.FPDF_ANNOT_CARET,
    pdfium.FPDF_ANNOT_INK, pdfium.FPDF_ANNOT_FILEATTACHMENT, pdfium.FPDF_ANNOT_REDACT,
))  # fmt: skip


@dataclass(slots=True)
class Annotations:
    """Texts and links of the annotations of one page, in their order; `links` are pairs of an address and its text."""

    written: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)


def page_annotations(document: PdfFile, page: Any, text_page: TextPage, fields: FormFields) -> Annotations:
    """Return the texts of the annotations of a page. `text_page` has the text under its links."""
    found = Annotations()
    for annotation in each_annotation(page):
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        if pdfium.FPDFAnnot_GetFlags(annotation) & _UNSEEN:
            continue
        if kind == pdfium.FPDF_ANNOT_LINK:
            address = _address(document, annotation)
            if address:
                text = _text_under(annotation, text_page) if len(found.links) < MAX_LINK_TEXTS else ""
                found.links.append((address, text))
        elif kind == pdfium.FPDF_ANNOT_WIDGET:
            found.values += fields.values(annotation) if len(found.values) < MAX_VALUES else ()
        elif kind == pdfium.FPDF_ANNOT_FREETEXT:
            found.written.append(_contents(annotation))
        elif kind in _COMMENTS and not pdfium.FPDFAnnot_HasKey(annotation, b"StateModel"):
            found.comments += (_contents(annotation), annotation_file_name(annotation))
    return found


def _contents(annotation: Any) -> str:
    plain = wide_text(partial(pdfium.FPDFAnnot_GetStringValue, annotation, b"Contents"))
    return plain if plain.strip() else _rich_text(annotation)


def _rich_text(annotation: Any) -> str:
    """Return the words of the XHTML that an annotation may have in place of contents: ISO 32000-1, 12.7.3.4."""
    rich = wide_text(partial(pdfium.FPDFAnnot_GetStringValue, annotation, b"RC"))
    try:
        root = parse_xml(rich.encode()) if rich.strip() else None
    except Unreadable:
        return ""
    return "" if root is None else " ".join(" ".join(root.itertext()).split())


def _address(document: PdfFile, annotation: Any) -> str:
    """Return the address or the relative path of another file that a link leads to, "" for a place in this one."""
    link = pdfium.FPDFAnnot_GetLink(annotation)
    action = pdfium.FPDFLink_GetAction(link) if link else None
    if not action:
        return ""
    kind = pdfium.FPDFAction_GetType(action)
    if kind == pdfium.PDFACTION_URI:
        return byte_text(partial(pdfium.FPDFAction_GetURIPath, document, action)).strip()
    if kind in (pdfium.PDFACTION_REMOTEGOTO, pdfium.PDFACTION_LAUNCH):
        return quote(byte_text(partial(pdfium.FPDFAction_GetFilePath, action)).strip())
    return ""


def _text_under(annotation: Any, text_page: TextPage) -> str:
    box = pdfium.FS_RECTF()
    if not pdfium.FPDFAnnot_GetRect(annotation, box):
        return ""
    left, right = sorted((box.left, box.right))
    bottom, top = sorted((box.bottom, box.top))
    return " ".join(str(text_page.get_text_bounded(left, bottom, right, top)).translate(WITHOUT_MARKS).split())
