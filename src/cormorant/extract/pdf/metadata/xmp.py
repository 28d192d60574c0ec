"""Metadata packet of a PDF: XMP (ISO 16684-1), a stream of XML that the catalog refers to (ISO 32000-1, 14.3.2).

PDFium does not return it, so it is searched in the bytes of the file. Pictures on the pages may have packets of their
own: that of the document names its PDF program, or states that it describes a PDF. Of several the last one counts,
since changes are appended to a file. In an encrypted file the packet cannot be read, and only the Info dictionary is
used.
"""

from __future__ import annotations

import re
from typing import Final

from cormorant.extract.document.xml_tree import Element, local_name, parse_xml
from cormorant.extract.errors import Unreadable
from cormorant.extract.pdf.metadata.typed_streams import typed_streams

_DC: Final = "{http://purl.org/dc/elements/1.1/}"
_PDF: Final = "{http://ns.adobe.com/pdf/1.3/}"
_CUSTOM: Final = "{http://ns.adobe.com/pdfx/1.3/}"
_RDF: Final = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"

_TRIED: Final = 20
"""Packets, from the end of the file, that are tried."""
_ESCAPE: Final = re.compile("\u2182([0-9A-Fa-f]{4})")
"""A character that no name in XML may have, as Acrobat writes it."""


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
            found |= {_property_name(key): value.strip() for key, value in entries if value.strip()}
        return found

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
    streams = (stream.data for stream in typed_streams(body, b"Metadata", _TRIED))
    packets = [packet for packet in map(_parsed, streams) if packet is not None]
    own = [packet for packet in packets if packet.describes_pdf]
    if own:
        return own[-1]
    return packets[0] if len(packets) == 1 and not packets[0].dublin_core("format") else XmpPacket()


def _property_name(key: str) -> str:
    return _ESCAPE.sub(lambda code: chr(int(code[1], 16)), local_name(key))


def _parsed(data: bytes) -> XmpPacket | None:
    try:
        root = parse_xml(data) if b"rdf:RDF" in data else None
    except Unreadable:
        return None
    return None if root is None else XmpPacket(root)
