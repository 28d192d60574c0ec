"""Records of the binary parts of an XLSB workbook ([MS-XLSB])."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

MAX_RECORDS: Final = 20_000_000
"""Records of a part that are read."""

_U16: Final = struct.Struct("<H")
_U32: Final = struct.Struct("<I")
_NULL: Final = 0xFFFFFFFF


class BinaryRecords:
    """The records of a part, each a kind and its data. `complete` becomes false when the last one is cut."""

    def __init__(self, data: bytes) -> None:
        """Hold a part."""
        self.complete = True
        self._data = data

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        data, end, place = self._data, len(self._data), 0
        for _ in range(MAX_RECORDS):
            if place + 2 > end:
                return
            kind = data[place]
            place += 1
            if kind & 0x80:
                kind = kind & 0x7F | (data[place] & 0x7F) << 7
                place += 1
            size = shift = 0
            while place < end and shift < 28:
                byte = data[place]
                place += 1
                size |= (byte & 0x7F) << shift
                shift += 7
                if byte < 0x80:
                    break
            if place + size > end:
                self.complete = False
            yield kind, data[place : place + size]
            place += size
        self.complete = False


class RecordFields:
    """The fields of a record, read one after the other; beyond the end they are 0 and ""."""

    def __init__(self, data: bytes, place: int = 0) -> None:
        """Begin at `place`, in bytes."""
        self.data = data
        self.place = place

    def u16(self) -> int:
        """Read a number of two bytes."""
        found = _U16.unpack_from(self.data, self.place)[0] if self.place + 2 <= len(self.data) else 0
        self.place += 2
        return int(found)

    def u32(self) -> int:
        """Read a number of four bytes."""
        found = _U32.unpack_from(self.data, self.place)[0] if self.place + 4 <= len(self.data) else 0
        self.place += 4
        return int(found)

    def text(self) -> str:
        """Read an XLWideString, or an XLNullableWideString, which may be missing."""
        length = self.u32()
        if length == _NULL:
            return ""
        return self.characters(length)

    def characters(self, length: int) -> str:
        """Read `length` characters."""
        end = self.place + 2 * length
        raw = self.data[self.place : end]
        self.place = end
        return raw[: len(raw) & ~1].decode("utf-16-le", "replace")

    def skip(self, count: int) -> None:
        """Pass over `count` bytes."""
        self.place += count
