"""Hyperlinks of an XLS file: HLINK records ([MS-XLS] 2.4.140, [MS-OSHARED] 2.3.7.1) and formulas that make one."""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

from cormorant.extract.ole.biff.records import short_text
from cormorant.extract.ole.code_pages import DEFAULT_CODEC, decode_text

_RANGE: Final = struct.Struct("<HHHH")
_U32: Final = struct.Struct("<I")
_OBJECT: Final = 28
_URL: Final = bytes.fromhex("e0c9ea79f9bace118c8200aa004ba90b")
_FILE: Final = bytes.fromhex("0303000000000000c000000000000046")
_HAS_MONIKER, _HAS_LOCATION, _HAS_NAME, _HAS_FRAME, _AS_STRING = 0x01, 0x08, 0x10, 0x80, 0x100
_MAX_CHARACTERS: Final = 4_096
# Tokens of a formula ([MS-XLS] 2.5.198): a text, and a call of the function HYPERLINK.
_TEXT_TOKEN: Final = 0x17
_CALLS: Final = (b"\x67\x01", b"\x67\x81")
_FIRST_TOKEN: Final = 22


class CellLink(NamedTuple):
    """A hyperlink on a range of cells, of which the first is at `row` and `column`. `name` is its text, "" for none."""

    row: int
    column: int
    target: str
    name: str


def cell_link(data: bytes) -> CellLink | None:
    """Read an HLINK record, None for one that leads nowhere outside its workbook."""
    if len(data) < _OBJECT + 4:
        return None
    row, _, column, _ = _RANGE.unpack_from(data)
    flags = _U32.unpack_from(data, _OBJECT)[0]
    place = _OBJECT + 4
    name, place = _string(data, place) if flags & _HAS_NAME else ("", place)
    if flags & _HAS_FRAME:
        _, place = _string(data, place)
    target = ""
    if flags & _AS_STRING and flags & _HAS_MONIKER:
        target, place = _string(data, place)
    elif flags & _HAS_MONIKER:
        target, place = _moniker(data, place)
    if target and flags & _HAS_LOCATION:
        location, _ = _string(data, place)
        target += f"#{location}" if location else ""
    return CellLink(row, column, target, name) if target else None


def _string(data: bytes, place: int) -> tuple[str, int]:
    """Return a text after its length in characters, and the place behind it."""
    if place + 4 > len(data):
        return "", len(data)
    length = _U32.unpack_from(data, place)[0]
    end = place + 4 + 2 * length
    return decode_text(data[place + 4 : min(end, place + 4 + 2 * _MAX_CHARACTERS)], "utf-16-le"), end


def _moniker(data: bytes, place: int) -> tuple[str, int]:
    kind, place = data[place : place + 16], place + 16
    if kind == _URL and place + 4 <= len(data):
        size = _U32.unpack_from(data, place)[0]
        return decode_text(data[place + 4 : place + 4 + min(size, 2 * _MAX_CHARACTERS)], "utf-16-le"), place + 4 + size
    if kind == _FILE and place + 6 <= len(data):
        return _file_moniker(data, place)
    return "", len(data)


def _file_moniker(data: bytes, place: int) -> tuple[str, int]:
    """Read the path of a file: [MS-OSHARED] 2.3.7.8; it is relative to the document, some folders up."""
    up, size = struct.unpack_from("<HI", data, place)
    short = decode_text(data[place + 6 : place + 6 + min(size, _MAX_CHARACTERS)], DEFAULT_CODEC)
    place += 6 + size + 24
    path = short
    if place + 4 <= len(data):
        rest = _U32.unpack_from(data, place)[0]
        if rest > 6 and place + 10 <= len(data):
            length = _U32.unpack_from(data, place + 4)[0]
            path = decode_text(data[place + 10 : place + 10 + min(length, 2 * _MAX_CHARACTERS)], "utf-16-le") or short
        place += 4 + rest
    return ("../" * min(up, 32) + path).replace("\\", "/") if path else "", place


def formula_link(formula: bytes, codec: str) -> str:
    """Return the address in the formula of a cell that calls HYPERLINK with a text, "" for others."""
    if len(formula) <= _FIRST_TOKEN or formula[_FIRST_TOKEN] != _TEXT_TOKEN:
        return ""
    return short_text(formula, _FIRST_TOKEN + 1, codec)[0] if any(call in formula for call in _CALLS) else ""
