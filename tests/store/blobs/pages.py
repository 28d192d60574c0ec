"""Frames to keep, made of a number, so that anybody can say what a resource's frame has to be."""

from __future__ import annotations

import hashlib

from cormorant.store.blobs.record import Frame

MOMENT = 1_790_000_000.0


def page(number: int, size: int = 2000) -> Frame:
    """The frame of resource `number`; its body does not compress well."""
    noise = hashlib.shake_256(str(number).encode()).digest(size)
    return Frame(
        url=f"https://harbour.example/{number}",
        access_url=f"https://harbour.example/{number}?raw",
        mime="text/html",
        status_line="HTTP/1.1 200 OK",
        header_block=b'Content-Type: text/html\r\nETag: W/"%d"\r\n' % number,
        body=noise,
        text=f"Ringed plover number {number} was seen at the north mole. " * (size // 500),
        title=f"Plover {number}",
        language="en",
        charset="utf-8",
        modified_at=float(number),
        attributes={"Author": "Ines", "Keywords": ["plover", "mole"], "Rings": float(number)},
    )
