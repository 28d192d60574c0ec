"""Objects in RTF: `objdata` holds an OLE 1.0 object in hexadecimal digits ([MS-OLEDS] 2.2.5)."""

from __future__ import annotations

import binascii
import re
import struct
from typing import Final

from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.ole.object_storage import packaged_file, unpack_object

MAX_HEAD: Final = 8_192
"""Digits of an object in which its class is looked for."""

_NO_DIGITS: Final = re.compile(rb"\\[A-Za-z]+-?[0-9]* ?|[^0-9A-Fa-f]+")
_U32: Final = struct.Struct("<I")
_EMBEDDED: Final = 2
_NAMES: Final = 3
_PACKAGE: Final = b"Package"
_OLE_FILE: Final = b"\xd0\xcf\x11\xe0"


def object_name(digits: memoryview) -> str:
    """Return the name of the file that an object holds, "" for one that shows itself."""
    if _contents_of_package(_bytes(digits[:MAX_HEAD])) is None:
        return ""
    contents = _contents_of_package(_bytes(digits))
    file = None if contents is None else packaged_file(contents)
    return "" if file is None else file.path


def object_file(digits: memoryview) -> EmbeddedFile | None:
    """Return the file that an object holds, None for a picture, a link or an unknown object."""
    data = _bytes(digits)
    contents = _contents_of_package(data)
    if contents is not None:
        return packaged_file(contents)
    start = data.find(_OLE_FILE)
    return None if start < 0 else unpack_object(data[start:], with_charts=True)


def _bytes(digits: memoryview) -> bytes:
    pure = _NO_DIGITS.sub(b"", bytes(digits))
    return binascii.unhexlify(pure[: len(pure) & ~1])


def _contents_of_package(data: bytes) -> bytes | None:
    """Return the contents of an embedded object of the class Package, None for any other object."""
    if _number(data, 4) != _EMBEDDED:
        return None
    place = 8
    for position in range(_NAMES):
        size = _number(data, place)
        if position == 0 and data[place + 4 : place + 4 + size].rstrip(b"\0") != _PACKAGE:
            return None
        place += 4 + size
    return data[place + 4 :]


def _number(data: bytes, place: int) -> int:
    return int(_U32.unpack_from(data, place)[0]) if 0 <= place <= len(data) - 4 else 0
