"""7z archives as bytes, written by hand: one folder of coders, the files one after the other in it."""

from __future__ import annotations

import lzma
import struct
import zlib
from collections.abc import Sequence
from typing import NamedTuple

COPY = b"\0"
LZMA = b"\x03\x01\x01"
LZMA2 = b"\x21"
AES = b"\x06\xf1\x07\x01"
PPMD = b"\x03\x04\x01"
BCJ = b"\x03\x03\x01\x03"

DIRECTORY = 0x10
LINK = 0x8000 | 0o120777 << 16
_WINDOW = 1 << 16


class Coder(NamedTuple):
    """A coder as the header names it: method and properties."""

    method: bytes
    properties: bytes = b""


def number(value: int) -> bytes:
    if value < 0x80:
        return bytes((value,))
    if value < 0x4000:
        return bytes((0x80 | value >> 8, value & 0xFF))
    return b"\xff" + struct.pack("<Q", value)


def lzma2(data: bytes) -> tuple[bytes, Coder]:
    packed = lzma.compress(data, lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": _WINDOW}])
    return packed, Coder(LZMA2, bytes((8,)))


def lzma1(data: bytes) -> tuple[bytes, Coder]:
    packed = lzma.compress(data, lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA1, "dict_size": _WINDOW}])
    return packed, Coder(LZMA, bytes((0x5D,)) + struct.pack("<L", _WINDOW))


def streams(packed: bytes, coders: Sequence[Coder], sizes: Sequence[int], position: int = 0) -> bytes:
    """Return the description of one folder. `coders` are in the order from the files to the packed bytes."""
    total = sum(sizes)
    made = b"\x06" + number(position) + number(1) + b"\x09" + number(len(packed)) + b"\0"
    made += b"\x07\x0b" + number(1) + b"\0" + number(len(coders))
    for coder in coders:
        made += bytes((len(coder.method) | (0x20 if coder.properties else 0),)) + coder.method
        made += number(len(coder.properties)) + coder.properties if coder.properties else b""
    made += b"".join(number(place) + number(place + 1) for place in range(len(coders) - 1))
    made += b"\x0c" + number(total) * len(coders) + b"\0"
    if len(sizes) != 1:
        made += b"\x08\x0d" + number(len(sizes)) + b"\x09" + b"".join(map(number, sizes[:-1])) + b"\0"
    return made + b"\0"


def archive(
    files: Sequence[tuple[str, bytes]],
    *,
    coders: Sequence[Coder] = (Coder(COPY),),
    packed: bytes | None = None,
    attributes: Sequence[int] = (),
    encoded: bool = False,
) -> bytes:
    """Return an archive of these files; `packed` are the bytes of all of them behind the coders."""
    full = [data for _, data in files if data]
    packed = b"".join(full) if packed is None else packed
    header = b"\x01"
    if full:
        header += b"\x04" + streams(packed, coders, [len(data) for data in full])
    header += b"\x05" + number(len(files)) + _properties(files, attributes) + b"\0\0"
    if encoded:
        inner, coder = lzma2(header)
        header = b"\x17" + streams(inner, [coder], [len(header)], position=len(packed))
        packed += inner
    start = struct.pack("<QQL", len(packed), len(header), zlib.crc32(header))
    return b"7z\xbc\xaf\x27\x1c\0\x04" + struct.pack("<L", zlib.crc32(start)) + start + packed + header


def _properties(files: Sequence[tuple[str, bytes]], attributes: Sequence[int]) -> bytes:
    empty = [not data for _, data in files]
    made = b""
    if any(empty):
        made += _property(14, _bits(empty))
        folders = [bool(value & DIRECTORY) for value in attributes] or [False] * len(files)
        made += _property(15, _bits([not folder for folder, each in zip(folders, empty, strict=True) if each]))
    made += _property(17, b"\0" + b"".join(name.encode("utf-16-le") + b"\0\0" for name, _ in files))
    made += _property(20, b"\x01\0" + struct.pack("<Q", 132_000_000_000_000_000) * len(files))
    if attributes:
        made += _property(21, b"\x01\0" + b"".join(struct.pack("<L", value & 0xFFFFFFFF) for value in attributes))
    return made


def _property(kind: int, data: bytes) -> bytes:
    return bytes((kind,)) + number(len(data)) + data


def _bits(flags: Sequence[bool]) -> bytes:
    made = bytearray((len(flags) + 7) // 8)
    for place, flag in enumerate(flags):
        made[place >> 3] |= (0x80 >> (place & 7)) if flag else 0
    return bytes(made)
