"""Objects in RTF: `objdata` holds an OLE 1.0 object in hexadecimal digits ([MS-OLEDS] 2.2.5)."""

from __future__ import annotations

import binascii
import re
import struct
from typing import Final

from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.ole.code_pages import DEFAULT_CODEC
from cormorant.extract.ole.object_storage import unpack_object
from cormorant.extract.sanitize import one_line

MAX_HEAD: Final = 8_192
"""Digits of an object in which its class is looked for."""
MAX_NAME: Final = 1_000

_NO_DIGITS: Final = re.compile(rb"\\[A-Za-z]+-?[0-9]* ?|[^0-9A-Fa-f]+")
_U32: Final = struct.Struct("<I")
_EMBEDDED: Final = 2
_NAMES: Final = 3
_PACKAGE: Final = b"Package"
_OLE_FILE: Final = b"\xd0\xcf\x11\xe0"
_PATH_BELOW: Final = 8


def object_name(digits: memoryview) -> str:
    """Return the name of the file that an object holds, "" for one that shows itself."""
    if _contents_of_package(_bytes(digits[:MAX_HEAD])) is None:
        return ""
    file = _packed_file(_bytes(digits))
    return "" if file is None else file.path


def object_file(digits: memoryview) -> EmbeddedFile | None:
    """Return the file that an object holds, None for a picture, a link or what nobody knows."""
    data = _bytes(digits)
    file = _packed_file(data)
    if file is not None:
        return file
    start = data.find(_OLE_FILE)
    return None if start < 0 else unpack_object(data[start:], with_charts=True)


def _bytes(digits: memoryview) -> bytes:
    pure = _NO_DIGITS.sub(b"", bytes(digits))
    return binascii.unhexlify(pure[: len(pure) & ~1])


def _packed_file(data: bytes) -> EmbeddedFile | None:
    """Return the file in an object of the class Package: label, path, the file, and newer ones' names in Unicode."""
    place = _contents_of_package(data)
    if place is None:
        return None
    label, place = _terminated(data, place + 2)
    path, place = _terminated(data, place)
    place += _PATH_BELOW + _number(data, place + 4)
    end = place + 4 + _number(data, place)
    name = (_wide_label(data, end) or label or path).replace("\\", "/").rpartition("/")[2]
    return EmbeddedFile(one_line(name), data[place + 4 : end])


def _contents_of_package(data: bytes) -> int | None:
    """Return where the contents of an embedded object of the class Package begin, None for any other object."""
    if _number(data, 4) != _EMBEDDED:
        return None
    place = 8
    for position in range(_NAMES):
        size = _number(data, place)
        if position == 0 and data[place + 4 : place + 4 + size].rstrip(b"\0") != _PACKAGE:
            return None
        place += 4 + size
    return place + 4


def _wide_label(data: bytes, place: int) -> str:
    """Return the second of three names in Unicode, each with its length in characters before it; "" for none."""
    place += 4 + 2 * _number(data, place)
    length = _number(data, place)
    if not 0 < length <= MAX_NAME:
        return ""
    return data[place + 4 : place + 4 + 2 * length].decode("utf-16-le", "replace").strip("\0")


def _number(data: bytes, place: int) -> int:
    return int(_U32.unpack_from(data, place)[0]) if 0 <= place <= len(data) - 4 else 0


def _terminated(data: bytes, place: int) -> tuple[str, int]:
    end = data.find(b"\0", place)
    return ("", len(data)) if end < 0 else (data[place:end].decode(DEFAULT_CODEC, "replace"), end + 1)
