"""Documents embedded in an OpenDocument file (ODF 1.3-3 10.4.6): other OpenDocument files, and OLE objects.

Charts and formulas are no files of their own, but part of the text of the document.
"""

from __future__ import annotations

import binascii
import io
import zipfile
from collections.abc import Iterator
from typing import Final

from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.document.xml_tree import Element, parse_xml, serialize_xml
from cormorant.extract.document.zip_package import ZipPackage
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.object_storage import unpack_object
from cormorant.extract.opendocument.names import clark, first_child, value_of
from cormorant.extract.opendocument.odf_package import MAX_TREE, OdfPackage

_CONTENT: Final = "/content.xml"
_OLE_OBJECTS: Final = frozenset(("application/vnd.sun.star.oleobject", "application/x-openoffice-oleobject"))
_DOCUMENTS: Final = (b"PK", b"%PDF-", b"{\\rtf")
"""Beginnings of documents that programs embed without an OLE file around them."""
_PART_OF_TEXT: Final = frozenset(("chart", "formula"))


def odf_embedded_files(body: bytes, _task: ExtractionTask) -> Iterator[EmbeddedFile]:
    """Yield the documents embedded in a document. Raises Protected and Unreadable as `extract_odf` does."""
    package = OdfPackage(body)
    if package.zip is None:
        yield from _flat_objects(package.content)
        return
    types = package.media_types()
    documents = _documents(package.zip)
    for folder, names in documents.items():
        mime = types.get(f"{folder}/", "")
        if not _is_part_of_text(mime):
            yield _packed(package.zip, folder, names, mime)
    for name in package.zip.names:
        if types.get(name) in _OLE_OBJECTS:
            yield from _ole_object(package.zip, name)


def _documents(parts: ZipPackage) -> dict[str, list[str]]:
    """Return the folders that hold a document, with the names of all parts in them."""
    found: dict[str, list[str]] = {name.removesuffix(_CONTENT): [] for name in parts.names if name.endswith(_CONTENT)}
    for name in parts.names:
        folder = next((place for place in _folders(name) if place in found), None)
        if folder is not None and not name.endswith("/"):
            found[folder].append(name)
    return {folder: names for folder, names in found.items() if names}


def _folders(name: str) -> Iterator[str]:
    """Yield the folders that a part lies in, the outermost first: the outer document reads a nested one."""
    end = name.find("/")
    while end >= 0:
        yield name[:end]
        end = name.find("/", end + 1)


def _packed(parts: ZipPackage, folder: str, names: list[str], mime: str) -> EmbeddedFile:
    """Return an embedded document as a file of its own: its parts without the name of their folder, and no dates."""
    made = io.BytesIO()
    try:
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(zipfile.ZipInfo("mimetype"), mime)
            for name in names:
                entry = zipfile.ZipInfo(name.removeprefix(f"{folder}/"))
                archive.writestr(entry, parts.read(name) or b"", zipfile.ZIP_DEFLATED)
    except Protected:
        return EmbeddedFile(folder, b"", mime, refusal="it needs a password")
    except Unreadable as error:
        return EmbeddedFile(folder, b"", mime, refusal=str(error))
    return EmbeddedFile(folder, made.getvalue(), mime)


def _ole_object(parts: ZipPackage, name: str) -> Iterator[EmbeddedFile]:
    """Yield the document in an OLE object; none for an object that only shows itself."""
    try:
        data = parts.read(name)
    except (Protected, Unreadable):
        data = None
    if not data:
        yield EmbeddedFile(name, b"", refusal="it is damaged")
    elif data.startswith(_DOCUMENTS):
        yield EmbeddedFile(name, data)
    elif (file := unpack_object(data)) is not None:
        yield file._replace(path=file.path or name)


def _flat_objects(content: bytes) -> Iterator[EmbeddedFile]:
    root = parse_xml(content[:MAX_TREE])
    for element in () if root is None else root.iter(clark("draw:object"), clark("draw:object-ole")):
        name = value_of(element.getparent(), "draw:name")
        document = first_child(element, "office:document")
        mime = "" if document is None else value_of(document, "office:mimetype")
        if document is not None and not _is_part_of_text(mime):
            yield EmbeddedFile(name, serialize_xml(document), mime)
        elif (file := _binary_object(element)) is not None:
            yield file._replace(path=file.path or name)


def _binary_object(element: Element) -> EmbeddedFile | None:
    data = first_child(element, "office:binary-data")
    if data is None or not data.text:
        return None
    try:
        return unpack_object(binascii.a2b_base64(data.text))
    except ValueError:
        return None


def _is_part_of_text(mime: str) -> bool:
    return mime.rpartition(".")[2] in _PART_OF_TEXT
