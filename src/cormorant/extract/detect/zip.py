"""Inspection of a ZIP file: its contents, and whether it is the format that it claims to be.

Names and sizes come from the directory, real sizes from inflating.

Office documents, OpenDocument and EPUB are ZIP files. Before a converter opens one, all of it is inflated once without
keeping it, and counted: a bomb is refused here, whatever sizes its headers declare.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Final, NamedTuple

from cormorant.extract.errors import Protected, Unreadable

MAX_ENTRIES: Final = 10_000
MAX_BYTES: Final = 512 * 1024 * 1024
MAX_RATIO: Final = 200
RATIO_FREE: Final = 1024 * 1024
"""Unpacked bytes from which on the ratio counts."""

_END: Final = struct.Struct("<4s4H2LH")
_ENTRY: Final = struct.Struct("<4s4B4HL2L5H2L")
_LOCAL: Final = struct.Struct("<4s2B4HL2L2H")
_END_MAX: Final = 65_535 + _END.size
_STORED: Final = 0
_DEFLATED: Final = 8
_ENCRYPTED: Final = 1
_STEP: Final = 1024 * 1024


class ZipEntry(NamedTuple):
    """One file of an archive by its directory. Sizes are bytes; `offset` is where its local header should be."""

    name: str
    method: int
    encrypted: bool
    packed: int
    size: int
    offset: int


def entries(body: bytes, limit: int = MAX_ENTRIES) -> Iterator[ZipEntry]:
    """Yield what the directory of a ZIP lists, at most `limit` entries; nothing when there is no directory."""
    place = body.rfind(b"PK\x05\x06", max(0, len(body) - _END_MAX))
    if place < 0 or place + _END.size > len(body):
        return
    _, _, _, _, _, size, start, _ = _END.unpack_from(body, place)
    if start + size > place:
        return
    # Data before the archive (a self-extracting stub) shifts every offset.
    shift = place - size - start
    position = start + shift
    for _ in range(limit):
        if position + _ENTRY.size > place or body[position : position + 4] != b"PK\x01\x02":
            return
        fields = _ENTRY.unpack_from(body, position)
        flags, method, packed, unpacked, name, extra, comment = (fields[i] for i in (5, 6, 10, 11, 12, 13, 14))
        text = body[position + _ENTRY.size : position + _ENTRY.size + name].decode("utf-8", "replace")
        yield ZipEntry(text, method, bool(flags & _ENCRYPTED), packed, unpacked, fields[18] + shift)
        position += _ENTRY.size + name + extra + comment


def ends_as_zip(body: bytes) -> bool:
    """Return whether an end record closes the file, as in the last part of a split archive.

    APPNOTE.TXT 4.3.16.
    """
    place = body.rfind(b"PK\x05\x06", max(0, len(body) - _END_MAX))
    if place < 0 or place + _END.size > len(body):
        return False
    comment: int = _END.unpack_from(body, place)[-1]
    return place + _END.size + comment == len(body)


def check(body: bytes) -> None:
    """Inflate every file of a ZIP without keeping it. Raises Unreadable if it is too large."""
    count = total = 0
    for entry in entries(body, MAX_ENTRIES + 1):
        count += 1
        if count > MAX_ENTRIES:
            raise Unreadable(f"the archive has more than {MAX_ENTRIES} files")
        if entry.encrypted:
            raise Protected
        total += _inflated(body, entry, total)
    if count == 0:
        raise Unreadable("the archive has no readable directory: it is cut short or damaged")


def _inflated(body: bytes, entry: ZipEntry, before: int) -> int:
    """Return the real size of a file in bytes. Raises Unreadable if all files together are too large."""
    data: bytes | memoryview = _packed(body, entry)
    if entry.method == _STORED:
        _judge(before + len(data), len(body))
        return len(data)
    if entry.method != _DEFLATED:
        _judge(before + entry.size, len(body))
        return entry.size
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    size = 0
    while data and not unpacker.eof:
        try:
            size += len(unpacker.decompress(data, _STEP))
        except zlib.error:
            raise Unreadable(f"the file {entry.name[:100]!r} in the archive is damaged") from None
        _judge(before + size, len(body))
        data = unpacker.unconsumed_tail
    return size


def _packed(body: bytes, entry: ZipEntry) -> memoryview:
    if entry.offset + _LOCAL.size > len(body) or body[entry.offset : entry.offset + 4] != b"PK\x03\x04":
        raise Unreadable(f"the file {entry.name[:100]!r} in the archive is not where its directory says")
    fields = _LOCAL.unpack_from(body, entry.offset)
    start = entry.offset + _LOCAL.size + fields[10] + fields[11]
    return memoryview(body)[start : start + entry.packed]


def _judge(total: int, size: int) -> None:
    if total > MAX_BYTES:
        raise Unreadable(f"the archive unpacks to more than {MAX_BYTES // (1024 * 1024)} MiB")
    if total > RATIO_FREE and total > MAX_RATIO * size:
        raise Unreadable(f"the archive unpacks to more than {MAX_RATIO} times its size")
