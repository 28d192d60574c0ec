"""Office Open XML documents that are one XML file ("flat OPC"), as Word and PowerPoint write them.

pkg:package > pkg:part pkg:name pkg:contentType > pkg:xmlData, or pkg:binaryData in Base64
"""

from __future__ import annotations

from base64 import b64decode
from typing import Final

from cormorant.extract.document.xml_tree import ChildStream, Element, attribute, local_name, serialize_xml
from cormorant.extract.errors import Unreadable
from cormorant.extract.ooxml.package_builder import PackageBuilder
from cormorant.extract.ooxml.relationships import MAX_TREE

_PART_NAME: Final = 1_000


def packed(body: bytes) -> tuple[bytes, bool]:
    """Return a flat document as a ZIP file, and whether all of its parts were read.

    Raises Unreadable for XML that declares entities, that is none of these documents, or whose parts are too many.
    """
    parts = ChildStream(body, "package", MAX_TREE)
    builder = PackageBuilder()
    complete = True
    found = False
    for part in parts:
        name = attribute(part, "name")[:_PART_NAME]
        content = next(iter(part), None)
        if local_name(part) != "part" or not name or content is None:
            continue
        found = True
        data = _data(content)
        complete = complete and data is not None
        builder.add(name, data or b"", attribute(part, "contentType"))
    if not found:
        raise Unreadable("it has no parts: it is cut short, or no Office document")
    return builder.package(), complete and parts.complete


def _data(content: Element) -> bytes | None:
    """Return the bytes of a part, None when they are damaged."""
    if local_name(content) == "xmlData":
        root = next(iter(content), None)
        return None if root is None else serialize_xml(root)
    try:
        return b64decode(content.text or "")
    except ValueError:
        return None
