"""A picture as drawing orders with a text in it: [MS-EMF]."""

from __future__ import annotations

import struct
from typing import Final

_HEADER, _END, _TEXT = 1, 14, 84
_SIZE: Final = 108


def metafile(text: str) -> bytes:
    """Return an enhanced metafile that draws one text: EMR_HEADER, EMR_EXTTEXTOUTW and EMR_EOF."""
    drawn = text.encode("utf-16-le")
    drawn += bytes(-len(drawn) % 4)
    distances = struct.pack("<I", 10) * len(text)
    start = 76
    body = struct.pack("<iiiiIff", 0, 0, 500, 50, 1, 1.0, 1.0)
    body += struct.pack("<iiIIIiiiiI", 10, 10, len(text), start, 0, 0, 0, 500, 50, start + len(drawn))
    order = struct.pack("<II", _TEXT, 8 + len(body) + len(drawn) + len(distances)) + body + drawn + distances
    end = struct.pack("<IIIII", _END, 20, 0, 16, 20)
    whole = _SIZE + len(order) + len(end)
    header = struct.pack("<IIiiiiiiii", _HEADER, _SIZE, 0, 0, 500, 50, 0, 0, 10_000, 1_000)
    header += struct.pack("<IIIIHHIII", 0x464D4520, 0x10000, whole, 3, 1, 0, 0, 0, 0)
    header += struct.pack("<iiiiIIIii", 1_000, 1_000, 300, 300, 0, 0, 0, 300_000, 300_000)
    return header + order + end
