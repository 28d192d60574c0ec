"""Parts of an Office Open XML document, found by their relationships (ECMA-376-2 8 and 9), never by guessed names.

    package --officeDocument--> word/document.xml --footnotes--> word/footnotes.xml

Strict and transitional documents name the same relationship by different addresses, which end alike; so do the
relationships that Microsoft added later. The last segment of the address is the kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import unquote

from cormorant.extract.document.xml_tree import Element, attribute, local_name, parse_part
from cormorant.extract.document.zip_package import ZipPackage, resolve
from cormorant.extract.document.zip_repair import with_directory
from cormorant.extract.errors import Protected, Unreadable

MAX_TREE: Final = 32 * 1024 * 1024
"""Bytes of a part that are made a tree, which takes some ten times as much memory; larger ones are cut there."""

CUT: Final = "the list of its files"
"""The fault of a document that was cut, as it stands among its damaged parts."""
_MAIN_NAMES: Final = ("word/document.xml", "ppt/presentation.xml", "xl/workbook.xml", "xl/workbook.bin")
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED: Final = "EncryptedPackage".encode("utf-16-le")


class Relationship(NamedTuple):
    """A reference of one part to another, or to something outside.

    `kind` is the last segment of its type: `footnotes`, `image`, `hyperlink`. `target` is the name of a part, and an
    address as written when it is `external`.
    """

    id: str
    kind: str
    target: str
    external: bool


class OoxmlPackage:
    """The parts of an OOXML document with their content types and relationships.

    `faults` names the parts that could not be read, or not to their end; an empty list for a sound document.
    `graphics` are the charts and diagrams that were read, each of them once.
    """

    def __init__(self, body: bytes) -> None:
        """Open a document. Raises Protected for one behind a password, Unreadable for what is no ZIP."""
        if body.startswith(_OLE) and _ENCRYPTED in body:
            raise Protected
        self.faults: list[str] = []
        self.graphics: set[str] = set()
        try:
            self.zip = ZipPackage(body)
        except Unreadable:
            repaired = with_directory(body)
            if repaired is body:
                raise
            self.zip = ZipPackage(repaired)
            self.faults.append(CUT)
        self._relationships: dict[str, dict[str, Relationship]] = {}
        self._defaults: dict[str, str] = {}
        self._overrides: dict[str, str] | None = None

    def read(self, part: str) -> bytes | None:
        """Return the bytes of a part, of a damaged one those before the damage; None for none. Damage is a fault.

        Raises Protected and Unreadable as `ZipPackage.read` does.
        """
        data = self.zip.read(part)
        if data is None:
            self.blame(part)
            data = self.zip.read_damaged(part) or None
        return data

    def xml(self, part: str) -> Element | None:
        """Return the root element of a part; None, and a fault, when nothing of it can be read, or it is refused.

        Raises Protected and Unreadable as `read` does.
        """
        data = self.read(part)
        if data is None:
            return None
        try:
            root, complete = parse_part(data[:MAX_TREE])
        except Unreadable:
            root, complete = None, False
        if not complete:
            self.blame(part)
        return root

    def blame(self, part: str) -> None:
        """Note that a part could not be read, or not to its end."""
        if part not in self.faults:
            self.faults.append(part)

    def content_type(self, part: str) -> str:
        """Return the media type of a part in lower case, "" when none is declared."""
        if self._overrides is None:
            self._overrides = {}
            self._read_content_types(self._overrides)
        name = part.lstrip("/").lower()
        return self._overrides.get(name) or self._defaults.get(name.rpartition(".")[2], "")

    def relationships(self, part: str = "") -> Mapping[str, Relationship]:
        """Return the relationships of a part by id, in their order; of the package itself for ""."""
        known = self._relationships.get(part)
        if known is None:
            known = self._relationships[part] = self._read_relationships(part)
        return known

    def related(self, part: str, *kinds: str) -> list[str]:
        """Return the names of the existing parts that a part refers to by relationships of these kinds, each once."""
        found = (each.target for each in self.relationships(part).values() if not each.external and each.kind in kinds)
        return [target for target in dict.fromkeys(found) if target in self.zip]

    def target(self, part: str, relationship_id: str) -> str:
        """Return the name of the existing part that a relationship of a part leads to, "" when there is none."""
        found = self.relationships(part).get(relationship_id)
        return found.target if found and not found.external and found.target in self.zip else ""

    def main_part(self) -> str:
        """Return the name of the part that holds the document. Raises Unreadable when there is none.

        The relationship decides; where it is lost, the content type does, then the usual name.
        """
        for name in (*self.related("", "officeDocument"), *self._main_by_type(), *_MAIN_NAMES):
            if name in self.zip:
                return name
        raise Unreadable("it has no main part: it is damaged, or no Office document")

    def _main_by_type(self) -> list[str]:
        self.content_type("")
        return [name for name, mime in (self._overrides or {}).items() if mime.endswith(".main+xml")]

    def _read_quietly(self, part: str) -> bytes | None:
        """Return a part that may be missing without being a fault."""
        return self.read(part) if part in self.zip else None

    def _read_content_types(self, overrides: dict[str, str]) -> None:
        data = self._read_quietly("[Content_Types].xml")
        root = parse_part(data[:MAX_TREE])[0] if data else None
        for each in root if root is not None else ():
            mime = attribute(each, "ContentType").lower()
            if local_name(each) == "Override":
                overrides.setdefault(attribute(each, "PartName").lstrip("/").lower(), mime)
            elif local_name(each) == "Default":
                self._defaults.setdefault(attribute(each, "Extension").lower(), mime)

    def _read_relationships(self, part: str) -> dict[str, Relationship]:
        folder, _, name = part.rpartition("/")
        data = self._read_quietly(f"{folder}/_rels/{name}.rels")
        root = parse_part(data[:MAX_TREE])[0] if data else None
        found: dict[str, Relationship] = {}
        for each in root if root is not None else ():
            external = attribute(each, "TargetMode").lower() == "external"
            target = attribute(each, "Target")
            kind = attribute(each, "Type").rstrip("/").rpartition("/")[2]
            identity = attribute(each, "Id")
            target = target.strip() if external else self._part_name(part, target)
            found.setdefault(identity, Relationship(identity, kind, target, external))
        return found

    def _part_name(self, part: str, target: str) -> str:
        """Return the part that a reference leads to; some producers percent-encode names, some use backslashes."""
        name = resolve(part, target.replace("\\", "/").partition("#")[0])
        plain = unquote(name)
        return plain if name not in self.zip and plain in self.zip else name
