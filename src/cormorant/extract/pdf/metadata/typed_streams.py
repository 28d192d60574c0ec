"""Streams of a type in the bytes of a PDF (ISO 32000-1, 7.3.8): PDFium returns neither metadata nor object streams.

They are found by the entry of their type, without the cross-reference table, and only inflated.
"""

from __future__ import annotations

import re
import zlib
from collections import deque
from collections.abc import Iterator
from typing import Final, NamedTuple

MAX_STREAM: Final = 1024 * 1024
"""Bytes of a stream, and of what a compressed one inflates to."""

_BEFORE: Final = 400
"""Bytes on either side of the type in which the dictionary of its stream stands."""
_STREAM: Final = re.compile(rb"stream\r?\n")


class TypedStream(NamedTuple):
    """A stream: the bytes of its dictionary, and its data without their compression."""

    dictionary: bytes
    data: bytes


def typed_streams(body: bytes, kind: bytes, limit: int) -> Iterator[TypedStream]:
    """Yield the last `limit` streams of a type, at most MAX_STREAM bytes of each."""
    for mark in deque(re.finditer(rb"/Type\s{0,20}/%b\b" % kind, body), limit):
        start = _STREAM.search(body, mark.end(), mark.end() + _BEFORE)
        if start is None:
            continue
        dictionary = body[max(0, mark.start() - _BEFORE) : start.start()].rpartition(b" obj")[2]
        data = body[start.end() : start.end() + MAX_STREAM]
        if b"/FlateDecode" in dictionary:
            data = _inflated(data)
        yield TypedStream(dictionary, data.partition(b"endstream")[0])


def _inflated(data: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, MAX_STREAM)
    except zlib.error:
        return b""
