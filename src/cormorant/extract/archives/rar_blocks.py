"""Valid blocks of a RAR archive: the readable beginning of one that is cut short or damaged.

Source: the format's description by its maker ("RAR 5.0 archive format", and technote.txt for the versions before).
"""

from __future__ import annotations

import zlib
from typing import Final

RAR_4: Final = b"Rar!\x1a\x07\0"
RAR_5: Final = b"Rar!\x1a\x07\x01\0"
_MAX_BLOCKS: Final = 200_000
_MAX_HEADER: Final = 2 * 1024 * 1024
_MAX_VINT: Final = 10
_CHECKED: Final = (0x73, 0x74)
"""Types of blocks before version 5 whose checksum covers the whole header: archive and file."""
_WITH_DATA: Final = 0x8000
_LARGE: Final = 0x100
_FILES: Final = (0x74, 0x7A)


def sound_length(body: bytes) -> tuple[int, int]:
    """Return how many bytes of sound blocks there are, and how many of these are missing from the end of `body`."""
    place, header = (len(RAR_5), _header_5) if body.startswith(RAR_5) else (len(RAR_4), _header_4)
    for _ in range(_MAX_BLOCKS):
        size = header(body, place)
        if not size:
            break
        place += size
        if place >= len(body):
            return place, place - len(body)
    return min(place, len(body)), 0


def _header_5(body: bytes, place: int) -> int:
    """Return the bytes of the block at `place` with its data, 0 when none is there or it is damaged."""
    size, start = _vint(body, place + 4)
    end = start + size
    if not 0 < size <= _MAX_HEADER or end > len(body):
        return 0
    if zlib.crc32(body[place + 4 : end]) != int.from_bytes(body[place : place + 4], "little"):
        return 0
    _, start = _vint(body, start)
    flags, start = _vint(body, start)
    if flags & 1:
        _, start = _vint(body, start)
    data = _vint(body, start)[0] if flags & 2 else 0
    return end - place + data


def _header_4(body: bytes, place: int) -> int:
    """Return the same for the versions before 5."""
    checksum, kind, flags, size = (
        int.from_bytes(body[place + first : place + last], "little") for first, last in ((0, 2), (2, 3), (3, 5), (5, 7))
    )
    if size < 7 or place + size > len(body):
        return 0
    if kind in _CHECKED and zlib.crc32(body[place + 2 : place + size]) & 0xFFFF != checksum:
        return 0
    data = 0
    if flags & _WITH_DATA or kind in _FILES:
        data = int.from_bytes(body[place + 7 : place + 11], "little")
    if kind in _FILES and flags & _LARGE:
        data += int.from_bytes(body[place + 32 : place + 36], "little") << 32
    return size + data


def _vint(body: bytes, place: int) -> tuple[int, int]:
    """Return a number of seven bits a byte, lowest first, and the place behind it."""
    value = 0
    for count in range(_MAX_VINT):
        if place + count >= len(body):
            break
        byte = body[place + count]
        value |= (byte & 0x7F) << (7 * count)
        if not byte & 0x80:
            return value, place + count + 1
    return 0, len(body)
