"""Metadata of a PDF: its Info dictionary (ISO 32000-1, 14.3.3) and its XMP packet.

Both should be equal. Info is read first, since every program writes it; PDF 2.0 has only the packet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Final

import pypdfium2.raw as pdfium

from cormorant.extract.html.head import MAX_KEYWORDS, language_tag
from cormorant.extract.pdf.metadata.info_keys import info_keys
from cormorant.extract.pdf.metadata.xmp import XmpPacket, document_packet
from cormorant.extract.pdf.open_file import PdfFile
from cormorant.extract.pdf.pdfium_text import wide_text
from cormorant.extract.sanitize import MAX_VALUE, is_made_up, one_line
from cormorant.model.content import Value
from cormorant.model.no_text import OF_READING

MAX_PROPERTIES: Final = 50
"""Properties of the author's own that are kept."""
_COPIED: Final = ("Company", "Category")
_NOT_CUSTOM: Final = frozenset(
    (
        "Title", "Author", "Subject", "Keywords", "Comments", "Creator", "Producer", "CreationDate", "ModDate",
        "Trapped", "SourceModified", "GTS_PDFXVersion", "GTS_PDFXConformance", "PTEX.Fullbanner", "PXCViewerInfo",
    )
) | OF_READING  # fmt: skip
"""Entries that are read elsewhere, or that programs write for themselves."""


class PdfMetadata:
    """Title, language and attributes of a document, by its own metadata."""

    def __init__(self, document: PdfFile, body: bytes) -> None:
        """Read the Info dictionary of `document`, and search its bytes for the packet."""
        self._document = document
        self._packet: XmpPacket = document_packet(body)
        self._keys = info_keys(body)

    @property
    def title(self) -> str:
        """Return the title, the packet's where that of the Info dictionary is made up; "" for none."""
        titles = [self._info("Title"), *self._packet.dublin_core("title")[:1]]
        return next((title for title in map(one_line, titles) if not is_made_up(title)), "")

    @property
    def language(self) -> str:
        """Return the language tag of the catalog (ISO 32000-1, 14.9.2), or else the packet's; "" for none."""
        declared = wide_text(partial(pdfium.FPDFCatalog_GetLanguage, self._document))
        return next((tag for tag in map(language_tag, (declared, *self._packet.dublin_core("language"))) if tag), "")

    def attributes(self) -> dict[str, Value]:
        """Return the attributes, those of the author's own behind the usual ones."""
        found: dict[str, Value] = {}
        creators = _each_once(self._packet.dublin_core("creator"))
        authors = (_each_once(self._info("Author").split(";")) if len(creators) < 2 else ()) or creators
        if authors:
            found["Author"] = authors[0] if len(authors) == 1 else authors
        subject = one_line(self._info("Subject"), MAX_VALUE)
        described = [self._info("Comments"), *self._packet.dublin_core("description")[:1]]
        description = next((text for text in (one_line(each, MAX_VALUE) for each in described) if text), "")
        found |= {"Subject": subject, "Description": description if description != subject else ""}
        found["Keywords"] = self._keywords()
        found |= {name: one_line(self._info(name), MAX_VALUE) for name in _COPIED}
        return self._custom() | {name: value for name, value in found.items() if value}

    def _custom(self) -> dict[str, Value]:
        found: dict[str, Value] = {}
        entries = chain(self._own_entries(), self._packet.custom().items())
        for name, value in ((one_line(name), one_line(value, MAX_VALUE)) for name, value in entries):
            if len(found) < MAX_PROPERTIES and name not in _NOT_CUSTOM and name and value:
                found.setdefault(name, value)
        return found

    def _own_entries(self) -> Iterator[tuple[str, str]]:
        """Yield the entries of the Info dictionary that are strings; PDFium returns "" for others."""
        for key in self._keys:
            yield _decoded(key), self._text(key)

    def _keywords(self) -> tuple[str, ...]:
        written = [self._info("Keywords"), *self._packet.pdf("Keywords")]
        words = (word for line in written for word in line[:MAX_VALUE].replace(";", ",").split(","))
        return _each_once((*words, *self._packet.dublin_core("subject")))

    def _info(self, name: str) -> str:
        return self._text(name.encode())

    def _text(self, key: bytes) -> str:
        return wide_text(partial(pdfium.FPDF_GetMetaText, self._document, key))


def _decoded(key: bytes) -> str:
    try:
        return key.decode()
    except UnicodeDecodeError:
        return key.decode("latin-1")


def _each_once(values: Iterable[str]) -> tuple[str, ...]:
    lines = (one_line(value, MAX_VALUE) for value in values)
    return tuple(dict.fromkeys(line for line in lines if line))[:MAX_KEYWORDS]
