"""Records of a PowerPoint document: [MS-PPT] 2.3.1 and 2.13.24 (RecordType)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Final, NamedTuple

from cormorant.extract.ole.office_art import CONTAINER, MAX_RECORDS, RECORD_HEADER

_SOLID_CONTAINERS: Final = frozenset((0x138B,))
"""Records that say of themselves that they are bytes, and consist of records all the same."""


class Kind(IntEnum):
    """Types of records that are read."""

    DOCUMENT = 0x03E8
    SLIDE = 0x03EE
    SLIDE_ATOM = 0x03EF
    NOTES = 0x03F0
    SLIDE_PERSIST = 0x03F3
    MAIN_MASTER = 0x03F8
    OBJECT_REFERENCE = 0x0BC1
    PLACEHOLDER = 0x0BC3
    OUTLINE_REFERENCE = 0x0F9E
    TEXT_HEADER = 0x0F9F
    TEXT_CHARACTERS = 0x0FA0
    TEXT_BYTES = 0x0FA8
    STRING = 0x0FBA
    EMBEDDED_OBJECT = 0x0FCC
    OBJECT_ATOM = 0x0FC3
    HYPERLINK_ATOM = 0x0FD3
    HYPERLINK = 0x0FD7
    SLIDE_NUMBER = 0x0FD8
    HEADERS_FOOTERS = 0x0FD9
    HEADERS_FOOTERS_ATOM = 0x0FDA
    LINKED_TEXT = 0x0FDF
    SLIDE_LIST = 0x0FF0
    INTERACTIVE_ATOM = 0x0FF3
    USER_EDIT = 0x0FF5
    CURRENT_USER = 0x0FF6
    DATE_TIME = 0x0FF7
    GENERIC_DATE = 0x0FF8
    HEADER = 0x0FF9
    FOOTER = 0x0FFA
    OBJECT_STORAGE = 0x1011
    FORMATTED_DATE = 0x1015
    PERSIST_DIRECTORY = 0x1772
    COMMENT = 0x2EE0
    ENCRYPTION = 0x2F14
    BLIP_STORE = 0xF001
    SHAPE = 0xF004
    PROPERTIES = 0xF00B
    MORE_PROPERTIES = 0xF121
    STILL_MORE_PROPERTIES = 0xF122


class PptRecord(NamedTuple):
    """A record: its type, instance (what it is among those of its type), and the range of bytes of its contents."""

    kind: int
    instance: int
    start: int
    end: int
    holds_records: bool

    def body(self, data: bytes) -> bytes:
        """Return the contents, given the stream."""
        return data[self.start : self.end]


def record_at(data: bytes, place: int, end: int | None = None) -> PptRecord | None:
    """Return the record at a place, cut at `end`; None when no header fits there."""
    end = len(data) if end is None else min(end, len(data))
    if place < 0 or place + RECORD_HEADER.size > end:
        return None
    version, kind, size = RECORD_HEADER.unpack_from(data, place)
    start = place + RECORD_HEADER.size
    holds = version & CONTAINER == CONTAINER or kind in _SOLID_CONTAINERS
    return PptRecord(kind, version >> 4, start, min(start + size, end), holds)


def child_records(data: bytes, start: int, end: int) -> Iterator[PptRecord]:
    """Yield the records between two places, one after the other."""
    for _ in range(MAX_RECORDS):
        record = record_at(data, start, end)
        if record is None:
            return
        yield record
        start = record.end


def all_records(data: bytes, start: int, end: int) -> Iterator[PptRecord]:
    """Yield the records between two places and those within them, each container before its contents."""
    for _ in range(MAX_RECORDS):
        record = record_at(data, start, end)
        if record is None:
            return
        yield record
        start = record.start if record.holds_records else record.end
