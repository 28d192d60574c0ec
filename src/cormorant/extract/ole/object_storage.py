"""Documents embedded in others as OLE objects: [MS-OLEDS], and how each kind keeps its contents.

EncryptedPackage, WordDocument, Workbook ...   the object is an OLE document: its streams lie in the storage
Package                                        an Office document in a ZIP file
EmbeddedOdf                                    an OpenDocument file
CONTENTS                                       a PDF
Ole10Native                                    any file that was dropped into the document, with its name
"""

from __future__ import annotations

import struct
from typing import Final

from cormorant.extract.detect.compound_file import CompoundFile, Storage, kind_of_storage
from cormorant.extract.detect.formats import reader_of
from cormorant.extract.detect.sniff import sniff
from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.errors import Unreadable
from cormorant.extract.ole.code_pages import DEFAULT_CODEC
from cormorant.extract.ole.compound_writer import copy_storage
from cormorant.extract.sanitize import one_line

_NATIVE: Final = "\x01Ole10Native"
_WHOLE: Final = ("Package", "EmbeddedOdf")
_CONTENTS: Final = "CONTENTS"
_RTF: Final = b"{\\rtf"
_PDF_WITHIN: Final = 1024
_NAME_ENDS: Final = 260
_U32: Final = struct.Struct("<I")
_EMBEDDED: Final = 3
_SIZE: Final = 4
"""Bytes that say how long the contents of a package in a storage are."""
_GRAPHS: Final = tuple(
    bytes((number, 8, 2, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0x46)) for number in (0x00, 0x01, 0x03)
)
"""Class ids of the versions of Microsoft Graph."""


def is_graph(storage: Storage) -> bool:
    """Return whether an OLE object is a chart of Microsoft Graph, which is a part of its document: [MS-OGRAPH] 1.3."""
    return storage.class_id in _GRAPHS


def may_hold_graph(body: bytes) -> bool:
    """Return whether the class of a chart of Microsoft Graph stands in the bytes of an OLE file."""
    return any(each in body for each in _GRAPHS)


def embedded_object(storage: Storage, *, with_charts: bool = False) -> EmbeddedFile | None:
    """Return the document in the storage of an OLE object, None for a picture, a formula or an unknown object.

    A chart of Microsoft Graph is a part of its document, and a workbook of its own only `with_charts`.
    """
    if is_graph(storage) and not with_charts:
        return None
    for name in _WHOLE:
        body = storage.read(name)
        if body:
            return EmbeddedFile("", body)
    native = storage.read(_NATIVE)
    if native is not None:
        return packaged_file(native[_SIZE:])
    kind = kind_of_storage(storage)
    if kind:
        return EmbeddedFile("", copy_storage(storage), kind)
    contents = storage.read(_CONTENTS) or b""
    if contents.startswith(_RTF):
        return EmbeddedFile("", contents, "application/rtf")
    place = contents[:_PDF_WITHIN].find(b"%PDF-")
    return EmbeddedFile("", contents[place:], "application/pdf") if place >= 0 else None


def unpack_object(body: bytes, *, with_charts: bool = False) -> EmbeddedFile | None:
    """Return the document in an OLE file that an Office document keeps for an object, None when there is none."""
    try:
        return embedded_object(CompoundFile(body).root, with_charts=with_charts)
    except Unreadable:
        return None


def has_own_reader(file: EmbeddedFile) -> bool:
    """Return whether an embedded file is a document of its own that a built-in reader reads."""
    return reader_of(sniff(file.mime, file.body, file.path)) is not None if file.body else False


def is_read_apart(storage: Storage) -> bool:
    """Return whether an OLE object needs no picture: it is a document with a reader of its own, or a chart."""
    if is_graph(storage):
        return True
    file = embedded_object(storage)
    return file is not None and has_own_reader(file)


def object_name(storage: Storage) -> str:
    """Return the name of a file that was dropped into a document, which stands below its icon; "" for others."""
    native = storage.read(_NATIVE)
    file = None if native is None else packaged_file(native[_SIZE:])
    return "" if file is None else file.path


def packaged_file(data: bytes) -> EmbeddedFile | None:
    """Return the file in the contents of an OLE package, None for a link or what is damaged.

    Label, path and the file stand in it; names in Unicode follow in newer ones.
    """
    label, place = _terminated(data, 2)
    path, place = _terminated(data, place)
    if place + 8 > len(data) or _U32.unpack_from(data, place)[0] >> 16 != _EMBEDDED:
        return None
    place += 8 + _U32.unpack_from(data, place + 4)[0]
    if place + 4 > len(data):
        return None
    size = _U32.unpack_from(data, place)[0]
    body = data[place + 4 : place + 4 + size]
    name = _wide_label(data, place + 4 + size) or label or path
    name = one_line(name.replace("\\", "/").rpartition("/")[2])
    return EmbeddedFile(name, body) if body else None


def _terminated(data: bytes, place: int) -> tuple[str, int]:
    end = data.find(b"\0", place, place + _NAME_ENDS * 4)
    return ("", len(data)) if end < 0 else (data[place:end].decode(DEFAULT_CODEC, "replace"), end + 1)


def _wide_label(data: bytes, place: int) -> str:
    """Return the second of the three names in Unicode, each with its length in characters before it."""
    label = ""
    for _ in range(2):
        length = _U32.unpack_from(data, place)[0] if place + 4 <= len(data) else 0
        if length > _NAME_ENDS * 4:
            return ""
        label = data[place + 4 : place + 4 + length * 2].decode("utf-16-le", "replace").strip("\0")
        place += 4 + length * 2
    return label
