"""Words in the drawings of Word, Excel and PowerPoint: WordArt and alternative texts, [MS-ODRAW]."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from cormorant.extract.document.alt_text import human_text
from cormorant.extract.ole.code_pages import decode_text
from cormorant.extract.sanitize import MAX_VALUE

RECORD_HEADER: Final = struct.Struct("<HHI")
"""Version (4 bits) and instance (12 bits), type, size in bytes of what follows."""
CONTAINER: Final = 0xF
"""The version of a record that consists of records."""
MAX_RECORDS: Final = 1_000_000

_PROPERTY_TABLES: Final = (0xF00B, 0xF121, 0xF122)
_PROPERTY: Final = struct.Struct("<HI")
_WORD_ART: Final = 0x00C0
_DESCRIPTION: Final = 0x0381
_PICTURES: Final = (0x0104, 0x0186)
"""The picture of a shape, and one that fills it."""
_COMPLEX: Final = 0x8000
_NUMBER: Final = 0x3FFF


def art_texts(data: bytes, start: int = 0, end: int | None = None) -> Iterator[str]:
    """Yield the words of the drawings whose records lie between `start` and `end`, in the order of the file."""
    end = len(data) if end is None else min(end, len(data))
    for _ in range(MAX_RECORDS):
        if start + RECORD_HEADER.size > end:
            return
        version, kind, size = RECORD_HEADER.unpack_from(data, start)
        start += RECORD_HEADER.size
        if kind in _PROPERTY_TABLES:
            yield from property_texts(data[start : min(start + size, end)], version >> 4)
        if version & CONTAINER != CONTAINER:
            start += size


def property_texts(table: bytes, count: int) -> list[str]:
    """Return the text of a WordArt object and the alternative text that a person wrote: [MS-ODRAW] 2.2.9."""
    count = min(count, len(table) // _PROPERTY.size)
    place = count * _PROPERTY.size
    found: list[str] = []
    for number, size in _PROPERTY.iter_unpack(table[:place]):
        if not number & _COMPLEX:
            continue
        if number & _NUMBER in (_WORD_ART, _DESCRIPTION):
            text = decode_text(table[place : place + min(size, MAX_VALUE * 2)], "utf-16-le")
            found.append(text if number & _NUMBER == _WORD_ART else human_text(text))
        place += size
    return [text for text in found if text]


def picture_numbers(table: bytes, count: int) -> Iterator[int]:
    """Yield the numbers of the pictures that a shape shows, as entries of the blip store: [MS-ODRAW] 2.3.23.5."""
    for number, value in _PROPERTY.iter_unpack(table[: min(count, len(table) // _PROPERTY.size) * _PROPERTY.size]):
        if number & _NUMBER in _PICTURES and not number & _COMPLEX and value:
            yield value


def shown_pictures(data: bytes) -> list[int]:
    """Return the numbers of the pictures that the shapes among records show, in their order."""
    found: list[int] = []
    start = 0
    for _ in range(MAX_RECORDS):
        if start + RECORD_HEADER.size > len(data):
            break
        version, kind, size = RECORD_HEADER.unpack_from(data, start)
        start += RECORD_HEADER.size
        if kind == _PROPERTY_TABLES[0]:
            found += picture_numbers(data[start : start + size], version >> 4)
        if version & CONTAINER != CONTAINER:
            start += size
    return found
