"""The end of the last complete record of a file of lines, and the records before it.

The file is read backwards, so that a large file opens quickly.
"""

from __future__ import annotations

import os
from typing import NamedTuple

import msgspec

from cormorant.receivers.protocol import Delivery

OPENING = b'{"seq":'
"""The first bytes of every line of this receiver. A file with other first bytes is foreign and never cut."""

_BLOCK = 1 << 16
_SECTOR = 512
"""The smallest number of bytes that a disk writes."""


class Tail(NamedTuple):
    """The last complete record: the offset of the next record, and its number (0, 0 in a file without records)."""

    end: int
    seq: int


class TailRecord(msgspec.Struct):
    """The fields of a record that are read: its number, and those that differ between events of the same number."""

    seq: int
    event: str = ""
    run: int = 0
    url: str = ""
    document: object = None

    def matches(self, delivery: Delivery) -> bool:
        """Return whether this record is the event of a delivery.

        If the document has been deleted since, only these fields of it may be known.
        """
        if (self.event, self.run) != (delivery.event, delivery.run) or (delivery.url and self.url != delivery.url):
            return False
        if delivery.document is None or not isinstance(self.document, dict):
            return True
        return bool(self.document.get("fetched_at") == delivery.document.get("fetched_at"))


class DamagedTail(NamedTuple):
    """Unreadable bytes before readable records: their offset, and the number of the next record."""

    start: int
    following: int


def is_ours(descriptor: int) -> bool:
    """Return whether the file is empty or begins like a record, which may be torn.

    A power cut may have replaced whole sectors of the first records by zeros; then records follow them, or nothing.
    """
    start = os.pread(descriptor, len(OPENING), 0)
    if start.strip(b"\0") or not start:
        return OPENING.startswith(start)
    return last_record(descriptor).end > 0 or _is_nothing(descriptor)


def _is_nothing(descriptor: int) -> bool:
    if os.fstat(descriptor).st_size < _SECTOR:
        return False
    at = 0
    while block := os.pread(descriptor, _BLOCK, at):
        if block.strip(b"\0"):
            return False
        at += len(block)
    return True


def last_record(descriptor: int) -> Tail:
    """Find the last complete, readable line; a kill or a power cut has left the bytes after it."""
    end = _line_start(descriptor, os.fstat(descriptor).st_size)
    while end > 0:
        start = _line_start(descriptor, end - 1)
        try:
            return Tail(end, _read(descriptor, start, end).seq)
        except (msgspec.DecodeError, UnicodeDecodeError):
            end = start
    return Tail(0, 0)


def last_lines(descriptor: int, end: int, most: int) -> dict[int, TailRecord]:
    """Return at most `most` records before `end`, by number, back to the first unreadable one."""
    found: dict[int, TailRecord] = {}
    while end > 0 and len(found) < most:
        start = _line_start(descriptor, end - 1)
        try:
            line = _read(descriptor, start, end)
        except (msgspec.DecodeError, UnicodeDecodeError):
            break
        found.setdefault(line.seq, line)
        end = start
    return found


def gaps(descriptor: int, end: int, most: int) -> list[DamagedTail]:
    """Return the unreadable ones of the `most` last lines before `end`; a disk writes pages in any order."""
    found: list[DamagedTail] = []
    following = 0
    for _ in range(most):
        if end <= 0:
            break
        start = _line_start(descriptor, end - 1)
        try:
            following = _read(descriptor, start, end).seq
        except (msgspec.DecodeError, UnicodeDecodeError):
            found.append(DamagedTail(start, following))
        end = start
    return found


def _read(descriptor: int, start: int, end: int) -> TailRecord:
    return msgspec.json.decode(_bytes(descriptor, start, end), type=TailRecord)


def _line_start(descriptor: int, end: int) -> int:
    """Return the offset of the line that holds the byte before `end`: after the last newline before `end`."""
    while end > 0:
        start = max(0, end - _BLOCK)
        found = _bytes(descriptor, start, end).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _bytes(descriptor: int, start: int, end: int) -> bytes:
    return os.pread(descriptor, end - start, start)
