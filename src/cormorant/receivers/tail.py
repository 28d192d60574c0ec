"""Where does the last whole record of a file of lines end? Read from behind, so that a large file opens quickly."""

from __future__ import annotations

import os
from typing import NamedTuple

import msgspec

OPENING = b'{"seq":'
"""What every line of ours begins with. A file that begins otherwise is somebody else's, and nothing of it is cut."""

_BLOCK = 1 << 16


class Tail(NamedTuple):
    """The last whole record: where the next one begins, and its number (0, 0 in a file without any)."""

    end: int
    seq: int


class _Numbered(msgspec.Struct):
    """All that is read of a line."""

    seq: int


def is_ours(descriptor: int) -> bool:
    """Say whether the file is empty or begins as a record does, be it torn."""
    start = os.pread(descriptor, len(OPENING), 0)
    return OPENING.startswith(start)


def last_record(descriptor: int) -> Tail:
    """Find the last line that is whole and can be read; what stands behind it is what a kill or a power cut left."""
    end = _line_start(descriptor, os.fstat(descriptor).st_size)
    while end > 0:
        start = _line_start(descriptor, end - 1)
        try:
            return Tail(end, msgspec.json.decode(_bytes(descriptor, start, end), type=_Numbered).seq)
        except (msgspec.DecodeError, UnicodeDecodeError):
            end = start
    return Tail(0, 0)


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
