"""Metafiles in the drawings of Word, Excel and PowerPoint, and the text in them: [MS-ODRAW] 2.2.20 to 2.2.32.

blip store      an entry for each picture, numbered from 1: the picture itself, or its place in another stream
blip            identifiers, a header with sizes, the picture, mostly compressed
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Container, Iterator
from typing import Final

from cormorant.extract.formats.metafile import MAX_METAFILE, PictureText
from cormorant.extract.ole.office_art import CONTAINER, RECORD_HEADER

MAX_PICTURES: Final = 10_000
"""Pictures of a document that are looked at."""
MAX_RECORDS: Final = 100_000

_ENTRY: Final = 0xF007
_ENTRY_SIZE: Final = 36
_PLACE_IN_ENTRY: Final = 28
_NAME_IN_ENTRY: Final = 33
_NO_PLACE: Final = 0xFFFFFFFF
_EMF, _WMF = 0xF01A, 0xF01B
_TWO_IDENTIFIERS: Final = frozenset((0x3D5, 0x217))
_IDENTIFIER: Final = 16
_HEADER: Final = 34
_COMPRESSION: Final = 32
_DEFLATED: Final = 0
_U32: Final = struct.Struct("<I")


class BlipText:
    """Reads the text in the metafiles of one document, within bounds that they share."""

    def __init__(self) -> None:
        self._text = PictureText()
        self._left = MAX_PICTURES

    def inline(self, data: bytes, start: int = 0, end: int | None = None) -> Iterator[str]:
        """Yield the lines of text in the metafiles whose records lie between `start` and `end`."""
        end = len(data) if end is None else min(end, len(data))
        for place, kind, size in _records(data, start, end):
            if kind in (_EMF, _WMF):
                yield from self.at(data, place, size)

    def stored(self, group: bytes, delayed: bytes, shown: Container[int]) -> Iterator[str]:
        """Yield the lines of text in the metafiles of a blip store whose numbers are `shown`; others are left over.

        `group` are the records of a drawing group, `delayed` is the stream that pictures outside of it lie in.
        """
        number = 0
        for place, kind, size in _records(group, 0, len(group)):
            number += kind == _ENTRY
            if number not in shown:
                continue
            if kind in (_EMF, _WMF):
                yield from self.at(group, place, size)
            elif kind == _ENTRY and size == _ENTRY_SIZE and place + size <= len(group):
                outside = _U32.unpack_from(group, place + _PLACE_IN_ENTRY)[0]
                if outside != _NO_PLACE:
                    yield from self._outside(delayed, outside)

    def at(self, data: bytes, place: int, size: int) -> list[str]:
        """Return the lines of text in a metafile, given the place and the size of its record behind its header."""
        self._left -= 1
        if self._left < 0 or not self._text.admit(min(size, len(data) - place)):
            return []
        version, _, _ = RECORD_HEADER.unpack_from(data, place - RECORD_HEADER.size)
        place_of_header = place + _IDENTIFIER * (2 if version >> 4 in _TWO_IDENTIFIERS else 1)
        packed = data[place_of_header + _HEADER : place + size]
        if place_of_header + _HEADER > len(data):
            return []
        return self._text.lines(_inflated(packed) if data[place_of_header + _COMPRESSION] == _DEFLATED else packed)

    def _outside(self, delayed: bytes, place: int) -> Iterator[str]:
        if place + RECORD_HEADER.size <= len(delayed):
            _, kind, size = RECORD_HEADER.unpack_from(delayed, place)
            if kind in (_EMF, _WMF):
                yield from self.at(delayed, place + RECORD_HEADER.size, size)


def _records(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield place, type and size of records, those in containers and in entries of a blip store too."""
    for _ in range(MAX_RECORDS):
        if start + RECORD_HEADER.size > end:
            return
        version, kind, size = RECORD_HEADER.unpack_from(data, start)
        start += RECORD_HEADER.size
        yield start, kind, size
        if kind == _ENTRY and start + _ENTRY_SIZE <= end:
            start += min(size, _ENTRY_SIZE + data[start + _NAME_IN_ENTRY])
        elif version & CONTAINER != CONTAINER:
            start += size


def _inflated(data: bytes) -> bytes:
    inflator = zlib.decompressobj()
    try:
        return inflator.decompress(data, MAX_METAFILE + 1)
    except zlib.error:
        return b""
