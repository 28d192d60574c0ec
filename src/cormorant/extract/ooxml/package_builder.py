"""Package of an Office Open XML document, made of parts that come in another shape: ECMA-376-2 7 to 9."""

from __future__ import annotations

import io
import zipfile
from html import escape
from typing import Final

from cormorant.extract.document.zip_package import MAX_PARTS
from cormorant.extract.errors import Unreadable

MAX_PACKAGE: Final = 256 * 1024 * 1024
"""Bytes of all parts together."""

_FORMATS: Final = "http://schemas.openxmlformats.org/"
_TYPES: Final = "[Content_Types].xml"


class PackageBuilder:
    """Gathers the parts of a document, their media types and relationships."""

    def __init__(self) -> None:
        self._parts: dict[str, bytes] = {}
        self._types: dict[str, str] = {}
        self._relationships: dict[str, list[str]] = {}
        self._size = 0

    def add(self, name: str, data: bytes, mime: str = "") -> None:
        """Add a part; the first of a name counts. Raises Unreadable when all of them exceed the limits."""
        name = name.lstrip("/")
        if not name or name in self._parts or name == _TYPES:
            return
        self._size += len(data)
        if self._size > MAX_PACKAGE or len(self._parts) >= MAX_PARTS:
            raise Unreadable(f"its parts have more than {MAX_PACKAGE // (1024 * 1024)} MiB, or are too many")
        self._parts[name] = data
        if mime:
            self._types[name] = mime

    def relate(self, part: str, kind: str, target: str, *, external: bool = False) -> str:
        """Make a part refer to another, or to an address that is `external`; return the id. "" is the package."""
        found = self._relationships.setdefault(part, [])
        identity = f"rId{len(found) + 1}"
        mode = ' TargetMode="External"' if external else ""
        found.append(
            f'<Relationship Id="{identity}" Type="{_FORMATS}officeDocument/2006/relationships/{kind}"'
            f' Target="{escape(target if external else "/" + target)}"{mode}/>'
        )
        return identity

    def package(self) -> bytes:
        """Return the document, a ZIP file; the builder is done with then."""
        for part, found in self._relationships.items():
            folder, _, name = part.rpartition("/")
            root = f'<Relationships xmlns="{_FORMATS}package/2006/relationships">{"".join(found)}</Relationships>'
            self.add(f"{folder}/_rels/{name}.rels", root.encode())
        types = "".join(
            f'<Override PartName="/{escape(name)}" ContentType="{escape(mime)}"/>' for name, mime in self._types.items()
        )
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
            root = f'<Types xmlns="{_FORMATS}package/2006/content-types">{types}</Types>'
            archive.writestr(zipfile.ZipInfo(_TYPES), root.encode())
            while self._parts:
                name = next(iter(self._parts))
                archive.writestr(zipfile.ZipInfo(name), self._parts.pop(name))
        return out.getvalue()
