"""Content decoding: streaming, with limits in bytes and ratio against decompression bombs.

    body as sent, codings, cap -> inflate chunk by chunk -> DecodedBody | DecodeError

Pure. A coding that does not fit its data is retried as servers send it by mistake: zlib and gzip under each other's
name, and deflate without its zlib wrapper (RFC 9110 section 8.4.1.2, note). Data after a finished stream is dropped, as
browsers do, except further gzip members (RFC 1952 section 2.2). A body that was declared as coded but is plain text, or
a document by its first bytes, is returned unchanged: misconfigured caches and proxies send such bodies.
"""

from __future__ import annotations

import re
import zlib
from codecs import getincrementaldecoder
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from io import BytesIO
from itertools import islice
from typing import Any, NamedTuple, Protocol, cast

MAX_CODINGS = 3
"""More codings than this on one response are an attack or an error."""
RATIO_FROM = 1 << 20
MAX_RATIO = 200
"""Decoded bytes for each received byte, once more than 1 MiB was decoded."""
_STEP = 1 << 18
"""Bytes inflated at once: so much may a bomb add before the limits are checked."""
_MAX_MEMBERS = 4096
_GZIP_MAGIC = b"\x1f\x8b"
_HEAD = 512
"""Bytes by which a body is recognised as plain. Coded data has a byte that is never in text among far fewer."""
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
"""Bytes that never occur in text: https://mimesniff.spec.whatwg.org/#binary-data-byte."""
_DOCUMENTS = (
    b"%PDF-", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"\x89PNG\r\n\x1a\n", b"GIF8", b"\xff\xd8\xff",
    b"\xff\xfe<\x00", b"\xfe\xff\x00<",
)  # fmt: skip
"""First bytes of documents that no coded data has: PDF, ZIP (Office, EPUB), OLE, pictures, pages in UTF-16."""
_RAW, _ZLIB_OR_GZIP = -zlib.MAX_WBITS, zlib.MAX_WBITS + 32


class DecodeError(Enum):
    """Why a body could not be decoded."""

    UNKNOWN = "its content coding was not asked for"
    TOO_MANY = f"it has more than {MAX_CODINGS} content codings"
    CORRUPT = "its compressed data is damaged"
    SHORT = "its compressed data ends too early"
    TOO_BIG = "it is larger than allowed once decompressed"
    BOMB = f"it grows more than {MAX_RATIO} times when decompressed"


class DecodedBody(NamedTuple):
    """The decoded body. `cut`: only its beginning, `cap` bytes long, as requested.

    `absent` names a declared coding that the body does not have, "" if it has all.
    """

    body: bytes
    cut: bool = False
    absent: str = ""


class _Stream(Protocol):
    """Decoder of one coding."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded `data`, in pieces of about `_STEP` bytes. Raises _Damaged."""
        ...

    def finished(self) -> bool:
        """Return whether the stream has ended."""
        ...


class _Damaged(Exception):
    """The data does not follow its coding."""


class _Over(Exception):
    """A limit was reached; the part below it has been yielded."""

    def __init__(self, trouble: DecodeError) -> None:
        super().__init__(trouble.value)
        self.trouble = trouble


class _Inflate:
    """gzip and deflate. The first bytes decide which of the three formats it is, regardless of its declared name."""

    def __init__(self) -> None:
        self._engine = zlib.decompressobj(_ZLIB_OR_GZIP)
        self._begun = False
        self._members = 1
        self._held = b""
        self._half = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        full = False
        while data or full:
            if self._engine.eof:
                data, full = self._next_member(data), False
                continue
            piece = self._inflate(data)
            full = len(piece) == _STEP
            if piece:
                yield piece
            data = self._rest()

    def _rest(self) -> bytes:
        """Return the part of the data that was not inflated yet, or follows the end."""
        return self._engine.unused_data if self._engine.eof else self._engine.unconsumed_tail

    def _inflate(self, data: bytes) -> bytes:
        try:
            piece = self._engine.decompress(data, _STEP)
        except zlib.error:
            if self._begun:
                raise _Damaged from None
            self._engine, self._begun = zlib.decompressobj(_RAW), True
            return self._inflate(self._held + data)
        if not self._begun:
            self._held += data[:2]
            self._begun = len(self._held) >= 2
        return piece

    def _next_member(self, data: bytes) -> bytes:
        """Return `data` if another gzip member begins with it, else nothing; half a magic number is kept for later."""
        data, self._half = self._half + data, b""
        if data == _GZIP_MAGIC[:1]:
            self._half = data
        if not data.startswith(_GZIP_MAGIC):
            return b""
        self._members += 1
        if self._members > _MAX_MEMBERS:
            raise _Damaged
        self._engine = zlib.decompressobj(_ZLIB_OR_GZIP)
        return data

    def finished(self) -> bool:
        return self._engine.eof


class _Brotli:
    """RFC 7932, if the brotli package 1.2 or newer (which can stop at a limit) is installed."""

    def __init__(self) -> None:
        self._engine: Any = _BROTLI.Decompressor()

    def feed(self, data: bytes) -> Iterator[bytes]:
        try:
            while not self._engine.is_finished():
                piece = self._engine.process(data, output_buffer_limit=_STEP)
                data = b""
                if piece:
                    yield piece
                elif self._engine.can_accept_more_data():
                    return
        except _BROTLI.error:
            raise _Damaged from None

    def finished(self) -> bool:
        return bool(self._engine.is_finished())


def _brotli() -> Any:
    """Return the brotli module if it is installed and can stop at a limit, else None."""
    try:
        module: Any = import_module("brotli")
    except ImportError:
        return None
    return module if hasattr(getattr(module, "Decompressor", None), "can_accept_more_data") else None


_BROTLI = _brotli()
_STREAMS: dict[str, type[_Inflate] | type[_Brotli]] = {"gzip": _Inflate, "x-gzip": _Inflate, "deflate": _Inflate}
if _BROTLI is not None:
    _STREAMS["br"] = _Brotli

ACCEPT_ENCODING = "gzip, deflate, br" if "br" in _STREAMS else "gzip, deflate"
"""Requested codings: only those that are decoded here, within limits."""


def unoffered(codings: tuple[str, ...]) -> str:
    """The first coding that was not requested, "" if all were (x-gzip is another name of gzip)."""
    return next((name for name in codings if name not in _STREAMS), "")


class _Plain:
    """A declared coding that the body does not have."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finished(self) -> bool:
        return True


class _Stage:
    """One coding with its limits, which hold between two codings, too, so that intermediate data is limited.

    `stream` is None until the beginning of the body has shown whether it is coded at all.
    """

    def __init__(self, name: str, cap: int) -> None:
        self.name, self.stream = name, cast("_Stream | None", None)
        self._cap = cap
        self._size = 0
        self._head = b""

    def feed(self, pieces: Iterator[bytes], received: int, *, last: bool = False) -> Iterator[bytes]:
        """Yield the decoded pieces; `received` counts the bytes of the body as sent. Raises _Damaged, _Over."""
        for data in pieces:
            yield from self._fed(data, received, last=False)
        if last and self._head:
            yield from self._fed(b"", received, last=True)

    def _fed(self, data: bytes, received: int, *, last: bool) -> Iterator[bytes]:
        if self.stream is None:
            data, self._head = self._head + data, b""
            if not last and len(data) < _HEAD and not data.startswith(_GZIP_MAGIC):
                self._head = data
                return
            self.stream = _stream(self.name, data[:_HEAD])
        for piece in self.stream.feed(data):
            self._size += len(piece)
            if self._size > RATIO_FROM and self._size > received * MAX_RATIO:
                raise _Over(DecodeError.BOMB)
            if self._size > self._cap:
                yield piece[: len(piece) - (self._size - self._cap)]
                raise _Over(DecodeError.TOO_BIG)
            yield piece


def _stream(name: str, head: bytes) -> _Stream:
    """Return the decoder of a coding, or one that passes a plain body. Raises _Over for an unknown coding."""
    known = _STREAMS.get(name)
    if _is_plain(head) and not (known is not None and _decodes(known(), head)):
        return _Plain()
    if known is None:
        raise _Over(DecodeError.UNKNOWN)
    return known()


def _is_plain(head: bytes) -> bool:
    """Return whether a body begins like a document or text: in UTF-8, or in a charset in which half is ASCII."""
    if head.startswith(_DOCUMENTS):
        return True
    if _BINARY.search(head):
        return False
    try:
        getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return 2 * sum(byte < 0x80 for byte in head) >= len(head)
    return True


def _decodes(stream: _Stream, head: bytes) -> bool:
    """Return whether apparent text is coded after all, as a few short bodies are by chance."""
    try:
        size = sum(map(len, islice(stream.feed(head), 4)))
    except _Damaged:
        return False
    return len(head) < _HEAD and stream.finished() and 2 * size >= len(head)


def decode(chunks: list[bytes], codings: tuple[str, ...], cap: int, *, cut: bool = False) -> DecodedBody | DecodeError:
    """Decode `codings` (in the order they were applied) of a body, holding at most about `cap` decoded bytes.

    `chunks` is emptied meanwhile, so that body and decoded body are not held at once. With `cut`, a body above the
    cap is cut, also if the body as sent was already cut above the cap; without, it is TOO_BIG.
    """
    if len(codings) > MAX_CODINGS:
        return DecodeError.TOO_MANY
    stages = [_Stage(name, cap) for name in reversed(codings)]
    out, received = BytesIO(), 0
    try:
        for chunk in _draining(chunks):
            received += len(chunk)
            out.writelines(_through(stages, chunk, received))
        out.writelines(_through(stages, b"", received, last=True))
    except _Damaged:
        return DecodeError.CORRUPT
    except _Over as over:
        if cut and over.trouble is DecodeError.TOO_BIG:
            return DecodedBody(out.getvalue(), cut=True)
        return over.trouble
    absent = next((stage.name for stage in stages if isinstance(stage.stream, _Plain)), "")
    if received and not all(stage.stream is not None and stage.stream.finished() for stage in stages):
        return DecodedBody(out.getvalue(), cut=True) if cut and received > cap else DecodeError.SHORT
    return DecodedBody(out.getvalue(), absent=absent)


def _through(stages: list[_Stage], chunk: bytes, received: int, *, last: bool = False) -> Iterator[bytes]:
    """Pass a chunk of the body through every coding; `last`: it is the final one."""
    pieces: Iterator[bytes] = iter((chunk,) if chunk else ())
    for stage in stages:
        pieces = stage.feed(pieces, received, last=last)
    return pieces


def joined(chunks: list[bytes]) -> bytes:
    """Return the chunks as one value and empty the list; a large body is not held twice."""
    if len(chunks) < 64:
        body = b"".join(chunks)
        chunks.clear()
        return body
    out = BytesIO()
    out.writelines(_draining(chunks))
    return out.getvalue()


def _draining(chunks: list[bytes]) -> Iterator[bytes]:
    """Yield the chunks in order, releasing each."""
    chunks.reverse()
    while chunks:
        yield chunks.pop()
