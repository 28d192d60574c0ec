"""Parts of an OpenDocument file: a ZIP file of several XML parts, or one XML file with them all (ODF 1.3-2)."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from cormorant.extract.document.xml_tree import Element, parse_part, parse_xml
from cormorant.extract.document.zip_package import ZipPackage, resolve
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.opendocument.names import clark, value_of

MAX_TREE: Final = 64 * 1024 * 1024
"""Bytes of a part that is held as a tree, which takes about ten times as much; the rest is left out."""
DAMAGED: Final = "Its XML is damaged: text behind the damage may be missing."

_CONTENT: Final = "content.xml"
_MANIFEST: Final = "META-INF/manifest.xml"
_ENTRY: Final = clark("manifest:file-entry")
_ENCRYPTION: Final = clark("manifest:encryption-data")
_SHEETS: Final = re.compile(rb"<(?:office:)?spreadsheet[\s>]")


class OdfPackage:
    """A document's parts. `fault` is a sentence about their known damage, "" for none."""

    def __init__(self, body: bytes) -> None:
        """Open a document. Raises Protected for one behind a password, Unreadable for one without content."""
        self.fault = ""
        self.zip = ZipPackage(body) if body.startswith(b"PK") else None
        if self.zip is not None:
            self._refuse_encrypted(self.zip)
        content = body if self.zip is None else self.zip.read(_CONTENT)
        if content is None:
            raise Unreadable("its content is missing or damaged", "no content.xml")
        self.content: bytes = content
        self._flat: Element | None = None

    @property
    def is_flat(self) -> bool:
        """Return whether the document is one XML file."""
        return self.zip is None

    @property
    def has_sheets(self) -> bool:
        """Return whether the document is a spreadsheet."""
        return _SHEETS.search(self.content) is not None

    def content_root(self) -> Element:
        """Return the root of the content. Raises Unreadable when nothing of it can be read."""
        root = self._tree(self.content)
        if root is None:
            raise Unreadable("its content is no XML that can be read")
        if self.is_flat:
            self._flat = root
        return root

    def part_root(self, name: str) -> Element | None:
        """Return the root of `styles.xml` or `meta.xml`, or the one root that a flat document has; None for none."""
        if self.zip is None:
            return self._flat
        data = self._part(name)
        return None if data is None else self._tree(data)

    def object_root(self, reference: str) -> Element | None:
        """Return the content of an embedded object by its reference (`./Object 1`), None when it is no such object."""
        name = object_name(reference)
        data = self._part(f"{name}/{_CONTENT}") if name else None
        return None if data is None else self._tree(data)

    def media_types(self) -> dict[str, str]:
        """Return the media types that the manifest declares, by the names of parts and folders ("Object 1/")."""
        return {value_of(each, "manifest:full-path"): value_of(each, "manifest:media-type") for each in self._entries()}

    def note_fault(self, fault: str) -> None:
        """Store a fault; the first one is kept."""
        self.fault = self.fault or fault

    def _part(self, name: str) -> bytes | None:
        """Return a part; one that is too large or encrypted counts as missing, and as a fault."""
        if self.zip is None:
            return None
        try:
            data = self.zip.read(name)
        except (Protected, Unreadable):
            data = None
        if data is None and name in self.zip:
            self.note_fault(f"Its part {name} cannot be read.")
        return data

    def _tree(self, data: bytes) -> Element | None:
        if len(data) > MAX_TREE:
            self.note_fault(f"Only its first {MAX_TREE // (1024 * 1024)} MiB were read.")
        root, whole = parse_part(data[:MAX_TREE])
        if root is not None and not whole:
            self.note_fault(DAMAGED)
        return root

    def _refuse_encrypted(self, parts: ZipPackage) -> None:
        """Raise Protected when the content is encrypted (ODF 1.3-2 3.4)."""
        for entry in self._entries():
            name = value_of(entry, "manifest:full-path")
            if name in (_CONTENT, "encrypted-package") and entry.find(_ENCRYPTION) is not None:
                raise Protected
        if "encrypted-package" in parts and _CONTENT not in parts:
            raise Protected

    def _entries(self) -> list[Element]:
        data = self._part(_MANIFEST)
        root = parse_xml(data[:MAX_TREE]) if data else None
        return [] if root is None else list(root.iter(_ENTRY))


def object_name(reference: str) -> str:
    """Return the name of the folder or part in the package that a reference leads to, "" when it leads out of it."""
    if "://" in reference or reference.startswith(("#", "../", "/")) or not reference:
        return ""
    return resolve("", unquote(reference)).rstrip("/")
