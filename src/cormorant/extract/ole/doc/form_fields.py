"""The choice of a drop-down form field of a Word document: [MS-DOC] 2.9.78 (FFData)."""

from __future__ import annotations

import struct
from typing import Final

_PICTURE_HEADER: Final = struct.Struct("<IH")
_VERSION: Final = 0xFFFFFFFF
_BITS: Final = struct.Struct("<IHHH")
_U16: Final = struct.Struct("<H")
_DROP_DOWN: Final = 2
_NONE_CHOSEN: Final = 25
_TEXTS_BETWEEN: Final = 5
"""Format, help, status text and two macros."""
MAX_CHOICES: Final = 1_000


def form_choice(data: bytes, place: int) -> str:
    """Return the item that is chosen in the form field at a place of the data stream, "" when there is none."""
    if place + _PICTURE_HEADER.size > len(data):
        return ""
    size, header = _PICTURE_HEADER.unpack_from(data, place)
    found = data[place + header : place + size]
    if len(found) < _BITS.size:
        return ""
    version, bits, _, _ = _BITS.unpack_from(found)
    if version != _VERSION or bits & 3 != _DROP_DOWN:
        return ""
    _, at = _string(found, _BITS.size)
    default = _U16.unpack_from(found, at)[0] if at + 2 <= len(found) else 0
    at += 2
    for _ in range(_TEXTS_BETWEEN):
        _, at = _string(found, at)
    chosen = bits >> 2 & 31
    choices = _choices(found, at)
    chosen = default if chosen == _NONE_CHOSEN else chosen
    return choices[chosen] if chosen < len(choices) else ""


def _string(data: bytes, place: int) -> tuple[str, int]:
    """Return a string with its length before it and NUL behind it, and the place after it."""
    length = _U16.unpack_from(data, place)[0] if place + 2 <= len(data) else 0
    end = place + 2 + length * 2
    return data[place + 2 : end].decode("utf-16-le", "replace"), end + 2


def _choices(data: bytes, place: int) -> list[str]:
    """Return the strings of a table (STTB) of wide strings: [MS-DOC] 2.2.4."""
    if place + 6 > len(data) or _U16.unpack_from(data, place)[0] != 0xFFFF:
        return []
    count, extra = _U16.unpack_from(data, place + 2)[0], _U16.unpack_from(data, place + 4)[0]
    found: list[str] = []
    place += 6
    for _ in range(min(count, MAX_CHOICES)):
        length = _U16.unpack_from(data, place)[0] if place + 2 <= len(data) else 0
        found.append(data[place + 2 : place + 2 + length * 2].decode("utf-16-le", "replace"))
        place += 2 + length * 2 + extra
    return found
