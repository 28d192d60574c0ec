"""The compression of bodies in RTF: [MS-OXRTFCP]."""

from __future__ import annotations

import struct
from typing import Final

MAX_RTF: Final = 64 * 1024 * 1024
"""Bytes of a body that are unpacked."""

_HEADER: Final = struct.Struct("<IIII")
_COMPRESSED: Final = 0x75465A4C
_PLAIN: Final = 0x414C454D
_START: Final = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript "
    rb"\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
_WINDOW: Final = 4096


def decompress_rtf(data: bytes) -> bytes:
    """Return the RTF of a compressed body as far as it can be unpacked, empty for any other data."""
    if len(data) < _HEADER.size:
        return b""
    _, size, kind, _ = _HEADER.unpack_from(data)
    if kind == _PLAIN:
        return data[_HEADER.size : _HEADER.size + size]
    if kind != _COMPRESSED:
        return data if data.lstrip().startswith(b"{\\rtf") else b""
    return _unpacked(data, min(size, MAX_RTF))


def _unpacked(data: bytes, size: int) -> bytes:
    """Unpack runs: one bit for each item distinguishes bytes from references into the last 4,096 bytes."""
    out = bytearray(_START)
    place, end = _HEADER.size, len(data)
    most = len(out) + size
    while place < end and len(out) < most:
        control = data[place]
        place += 1
        for bit in range(8):
            if not control >> bit & 1:
                out += data[place : place + 1]
                place += 1
                continue
            if place + 2 > end:
                return bytes(out[len(_START) : most])
            reference = data[place] << 8 | data[place + 1]
            place += 2
            distance = (len(out) - (reference >> 4)) % _WINDOW
            if not distance:
                return bytes(out[len(_START) : most])
            _repeat(out, distance, (reference & 15) + 2)
    return bytes(out[len(_START) : most])


def _repeat(out: bytearray, distance: int, length: int) -> None:
    """Append bytes from `distance` before the end; unwritten ones are blank, and may be repeated."""
    start = len(out) - distance
    if start < 0:
        out += b" " * min(length, -start)
        length -= min(length, -start)
        start = 0
    run = out[start : start + length]
    out += (run * (length // len(run) + 1))[:length] if run else b""
