"""Decompression of the valid beginning of a gzip file, with limits of bytes and ratio."""

from __future__ import annotations

import zlib
from io import BytesIO
from typing import Final

from cormorant.extract.errors import Unreadable
from cormorant.net.http.content_encoding import MAX_RATIO, RATIO_FROM

MAX_BYTES: Final = 50 << 20
"""Bytes of a sitemap once decompressed (https://www.sitemaps.org/protocol.html#index)."""
_MAGIC: Final = b"\x1f\x8b"
_STEP: Final = 1 << 18
_MAX_MEMBERS: Final = 1_000


def gunzipped(body: bytes, most: int = MAX_BYTES) -> tuple[bytes, bool]:
    """Return the bytes, decompressed if they are gzip, and whether later bytes were omitted.

    Raises Unreadable for a bomb.
    """
    if not body.startswith(_MAGIC):
        return body[:most], len(body) > most
    out, rest, cut = BytesIO(), body, False
    for _ in range(_MAX_MEMBERS):
        engine = zlib.decompressobj(zlib.MAX_WBITS | 16)
        cut = not _inflated(engine, rest, out, (most, len(body)))
        rest = engine.unused_data
        if cut or not rest.startswith(_MAGIC):
            break
    return out.getvalue()[:most], cut or rest.startswith(_MAGIC)


def _inflated(engine: zlib._Decompress, data: bytes, out: BytesIO, bounds: tuple[int, int]) -> bool:
    """Inflate one member; return whether it was whole and fitted. `bounds`: the most bytes, and how many were sent."""
    most, sent = bounds
    while not engine.eof and out.tell() <= most:
        try:
            piece = engine.decompress(data, _STEP)
        except zlib.error:
            return False
        if not piece:
            return engine.eof
        out.write(piece)
        data = engine.unconsumed_tail
        if out.tell() > RATIO_FROM and out.tell() > MAX_RATIO * sent:
            raise Unreadable(f"it grows more than {MAX_RATIO} times when decompressed")
    return engine.eof and out.tell() <= most
