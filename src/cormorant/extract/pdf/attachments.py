"""Files inside a PDF: ISO 32000-1, 7.11.4.

They are in the name tree of the document (attachments, the files of a portfolio, the data of an electronic invoice) or
belong to an annotation of a page.
"""

from __future__ import annotations

import contextlib
import ctypes
import re
from collections.abc import Generator, Iterator
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import Any, Final

import pypdfium2
import pypdfium2.raw as pdfium

from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.job import ExtractionTask
from cormorant.extract.pdf.open_file import MAX_PAGES, PdfFile, each_annotation, opened_pdf
from cormorant.extract.pdf.pdfium_text import wide_text

MAX_ATTACHMENTS: Final = 10_000
MAX_ATTACHMENT: Final = 256 * 1024 * 1024
"""Bytes of one file."""
_DATE: Final = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?'?|Z)?")
"""ISO 32000-1, 7.9.4."""


def pdf_embedded_files(body: bytes, task: ExtractionTask) -> Iterator[EmbeddedFile]:
    """Yield the files inside a PDF, each once: those of the document, then those of its pages.

    Raises Protected and Unreadable as `extract_pdf` does. `task` is not looked at.
    """
    del task
    with opened_pdf(body) as document, contextlib.closing(_all(document)) as attachments:
        seen: set[int] = set()
        for attachment in attachments:
            yield from _file(attachment, seen)


def attachment_names(document: PdfFile) -> Iterator[str]:
    """Yield the names of the files in the name tree, with their descriptions."""
    for attachment in _of_document(document):
        yield _name(attachment)
        yield wide_text(partial(pdfium.FPDFAttachment_GetDescription, attachment))


def annotation_file_name(annotation: Any) -> str:
    """Return the name of the file that belongs to an annotation, "" when it has none."""
    attachment = pdfium.FPDFAnnot_GetFileAttachment(annotation)
    return _name(attachment) if attachment else ""


def _all(document: PdfFile) -> Generator[Any]:
    """Yield all attachments. Has to be closed before the document, which its handles belong to."""
    yield from _of_document(document)
    for number in range(min(MAX_PAGES, len(document))):
        try:
            page = document[number]
        except pypdfium2.PdfiumError:
            continue
        try:
            yield from _of_page(page)
        finally:
            page.close()


def _of_document(document: PdfFile) -> Iterator[Any]:
    for index in range(min(MAX_ATTACHMENTS, pdfium.FPDFDoc_GetAttachmentCount(document))):
        attachment = pdfium.FPDFDoc_GetAttachment(document, index)
        if attachment:
            yield attachment


def _of_page(page: Any) -> Iterator[Any]:
    with contextlib.closing(each_annotation(page)) as annotations:
        for annotation in annotations:
            attachment = pdfium.FPDFAnnot_GetFileAttachment(annotation)
            if attachment:
                yield attachment


def _file(attachment: Any, seen: set[int]) -> Iterator[EmbeddedFile]:
    """Yield the file unless it was yielded before: an annotation may name one of the document."""
    place = ctypes.addressof(attachment.contents)
    if place in seen:
        return
    seen.add(place)
    size = ctypes.c_ulong()
    if not pdfium.FPDFAttachment_GetFile(attachment, None, 0, size):
        yield EmbeddedFile(_name(attachment), b"", refusal="it is damaged")
        return
    if size.value > MAX_ATTACHMENT:
        yield EmbeddedFile(_name(attachment), b"", refusal=f"it has more than {MAX_ATTACHMENT // (1 << 20)} MiB")
        return
    buffer = ctypes.create_string_buffer(max(1, size.value))
    pdfium.FPDFAttachment_GetFile(attachment, buffer, size.value, size)
    yield EmbeddedFile(
        _name(attachment),
        buffer.raw[: size.value],
        mime=wide_text(partial(pdfium.FPDFAttachment_GetSubtype, attachment)).strip().lower(),
        modified_at=_moment(wide_text(partial(pdfium.FPDFAttachment_GetStringValue, attachment, b"ModDate"))),
    )


def _name(attachment: Any) -> str:
    return wide_text(partial(pdfium.FPDFAttachment_GetName, attachment)).replace("\\", "/").strip()


def _moment(text: str) -> float | None:
    """Return a date of PDF in epoch seconds; one without a time zone counts as UTC."""
    match = _DATE.match(text)
    if match is None:
        return None
    parts = (group or least for group, least in zip(match.groups()[:6], ("", "1", "1", "0", "0", "0"), strict=True))
    year, month, day, hour, minute, second = map(int, parts)
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=_zone(match)).timestamp()
    except (ValueError, OverflowError):
        return None


def _zone(match: re.Match[str]) -> timezone:
    if not match[7]:
        return UTC
    offset = timedelta(hours=int(match[8]), minutes=int(match[9] or 0))
    return timezone(offset if match[7] == "+" else -offset)
