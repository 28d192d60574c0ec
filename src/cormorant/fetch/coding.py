"""How is a content coding undone without being blown up? Streaming, under a cap in bytes and in ratio.

    body as sent, codings, cap -> inflate chunk by chunk -> Decoded | Broken

Pure. A coding that does not fit its data is tried as what servers send by mistake: zlib and gzip under each other's
name, and deflate without its zlib wrapper (RFC 9110 section 8.4.1.2, note). Whatever comes behind a finished stream is
dropped, as browsers do, except further gzip members (RFC 1952 section 2.2).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from io import BytesIO
from typing import Any, NamedTuple, Protocol

MAX_CODINGS = 3
"""More codings than this on one answer are an attack or a fault (fault N25)."""
RATIO_FROM = 1 << 20
MAX_RATIO = 200
"""Decoded bytes for a byte received, once more than 1 MiB was decoded (fault B1)."""
_STEP = 1 << 18
"""Bytes inflated in one go: what a bomb can add before its caps are looked at."""
_MAX_MEMBERS = 4096
_GZIP_MAGIC = b"\x1f\x8b"
_RAW, _ZLIB_OR_GZIP = -zlib.MAX_WBITS, zlib.MAX_WBITS + 32


class Trouble(Enum):
    """Why a body could not be decoded."""

    UNKNOWN = "its content coding was not asked for"
    TOO_MANY = f"it has more than {MAX_CODINGS} content codings"
    CORRUPT = "its compressed data is damaged"
    SHORT = "its compressed data ends too early"
    TOO_BIG = "it is larger than allowed once decompressed"
    BOMB = f"it grows more than {MAX_RATIO} times when decompressed"


class Decoded(NamedTuple):
    """The body. `cut`: it is only its beginning, `cap` bytes long, because cutting was asked for."""

    body: bytes
    cut: bool = False


class _Stream(Protocol):
    """One coding being undone."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what `data` decodes to, in pieces of about `_STEP` bytes. Raises _Damaged."""
        ...

    def finished(self) -> bool:
        """Say whether the stream has come to its end."""
        ...


class _Damaged(Exception):
    """The data does not follow its coding."""


class _Over(Exception):
    """A cap was reached; what fits below it has been yielded."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.value)
        self.trouble = trouble


class _Inflate:
    """gzip and deflate. Which of the three wrappings it is shows at the first bytes, whatever the label says."""

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
        """Return what of the data was not inflated yet, or stands behind the end."""
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
        """Return `data` if another gzip member begins with it, else nothing; half a magic number is held back."""
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
    """RFC 7932, where the brotli package of 1.2 or newer (which can stop at a limit) is installed."""

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
    """Return the brotli module if it is there and can stop at a limit, else None."""
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
"""What is asked for: only what is undone here, under its caps."""


def unoffered(codings: tuple[str, ...]) -> str:
    """The first coding that was not asked for, "" when all were (x-gzip is another name of gzip)."""
    return next((name for name in codings if name not in _STREAMS), "")


class _Stage:
    """One coding with its caps: those between two codings hold too, or what is thrown away would be free."""

    def __init__(self, name: str, cap: int) -> None:
        self.stream: _Stream = _STREAMS[name]()
        self._cap = cap
        self._size = 0

    def feed(self, pieces: Iterator[bytes], received: int) -> Iterator[bytes]:
        """Yield what the pieces decode to; `received` counts the bytes of the body as sent. Raises _Damaged, _Over."""
        for data in pieces:
            for piece in self.stream.feed(data):
                self._size += len(piece)
                if self._size > RATIO_FROM and self._size > received * MAX_RATIO:
                    raise _Over(Trouble.BOMB)
                if self._size > self._cap:
                    yield piece[: len(piece) - (self._size - self._cap)]
                    raise _Over(Trouble.TOO_BIG)
                yield piece


def decode(chunks: list[bytes], codings: tuple[str, ...], cap: int, *, cut: bool = False) -> Decoded | Trouble:
    """Undo `codings` (in the order they were applied) on a body, never holding more than about `cap` decoded bytes.

    `chunks` is emptied on the way, so that body and decoded body are not held twice. With `cut`, a body above the cap
    gives its beginning, also when the body as sent was already cut above the cap; without, it is TOO_BIG.
    """
    if len(codings) > MAX_CODINGS:
        return Trouble.TOO_MANY
    if unoffered(codings):
        return Trouble.UNKNOWN
    stages = [_Stage(name, cap) for name in reversed(codings)]
    out, received = BytesIO(), 0
    try:
        for chunk in _draining(chunks):
            received += len(chunk)
            pieces: Iterator[bytes] = iter((chunk,))
            for stage in stages:
                pieces = stage.feed(pieces, received)
            out.writelines(pieces)
    except _Damaged:
        return Trouble.CORRUPT
    except _Over as over:
        if cut and over.trouble is Trouble.TOO_BIG:
            return Decoded(out.getvalue(), cut=True)
        return over.trouble
    if received and not all(stage.stream.finished() for stage in stages):
        return Decoded(out.getvalue(), cut=True) if cut and received > cap else Trouble.SHORT
    return Decoded(out.getvalue())


def joined(chunks: list[bytes]) -> bytes:
    """Return the chunks as one value and empty the list; a large body is not held twice meanwhile."""
    if len(chunks) < 64:
        body = b"".join(chunks)
        chunks.clear()
        return body
    out = BytesIO()
    out.writelines(_draining(chunks))
    return out.getvalue()


def _draining(chunks: list[bytes]) -> Iterator[bytes]:
    """Yield the chunks in order, letting go of each."""
    chunks.reverse()
    while chunks:
        yield chunks.pop()
