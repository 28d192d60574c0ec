"""One document's kept parts as one compressed piece.

Before compression a frame is a version byte, four lengths (u32, little-endian) and the four parts one after another:

    version | head, header block, body, text: their lengths | head | header block | body | text
              head: msgpack array of the small values, see `_Head`

The whole is one zstd frame of level 1 that states its size, so the decompressed size is known in advance. The encoding
has no checksum: the stored entry has one (`pack_format`).
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import zstandard

from cormorant.base.errors import CacheDamaged
from cormorant.model.content import Value

MAX_BODY = 64 << 20
"""Bytes of the original: the ceiling of every size setting."""

MAX_TEXT = 64 << 20
"""Bytes of UTF-8 text; more is cut, and the frame says truncated."""

MAX_DECODED = MAX_BODY + MAX_TEXT + (4 << 20)
"""Memory of a decoded frame: body, text, and room for headers and attributes."""

_VERSION = 1
_TABLE = struct.Struct("<B4I")
_MAX_PART = 2 << 20
"""Bytes of head or header block. A longer header block is cut; libcurl gives up at 300 kB."""

_PAGE_BYTES = 128 << 10
_PAGE = zstandard.ZstdCompressionParameters(
    window_log=17, hash_log=14, chain_log=12, search_log=1, min_match=7, strategy=zstandard.STRATEGY_FAST
)
"""Level 1 with matches of at least 7 bytes, for frames that fit its window: 6 % quicker than the plain level 1 on 1,763
documentation pages (39 kB and 12 kB of text), and 1.4 % larger.
"""


class Frame(msgspec.Struct, frozen=True):
    """Frame of a document: its response as received (status line, header lines, decoded bytes) and its text.

    `modified_at` is in epoch seconds. Attributes that are sequences become lists. Lone surrogates, which UTF-8 cannot
    express, become question marks. `charset_from`, `language_from` and `links_dropped` are as in `Document`; older
    frames have "" and 0. `given_title` and `given` are the title and the attributes that the source gave besides the
    bytes. `withheld`: the bytes may be converted again, but must not be shown or delivered; `services` are the document
    services that it passed, with the seconds that each took.
    """

    url: str
    access_url: str
    mime: str
    status_line: str
    header_block: bytes
    body: bytes
    text: str
    title: str = ""
    language: str = ""
    charset: str = ""
    modified_at: float | None = None
    attributes: Mapping[str, Value] = msgspec.field(default_factory=dict)
    truncated: bool = False
    charset_from: str = ""
    language_from: str = ""
    links_dropped: int = 0
    given_title: str = ""
    given: Mapping[str, Value] = msgspec.field(default_factory=dict)
    withheld: bool = False
    services: tuple[tuple[str, float], ...] = ()


class _Head(msgspec.Struct, array_like=True, frozen=True):
    """The small values. New ones are appended with a default, so that older frames stay readable."""

    url: str
    access_url: str
    mime: str
    status_line: str
    title: str
    language: str
    charset: str
    modified_at: float | None
    attributes: dict[str, Any]
    truncated: bool
    charset_from: str = ""
    language_from: str = ""
    links_dropped: int = 0
    given_title: str = ""
    given: dict[str, Any] = msgspec.field(default_factory=dict)
    withheld: bool = False
    services: tuple[tuple[str, float], ...] = ()


class _Codec(threading.local):
    """Compressor, decompressor and head coder: one for each thread, since none of them may be shared."""

    def __init__(self) -> None:
        self.page = zstandard.ZstdCompressor(compression_params=_PAGE)
        self.any = zstandard.ZstdCompressor(level=1)
        self.decompressor = zstandard.ZstdDecompressor()
        self.head = msgspec.msgpack.Encoder()
        self.heads = msgspec.msgpack.Decoder(_Head)


_CODEC = _Codec()


def encode(frame: Frame) -> bytes:
    """Return `frame` compressed. No size is refused: parts above their limit are cut and marked truncated."""
    text = _utf8(frame.text)
    body, block, truncated = frame.body, frame.header_block, frame.truncated
    if len(text) > MAX_TEXT or len(body) > MAX_BODY or len(block) > _MAX_PART:
        text = text[:MAX_TEXT].decode("utf-8", "ignore").encode()
        body, block, truncated = body[:MAX_BODY], block[:_MAX_PART], True
    head = _head(frame, truncated)
    table = _TABLE.pack(_VERSION, len(head), len(block), len(body), len(text))
    plain = b"".join((table, head, block, body, text))
    return (_CODEC.page if len(plain) <= _PAGE_BYTES else _CODEC.any).compress(plain)


def decode(data: bytes, max_bytes: int = MAX_DECODED, *, body: bool = True) -> Frame:
    """Return the frame that `encode` turned into `data`, with or without its body.

    Raises CacheDamaged if it is none, or if it would take more than `max_bytes` in memory.
    """
    plain = memoryview(_inflate(data, max_bytes))
    try:
        version, *lengths = _TABLE.unpack_from(plain)
    except struct.error:
        raise CacheDamaged("A kept copy is shorter than its own table of contents.") from None
    if version != _VERSION:
        raise CacheDamaged(f"A kept copy is of version {version}, and this program reads version {_VERSION}.")
    if _TABLE.size + sum(lengths) != len(plain):
        raise CacheDamaged("A kept copy is not as long as its table of contents says.")
    parts: list[memoryview] = []
    start = _TABLE.size
    for length in lengths:
        parts.append(plain[start : start + length])
        start += length
    if not body:
        parts[2] = parts[2][:0]
    return _frame(parts)


def _frame(parts: Sequence[memoryview]) -> Frame:
    """Return the frame of these parts."""
    try:
        head = _CODEC.heads.decode(parts[0])
        text = str(parts[3], "utf-8")
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CacheDamaged(f"A kept copy cannot be read: {error}.") from None
    return Frame(
        head.url,
        head.access_url,
        head.mime,
        head.status_line,
        bytes(parts[1]),
        bytes(parts[2]),
        text,
        head.title,
        head.language,
        head.charset,
        head.modified_at,
        head.attributes,
        head.truncated,
        head.charset_from,
        head.language_from,
        head.links_dropped,
        head.given_title,
        head.given,
        head.withheld,
        head.services,
    )


def _inflate(data: bytes, max_bytes: int) -> bytes:
    """Decompress, after a check of the decompressed size."""
    try:
        size = zstandard.frame_content_size(data)
        if not 0 <= size <= max_bytes:
            raise CacheDamaged(f"A kept copy would take {size} bytes in memory; {max_bytes} are allowed.")
        return _CODEC.decompressor.decompress(data, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise CacheDamaged(f"A kept copy cannot be decompressed: {error}.") from None


def _head(frame: Frame, truncated: bool) -> bytes:
    """Encode the small values; if attributes make the head too large, they are omitted and the frame is truncated."""
    attributes = dict(frame.attributes)
    values = [
        frame.url,
        frame.access_url,
        frame.mime,
        frame.status_line,
        frame.title,
        frame.language,
        frame.charset,
        frame.modified_at,
        attributes,
        truncated,
        frame.charset_from,
        frame.language_from,
        frame.links_dropped,
        frame.given_title,
        dict(frame.given),
        frame.withheld,
        frame.services,
    ]
    try:
        head = _CODEC.head.encode(values)
    except UnicodeEncodeError:
        values = [_clean(value) for value in values]
        head = _CODEC.head.encode(values)
    if len(head) > _MAX_PART:
        values[4:6] = frame.title[:1000], frame.language[:100]
        values[8:10] = [{}, True]
        values[13:15] = ["", {}]
        head = _CODEC.head.encode(values)
    return head


def _utf8(text: str) -> bytes:
    """Encode text that may contain lone surrogates."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def _clean(value: object) -> Any:
    """Return `value` with question marks for lone surrogates, at any depth."""
    if isinstance(value, str):
        return _utf8(value).decode()
    if isinstance(value, Mapping):
        return {_clean(name): _clean(each) for name, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [_clean(each) for each in value]
    return value
