"""Forms of Adobe LiveCycle (XFA 3.3), whose pages Acrobat draws; other programs display "Please wait".

Their texts are in the XML packet `template` (captions, drawn text), entered values in `datasets`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import partial
from typing import Final

import pypdfium2.raw as pdfium

from cormorant.extract.document.xml_tree import Element, iterate_xml, local_name, parse_xml
from cormorant.extract.errors import Unreadable
from cormorant.extract.pdf.open_file import PdfFile
from cormorant.extract.pdf.pdfium_text import byte_text

_MAX_PACKETS: Final = 100
_MAX_PACKET: Final = 32 * 1024 * 1024
"""Bytes of one packet."""
_LONGEST_WORD: Final = 500
_SHOWN: Final = ("draw", "caption")
_HELD: Final = ("text", "exData")
"""Elements within `value` that hold text: XFA 3.3, 17 (Template Reference)."""


def is_dynamic_form(document: PdfFile) -> bool:
    """Return whether the pages of the document are made of its XFA packets."""
    return bool(pdfium.FPDF_GetFormType(document) == pdfium.FORMTYPE_XFA_FULL)


def dynamic_form_texts(document: PdfFile) -> Iterator[str]:
    """Yield the texts of a form and its entered values."""
    for index in range(min(_MAX_PACKETS, pdfium.FPDF_GetXFAPacketCount(document))):
        name = byte_text(partial(pdfium.FPDF_GetXFAPacketName, document, index))
        if name not in ("template", "datasets"):
            continue
        try:
            yield from (_of_template if name == "template" else _of_data)(_packet(document, index))
        except Unreadable:
            continue


def _packet(document: PdfFile, index: int) -> bytes:
    size = ctypes.c_ulong()
    if not pdfium.FPDF_GetXFAPacketContent(document, index, None, 0, size) or size.value > _MAX_PACKET:
        return b""
    buffer = ctypes.create_string_buffer(max(1, size.value))
    pdfium.FPDF_GetXFAPacketContent(document, index, buffer, size.value, size)
    return buffer.raw[: size.value]


def _of_template(packet: bytes) -> Iterator[str]:
    root = parse_xml(packet)
    if root is None:
        return
    for shown in root.iter(*("{*}" + name for name in _SHOWN)):
        for held in shown.iterfind("{*}value/*"):
            if local_name(held) in _HELD:
                yield _words(held)


def _of_data(packet: bytes) -> Iterator[str]:
    for data in iterate_xml(packet, "data"):
        for leaf in data.iter():
            if not len(leaf) and leaf.text and not _is_encoded(leaf.text):
                yield _words(leaf)


def _is_encoded(text: str) -> bool:
    """Return whether a value is a picture or a signature in base64 and no text."""
    return len(text) > _LONGEST_WORD and len(text.split(None, 1)[0]) > _LONGEST_WORD if text.strip() else True


def _words(element: Element) -> str:
    """Return the text of an element in one line; each element within, a paragraph of XHTML, is parted from the next."""
    return " ".join(" ".join(element.itertext()).split())
