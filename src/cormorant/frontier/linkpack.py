"""A document's out-links in one blob, and a resource's in-links in another.

Lines of address, anchor text and rel, parted by tabs, compressed by zstd at level 1: 18 links are about 600 bytes. In
texts tabs and line ends cannot occur, since extraction folds white space.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import zstandard

from cormorant.model.content import Link

_pack = zstandard.ZstdCompressor(level=1, write_content_size=True).compress
_unpack = zstandard.ZstdDecompressor().decompress
MAX_BLOB = 64 << 20


class InLink(NamedTuple):
    """One reference to a resource: the referring resource's number and the anchor text."""

    referrer: int
    text: str


def pack(links: Iterable[Link]) -> bytes:
    """Pack out-links, in their order."""
    return _pack("\n".join(["\t".join(link[:3]) for link in links]).encode(errors="replace"))


def unpack(blob: bytes | None) -> list[Link]:
    """The out-links of a blob; none for None."""
    if not blob:
        return []
    text = _unpack(blob, max_output_size=MAX_BLOB).decode()
    return [Link(*line.split("\t", 2)) for line in text.split("\n")] if text else []


def texts(blob: bytes | None) -> dict[str, str]:
    """The addresses of a blob with their anchor texts, without making a value for each."""
    if not blob:
        return {}
    text = _unpack(blob, max_output_size=MAX_BLOB).decode()
    return dict(line.split("\t", 2)[:2] for line in text.split("\n")) if text else {}


def pack_in(links: Iterable[tuple[int, str]]) -> bytes:
    """Pack in-links."""
    return _pack("\n".join([f"{referrer}\t{text}" for referrer, text in links]).encode(errors="replace"))


def append_in(blob: bytes | None, links: Sequence[tuple[int, str]], most: int) -> bytes:
    """Pack in-links behind those of a blob, of which none is among them; `most` in all. Reads none of those."""
    text = _unpack(blob, max_output_size=MAX_BLOB) if blob else b""
    room = most - (text.count(b"\n") + 1 if text else 0)
    if blob and room <= 0:
        return blob
    lines = "\n".join([f"{referrer}\t{anchor}" for referrer, anchor in links[:room]]).encode(errors="replace")
    return _pack(text + b"\n" + lines if text else lines)


def unpack_in(blob: bytes | None) -> list[InLink]:
    """The in-links of a blob; none for None."""
    if not blob:
        return []
    text = _unpack(blob, max_output_size=MAX_BLOB).decode()
    lines = (line.partition("\t") for line in text.split("\n")) if text else ()
    return [InLink(int(number), anchor) for number, _, anchor in lines]
