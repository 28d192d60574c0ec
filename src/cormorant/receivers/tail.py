"""The end of the last whole record of a file of lines, and the records before it.

Read from behind, so that a large file opens quickly.
"""

from __future__ import annotations

import os
from typing import NamedTuple

import msgspec

from cormorant.receivers.protocol import Delivery

OPENING = b'{"seq":'
"""What every line of ours begins with. A file that begins otherwise is somebody else's, and nothing of it is cut."""

_BLOCK = 1 << 16
_SECTOR = 512
"""What a disk writes at least."""


class Tail(NamedTuple):
    """The last whole record: where the next one begins, and its number (0, 0 in a file without any)."""

    end: int
    seq: int


class TailRecord(msgspec.Struct):
    """All that is read of a record: its number, and what tells it from another that was given the same number."""

    seq: int
    event: str = ""
    run: int = 0
    url: str = ""
    document: object = None

    def tells(self, delivery: Delivery) -> bool:
        """Return whether this record is of the event of a delivery.

        Of a document that is gone since, no more may be known than that.
        """
        if (self.event, self.run) != (delivery.event, delivery.run) or (delivery.url and self.url != delivery.url):
            return False
        if delivery.document is None or not isinstance(self.document, dict):
            return True
        return bool(self.document.get("fetched_at") == delivery.document.get("fetched_at"))


class DamagedTail(NamedTuple):
    """Bytes that are no record though records stand behind them: where they begin, and the number that follows."""

    start: int
    following: int


def is_ours(descriptor: int) -> bool:
    """Say whether the file is empty or begins as a record does, be it torn.

    Of the first records a power cut may have left zeros, in whole sectors: then records stand behind them, or nothing.
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
    """Find the last line that is whole and can be read; what stands behind it is what a kill or a power cut left."""
    end = _line_start(descriptor, os.fstat(descriptor).st_size)
    while end > 0:
        start = _line_start(descriptor, end - 1)
        try:
            return Tail(end, _read(descriptor, start, end).seq)
        except (msgspec.DecodeError, UnicodeDecodeError):
            end = start
    return Tail(0, 0)


def last_lines(descriptor: int, end: int, most: int) -> dict[int, TailRecord]:
    """The last records before `end`, by number; at most so many, and none before one that cannot be read."""
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
    """Return where the line begins that the byte before `end` belongs to: behind the last newline before `end`."""
    while end > 0:
        start = max(0, end - _BLOCK)
        found = _bytes(descriptor, start, end).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _bytes(descriptor: int, start: int, end: int) -> bytes:
    return os.pread(descriptor, end - start, start)
