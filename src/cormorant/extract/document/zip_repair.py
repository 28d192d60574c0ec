"""Directory of a ZIP file without one, as after a broken transfer.

Each file has a header before its bytes (APPNOTE.TXT 4.3.7); a directory is made from these and appended, so that the
present parts can be read like those of an undamaged file.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Final, NamedTuple

MAX_FILES: Final = 50_000
MAX_INFLATED: Final = 512 * 1024 * 1024
"""Bytes that are inflated to find the ends of files without a size in their headers."""

_LOCAL: Final = struct.Struct("<4sHHHHHIIIHH")
_CENTRAL: Final = struct.Struct("<4sHHHHHHIIIHHHHHII")
_END: Final = struct.Struct("<4sHHHHIIH")
_MARK: Final = b"PK\3\4"
_SIZE_LATER: Final = 8
_DEFLATED: Final = 8
_STEP: Final = 64 * 1024
_LARGEST: Final = 0xFFFFFFFF


class _Found(NamedTuple):
    offset: int
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    name: bytes
    end: int


def with_directory(body: bytes) -> bytes:
    """Return a ZIP file with a directory of the files whose headers are there; `body` itself when there are none."""
    if not body.startswith(_MARK) or len(body) > _LARGEST:
        return body
    entries = list(_entries(body))
    start = len(body)
    pieces = [body]
    for each in entries:
        header = _CENTRAL.pack(
            b"PK\1\2", 20, 20, each.flags & ~_SIZE_LATER, each.method, 0, 0x21, each.crc, each.packed, each.size,
            len(each.name), 0, 0, 0, 0, 0, each.offset,
        )  # fmt: skip
        pieces += (header, each.name)
    size = sum(map(len, pieces[1:]))
    count = min(len(entries), 0xFFFF)
    pieces.append(_END.pack(b"PK\5\6", 0, 0, count, count, size, start, 0))
    return b"".join(pieces) if entries else body


def _entries(body: bytes) -> Iterator[_Found]:
    place = 0
    left = MAX_INFLATED
    for _ in range(MAX_FILES):
        place = body.find(_MARK, place)
        if place < 0 or place + _LOCAL.size > len(body):
            return
        entry = _entry(body, place, left)
        if entry is None:
            place += len(_MARK)
            continue
        left -= entry.size if entry.flags & _SIZE_LATER else 0
        yield entry
        place = max(entry.end, place + len(_MARK))


def _entry(body: bytes, place: int, most: int) -> _Found | None:
    _, _, flags, method, _, _, crc, packed, size, name_length, extra_length = _LOCAL.unpack_from(body, place)
    start = place + _LOCAL.size + name_length + extra_length
    name = body[place + _LOCAL.size : place + _LOCAL.size + name_length]
    if not name or start > len(body) or method not in (0, _DEFLATED):
        return None
    end = start
    if flags & _SIZE_LATER and method == _DEFLATED:
        packed, size, crc, end = _measured(body, start, most)
    elif flags & _SIZE_LATER:
        following = body.find(b"PK\7\x08", start)
        packed = size = (following if following >= 0 else len(body)) - start
        crc = zlib.crc32(memoryview(body)[start : start + packed])
    packed = min(packed, len(body) - start)
    return _Found(place, flags, method, crc, packed, size, name, end if end > start else start + packed)


def _measured(body: bytes, start: int, most: int) -> tuple[int, int, int, int]:
    """Return the packed size, the size and the checksum of deflated bytes, and the place from which to go on.

    Damaged ones have a step more than could be inflated, and the next file may begin in it.
    """
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    size = crc = 0
    place = start
    while place < len(body) and not inflater.eof and size < most:
        try:
            data = inflater.decompress(body[place : place + _STEP], _STEP * 16)
            while inflater.unconsumed_tail and size + len(data) < most:
                size, crc = size + len(data), zlib.crc32(data, crc)
                data = inflater.decompress(inflater.unconsumed_tail, _STEP * 16)
        except zlib.error:
            return min(place + _STEP, len(body)) - start, size, crc, max(place, start + 1)
        size, crc = size + len(data), zlib.crc32(data, crc)
        place += _STEP
    end = min(place, len(body)) - len(inflater.unused_data)
    return end - start, size, crc, end
