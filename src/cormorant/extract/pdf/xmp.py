"""Metadata packet of a PDF: XMP (ISO 16684-1), a stream of XML that the catalog refers to (ISO 32000-1, 14.3.2).

PDFium does not hand it out, so it is looked for in the bytes of the file. Pictures on the pages may have packets of
their own: that of the document says which program of PDF made it, or that it describes a PDF. Of several the last one
counts, since changes are appended to a file. In an encrypted file the packet cannot be read and the Info dictionary
has to do.
"""

from __future__ import annotations

import re
import zlib
from collections import deque
from collections.abc import Iterator
from typing import Final

from cormorant.extract.document.xml_tree import Element, local_name, parse_xml
from cormorant.extract.errors import Unreadable

_DC: Final = "{http://purl.org/dc/elements/1.1/}"
_PDF: Final = "{http://ns.adobe.com/pdf/1.3/}"
_CUSTOM: Final = "{http://ns.adobe.com/pdfx/1.3/}"
_RDF: Final = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"

_MAX_PACKET: Final = 1024 * 1024
"""Bytes of a packet, and of what a compressed one inflates to."""
_TRIED: Final = 20
"""Packets, from the end of the file, that are looked at."""
_MARK: Final = re.compile(rb"/Type\s{0,20}/Metadata\b")
_BEFORE: Final = 400
"""Bytes on either side of the mark in which the dictionary of its stream stands."""
_STREAM: Final = re.compile(rb"stream\r?\n")
_NO_PROPERTIES: Final = frozenset(("SourceModified", "GTS_PDFXVersion", "GTS_PDFXConformance", "PTEX.Fullbanner"))
"""Custom entries that programs write for themselves."""


class XmpPacket:
    """The properties of a packet; a property with several values has them in their order."""

    def __init__(self, root: Element | None = None) -> None:
        """Take the root element, None for a document without a packet."""
        self._descriptions = [] if root is None else list(root.iter(_RDF + "Description"))

    def dublin_core(self, name: str) -> list[str]:
        """Return a property of Dublin Core: title, creator, description, subject, language."""
        return self._values(_DC + name)

    def pdf(self, name: str) -> list[str]:
        """Return a property of the PDF namespace: Keywords, Producer."""
        return self._values(_PDF + name)

    def custom(self) -> dict[str, str]:
        """Return the properties that the document's author made up."""
        found: dict[str, str] = {}
        for description in self._descriptions:
            entries = [(key, value) for key, value in description.attrib.items() if key.startswith(_CUSTOM)]
            entries += [(child.tag, child.text or "") for child in description if str(child.tag).startswith(_CUSTOM)]
            found |= {local_name(key): value.strip() for key, value in entries if value.strip()}
        return {name: value for name, value in found.items() if name not in _NO_PROPERTIES}

    @property
    def describes_pdf(self) -> bool:
        """Return whether the packet is that of a PDF and not of a picture in it."""
        formats = self.dublin_core("format")
        return "application/pdf" in formats or (not formats and bool(self.pdf("Producer")))

    def _values(self, name: str) -> list[str]:
        found: list[str] = []
        for description in self._descriptions:
            found.append(description.get(name, ""))
            for child in description.iterchildren(name):
                items = list(child.iter(_RDF + "li"))
                found += ["".join(item.itertext()) for item in items] if items else [child.text or ""]
        return [text.strip() for text in found if text.strip()]


def document_packet(body: bytes) -> XmpPacket:
    """Return the packet of the document itself; one without properties when there is none that can be read."""
    packets = [packet for packet in map(_parsed, _streams(body)) if packet is not None]
    own = [packet for packet in packets if packet.describes_pdf]
    if own:
        return own[-1]
    return packets[0] if len(packets) == 1 and not packets[0].dublin_core("format") else XmpPacket()


def _streams(body: bytes) -> Iterator[bytes]:
    for mark in deque(_MARK.finditer(body), _TRIED):
        start = _STREAM.search(body, mark.end(), mark.end() + _BEFORE)
        if start is None:
            continue
        dictionary = body[max(0, mark.start() - _BEFORE) : start.start()].rpartition(b" obj")[2]
        data = body[start.end() : start.end() + _MAX_PACKET]
        if b"/FlateDecode" in dictionary:
            data = _inflated(data)
        yield data.partition(b"endstream")[0]


def _inflated(data: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, _MAX_PACKET)
    except zlib.error:
        return b""


def _parsed(data: bytes) -> XmpPacket | None:
    try:
        root = parse_xml(data) if b"rdf:RDF" in data else None
    except Unreadable:
        return None
    return None if root is None else XmpPacket(root)
