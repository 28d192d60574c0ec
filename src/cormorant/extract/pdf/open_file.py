"""Handles of PDFium: an open file and the annotations of its pages. Protection and damage are detected here."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Generator, Iterator
from typing import Any, Final, TypeAlias

import pypdfium2
import pypdfium2.raw as pdfium

from cormorant.extract.errors import Protected, Unreadable

PdfFile: TypeAlias = Any
"""A document of pypdfium2, which comes without types."""

MAX_PAGES: Final = 20_000
"""Pages of a document that are read."""
MAX_ANNOTATIONS: Final = 20_000
"""Annotations of a page that are read."""

_LOCKED: Final = (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY)
"""A password other than the empty one, or a lock that PDFium has no key for (certificates, rights management)."""
_CATALOG: Final = re.compile(rb"/Type\s{0,9}/Catalog\b")
_OBJECT: Final = re.compile(rb"\b(\d{1,9})\s{1,9}(\d{1,5})\s{1,9}obj\b")
_TRAILER: Final = b"\nendstream\nendobj\ntrailer\n<< /Root %s %s R >>\nstartxref\n0\n%%%%EOF\n"
_HEAD: Final = 2_000
"""Bytes ahead of its type in which the number of the catalog is looked for."""
_TRIED: Final = 100
"""Pages of a mended file of which one has to be left."""
_END: Final = b"%%EOF"
_TAIL: Final = 2048
"""Bytes at the end of a file in which its end mark stands; Acrobat looks at 1024 (ISO 32000-1, annex H, note 18)."""


@contextlib.contextmanager
def opened_pdf(body: bytes) -> Iterator[PdfFile]:
    """Open a PDF with the empty password, and close it at the end.

    Raises Protected when that does not open it, Unreadable when it is no PDF.
    """
    document = _loaded(body)
    try:
        yield document
    finally:
        document.close()


def _loaded(body: bytes) -> PdfFile:
    try:
        return pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        if error.err_code in _LOCKED:
            raise Protected from None
        document = _mended(body)
        if document is None:
            raise Unreadable("it is damaged, or no PDF", f"PDFium: {error}") from None
        return document


def _mended(body: bytes) -> PdfFile | None:
    """Open a file that was cut off before its trailer, which names the catalog; None when no page of it is left."""
    catalogs = list(_CATALOG.finditer(body))
    head = list(_OBJECT.finditer(body, max(0, catalogs[-1].start() - _HEAD), catalogs[-1].start())) if catalogs else []
    if not head:
        return None
    try:
        document = pypdfium2.PdfDocument(body + _TRAILER % head[-1].groups())
    except pypdfium2.PdfiumError:
        return None
    if any(_has_page(document, number) for number in range(min(_TRIED, len(document)))):
        return document
    document.close()
    return None


def _has_page(document: PdfFile, number: int) -> bool:
    try:
        document[number].close()
    except pypdfium2.PdfiumError:
        return False
    return True


def is_cut_short(body: bytes, document: PdfFile) -> bool:
    """Return whether the file has lost its end, so that its objects had to be searched."""
    return _END not in body[-_TAIL:] and not pdfium.FPDF_DocumentHasValidCrossReferenceTable(document)


def each_annotation(page: Any) -> Generator[Any]:
    """Yield the annotations of a page, each of which is closed behind its use."""
    for index in range(min(MAX_ANNOTATIONS, pdfium.FPDFPage_GetAnnotCount(page))):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        if annotation:
            try:
                yield annotation
            finally:
                pdfium.FPDFPage_CloseAnnot(annotation)
