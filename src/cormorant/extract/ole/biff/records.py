"""Records of Excel's binary files (BIFF): [MS-XLS] 2.3 and 2.5, and OpenOffice's description of the older versions.

    BIFF2-4    one sheet without a container         Excel 2 to 4
    BIFF5      the stream Book, text in a code page  Excel 5 and 95
    BIFF8      the stream Workbook, Unicode          Excel 97 to 2003

A record has a kind, a size and data; longer ones go on in CONTINUE records.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

BOF: Final = frozenset((0x0009, 0x0209, 0x0409, 0x0809))
EOF: Final = 0x000A
CONTINUE: Final = 0x003C
FILE_PASS: Final = 0x002F

MAX_RECORDS: Final = 20_000_000
"""Records of a workbook that are read."""
MAX_STRINGS: Final = 4_000_000
"""Shared strings of a workbook that are read."""

_HEADER: Final = struct.Struct("<HH")
_TEXT_HEADER: Final = struct.Struct("<HB")
_U16: Final = struct.Struct("<H")
_VERSIONS: Final = {0x0009: 2, 0x0209: 3, 0x0409: 4}
_BIFF8: Final = (0x0600, 0x0680)
"""The numbers of Excel 97 and of Graph 97."""
_WIDE: Final = 0x01
_EXTENDED: Final = 0x04
_RICH: Final = 0x08


class BiffRecord(NamedTuple):
    """A record: its kind, the place of its data in the stream, and their size in bytes."""

    kind: int
    start: int
    size: int


class BiffStream:
    """The records of a stream in their order. `complete` becomes false when the last one is cut."""

    def __init__(self, data: bytes) -> None:
        """Begin at the first record."""
        self.data = data
        self.complete = True
        self._place = 0

    def __iter__(self) -> Iterator[BiffRecord]:
        data, end = self.data, len(self.data)
        for _ in range(MAX_RECORDS):
            if self._place + 4 > end:
                return
            kind, size = _HEADER.unpack_from(data, self._place)
            start = self._place + 4
            self._place = start + size
            if self._place > end:
                self.complete = False
                size = end - start
            yield BiffRecord(kind, start, size)
        self.complete = False

    def body(self, record: BiffRecord) -> bytes:
        """Return the data of a record."""
        return self.data[record.start : record.start + record.size]

    def continued(self, record: BiffRecord, *kinds: int) -> list[bytes]:
        """Return the data of the newest record and of the CONTINUE records after it, which are passed over then.

        `kinds` are further kinds that continue it.
        """
        pieces = [self.body(record)]
        while self._place + 4 <= len(self.data):
            kind, size = _HEADER.unpack_from(self.data, self._place)
            if kind != CONTINUE and kind not in kinds:
                break
            pieces.append(self.data[self._place + 4 : self._place + 4 + size])
            self._place += 4 + size
        return pieces


class SubstreamStart(NamedTuple):
    """A BOF record: the version of BIFF (2, 3, 4, 5 or 8), and the kind of the substream that it begins."""

    version: int
    kind: int


def substream_start(record: BiffRecord, data: bytes) -> SubstreamStart:
    """Read a BOF record: [MS-XLS] 2.4.21."""
    number, kind = struct.unpack_from("<HH", data.ljust(4, b"\0"))
    version = _VERSIONS.get(record.kind) or (8 if number in _BIFF8 else 5)
    return SubstreamStart(version, kind)


def short_text(data: bytes, place: int, codec: str) -> tuple[str, int]:
    """Return a text after its length in one byte, and the place behind it; `codec` is "" for Unicode."""
    if place >= len(data):
        return "", len(data)
    return _text(data, place + 1, data[place], codec)


def long_text(data: bytes, place: int, codec: str) -> tuple[str, int]:
    """Return a text after its length in two bytes, and the place behind it; `codec` is "" for Unicode."""
    if place + 2 > len(data):
        return "", len(data)
    return _text(data, place + 2, _U16.unpack_from(data, place)[0], codec)


def _text(data: bytes, place: int, length: int, codec: str) -> tuple[str, int]:
    """Read an XLUnicodeString or a string of bytes: [MS-XLS] 2.5.294."""
    if codec:
        return data[place : place + length].decode(codec, "replace"), place + length
    flags = data[place] if place < len(data) else 0
    place += 1
    if flags & _RICH:
        place += 2
    if flags & _EXTENDED:
        place += 4
    if flags & _WIDE:
        end = place + 2 * length
        return data[place:end][: 2 * length & ~1].decode("utf-16-le", "replace"), end
    return data[place : place + length].decode("latin-1"), place + length


class TextPieces:
    """Reads Unicode texts that go on in CONTINUE records: [MS-XLS] 2.5.293 and 2.4.58.

    Characters that go on in another record begin there with a byte that says how wide they are.
    """

    def __init__(self, pieces: list[bytes]) -> None:
        """Begin at the first byte of the first piece."""
        self._pieces = pieces
        self._number = 0
        self._data = pieces[0] if pieces else b""
        self._place = 0

    def next_piece(self) -> bool:
        """Go to the next piece; return whether there is one."""
        self._number += 1
        if self._number >= len(self._pieces):
            self._data, self._place = b"", 0
            return False
        self._data, self._place = self._pieces[self._number], 0
        return True

    def skip(self, count: int) -> bool:
        """Pass over bytes, and the ends of pieces; return whether there were as many."""
        while count > len(self._data) - self._place:
            count -= len(self._data) - self._place
            if not self.next_piece():
                return False
        self._place += count
        return True

    def number(self, size: int) -> int | None:
        """Return a number of `size` bytes, None at the end."""
        if self._place + size <= len(self._data):
            number = int.from_bytes(self._data[self._place : self._place + size], "little")
            self._place += size
            return number
        parts = []
        for _ in range(size):
            if self._place >= len(self._data) and not self.next_piece():
                return None
            parts.append(self._data[self._place : self._place + 1])
            self._place += 1
        return int.from_bytes(b"".join(parts), "little")

    def characters(self, length: int, *, wide: bool) -> str:
        """Return `length` characters, fewer at the end."""
        found: list[str] = []
        while True:
            width = 2 if wide else 1
            count = min(length, (len(self._data) - self._place) // width)
            raw = self._data[self._place : self._place + count * width]
            self._place += count * width
            found.append(raw.decode("utf-16-le", "replace") if wide else raw.decode("latin-1"))
            length -= count
            if length == 0 or not self.next_piece():
                return "".join(found)
            wide = bool(self.number(1) or 0)

    def plain_text(self) -> str:
        """Return an XLUnicodeString, "" at the end."""
        length, flags = self.number(2), self.number(1)
        return "" if length is None or flags is None else self.characters(length, wide=bool(flags & _WIDE))

    def flagged_text(self, length: int) -> str:
        """Return `length` characters after the byte that says how wide they are."""
        return self.characters(length, wide=bool((self.number(1) or 0) & _WIDE))

    def rich_text(self) -> str | None:
        """Return an XLUnicodeRichExtendedString without its phonetic text, None at the end."""
        length = self.number(2)
        flags = self.number(1)
        if length is None or flags is None:
            return None
        runs = self.number(2) or 0 if flags & _RICH else 0
        extension = self.number(4) or 0 if flags & _EXTENDED else 0
        text = self.characters(length, wide=bool(flags & _WIDE))
        if runs or extension:
            self.skip(4 * runs + extension)
        return text

    def shared_strings(self) -> tuple[list[str], bool]:
        """Return the texts of an SST record ([MS-XLS] 2.4.265), and whether there are as many as it says."""
        self.skip(4)
        count = self.number(4) or 0
        found: list[str] = []
        while len(found) < min(count, MAX_STRINGS):
            text = self._next_in_piece()
            if text is None:
                text = self.rich_text()
            if text is None:
                return found, False
            found.append(text)
        return found, len(found) == count

    def _next_in_piece(self) -> str | None:
        """Return the next text where it is a plain one that lies in this piece, which most do; else None."""
        place = self._place + 3
        if place > len(self._data):
            return None
        length, flags = _TEXT_HEADER.unpack_from(self._data, self._place)
        end = place + (2 * length if flags & _WIDE else length)
        if flags & (_RICH | _EXTENDED) or end > len(self._data):
            return None
        self._place = end
        return self._data[place:end].decode("utf-16-le" if flags & _WIDE else "latin-1", "replace")
