"""Streams that unpack on demand, within memory limits, and keep the bytes before a damage.

bytes of the document --SliceSource--> packed bytes --DecoderStream--> bytes --LimitedStream--> reader of the format
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from typing import Final, Protocol

import zstandard

from cormorant.extract.archives.limits import DAMAGED, MAX_ALL_BYTES, MAX_WINDOW, TOO_MUCH

STEP: Final = 32 * 1024
"""Bytes that go into a decoder, and come out of it, at a time; up to so many are lost before a damage."""
MAX_STREAMS: Final = 100_000
"""Compressed streams that may follow one another; a tool that compresses in blocks makes one for each 64 KiB."""
CODING_ERRORS: Final = (zlib.error, lzma.LZMAError, zstandard.ZstdError, EOFError, OSError, ValueError)
_SKIPPED: Final = b"\0"
_ZSTD_STEP: Final = 256
_ZSTD_STARTS: Final = (b"\x28\xb5\x2f\xfd", *(bytes((each, 0x2A, 0x4D, 0x18)) for each in range(0x50, 0x60)))
"""Magic numbers of a Zstandard frame, and of one to be skipped (RFC 8878 3.1)."""


class ByteSource(Protocol):
    """A source of bytes, which returns fewer than requested only at its end."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes."""


class Decoder(Protocol):
    """A decompressor of the standard library: `bz2.BZ2Decompressor`, `lzma.LZMADecompressor`, `Inflater`."""

    @property
    def eof(self) -> bool:
        """Return whether the stream came to its end."""

    @property
    def unused_data(self) -> bytes:
        """Return the bytes behind its end."""

    @property
    def needs_input(self) -> bool:
        """Return whether it needs more input to return further bytes."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Return at most `max_length` bytes more."""


class Inflater:
    """The decompressor of zlib in the shape of the others. `wbits` as zlib takes it: -15 raw, 31 gzip (RFC 1952)."""

    def __init__(self, wbits: int) -> None:
        self._engine = zlib.decompressobj(wbits)

    @property
    def eof(self) -> bool:
        """Return whether the stream came to its end."""
        return self._engine.eof

    @property
    def unused_data(self) -> bytes:
        """Return the bytes behind its end."""
        return self._engine.unused_data

    @property
    def needs_input(self) -> bool:
        """Return whether all its input has been consumed."""
        return not self._engine.unconsumed_tail

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Return at most `max_length` bytes more. Raises zlib.error."""
        return self._engine.decompress(self._engine.unconsumed_tail + data, max_length)


class SliceSource:
    """The bytes of a document from one place to another, without a copy of all of them."""

    def __init__(self, body: bytes, start: int = 0, end: int | None = None) -> None:
        self._body = body
        self._place = max(0, start)
        self._end = len(body) if end is None else min(end, len(body))

    def read(self, size: int, /) -> bytes:
        """Return the next bytes."""
        start = self._place
        self._place = max(start, min(start + size, self._end))
        return self._body[start : self._place]


class DecoderStream:
    """Bytes of consecutive compressed streams, up to any other data. Zeros between them are skipped.

    `fault` is, after the last byte, the reason why more are missing; "" at a regular end.
    """

    def __init__(self, source: ByteSource, decoder: Callable[[], Decoder], *, starts: tuple[bytes, ...] = ()) -> None:
        """Read `source`; a further stream begins with one of `starts`, which are of one length."""
        self._source = source
        self._new = decoder
        self._starts = starts
        self._rest = b""
        self._streams = 1
        self._ended = False
        self.fault = ""
        self._decoder: Decoder | None = None

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, fewer than `size` only at the end."""
        pieces: list[bytes] = []
        while size > 0 and not self._ended:
            try:
                piece = self._piece(min(size, STEP))
            except CODING_ERRORS:
                self._ended, self.fault = True, DAMAGED
                break
            self._ended = not piece
            pieces.append(piece)
            size -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _piece(self, most: int) -> bytes:
        """Return some bytes, b"" at the end. Raises EOFError when there should be more, and the errors of decoders."""
        decoder = self._decoder or self._new()
        while True:
            self._decoder = decoder
            if decoder.eof:
                if not self._follows(decoder.unused_data):
                    return b""
                decoder = self._new()
                continue
            data = self._fed() if decoder.needs_input else b""
            ended = not data and decoder.needs_input
            piece = decoder.decompress(data, most)
            if piece:
                return piece
            if ended and not decoder.eof:
                raise EOFError

    def _fed(self) -> bytes:
        data, self._rest = self._rest or self._source.read(STEP), b""
        return data

    def _follows(self, rest: bytes) -> bool:
        """Return whether another stream follows the one that ended."""
        self._streams += 1
        if not self._starts or self._streams > MAX_STREAMS:
            return False
        rest = rest.lstrip(_SKIPPED)
        while len(rest) < len(self._starts[0]):
            more = self._source.read(STEP)
            if not more:
                return False
            rest = (rest + more).lstrip(_SKIPPED)
        self._rest = rest
        return rest.startswith(self._starts)


class LimitedStream:
    """The first bytes of a stream, for a reader without a limit of its own.

    `fault` is that of the stream, or `cut` once more than `limit` bytes were asked for.
    """

    def __init__(self, source: ByteSource, limit: int = MAX_ALL_BYTES, cut: str = TOO_MUCH) -> None:
        self._source = source
        self._left = limit
        self._when_cut = cut
        self._cut = False

    @property
    def fault(self) -> str:
        """Return why there are no more bytes, "" when these are all or there are more."""
        return (self._cut and self._when_cut) or str(getattr(self._source, "fault", ""))

    def read(self, size: int, /) -> bytes:
        """Return the next bytes."""
        wanted = min(size, self._left)
        data = self._source.read(wanted)
        self._left -= len(data)
        self._cut = self._cut or (not self._left and size > wanted)
        return data


class ZstdDecoder:
    """The decompressor of Zstandard frames (RFC 8878) in the shape of the others.

    It has no limit of output. So its input comes a few bytes at a time, which blocks of one repeated byte expand to 8
    MiB at most.
    """

    def __init__(self) -> None:
        self._engine = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW).decompressobj()
        self._packed = b""
        self._place = 0
        self._ready = b""
        self._given = 0

    @property
    def eof(self) -> bool:
        """Return whether the frame came to its end and all of it was given."""
        return self._engine.eof and self._given >= len(self._ready)

    @property
    def unused_data(self) -> bytes:
        """Return the bytes behind its end."""
        return self._engine.unused_data + self._packed[self._place :]

    @property
    def needs_input(self) -> bool:
        """Return whether all its input has been consumed."""
        return self._given >= len(self._ready) and self._place >= len(self._packed)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Return at most `max_length` bytes more. Raises ZstdError."""
        if data:
            self._packed, self._place = self._packed[self._place :] + data, 0
        while self._given >= len(self._ready) and not self._engine.eof and self._place < len(self._packed):
            piece = self._packed[self._place : self._place + _ZSTD_STEP]
            self._place += len(piece)
            self._ready, self._given = self._engine.decompress(piece), 0
        start = self._given
        self._given = min(start + max_length, len(self._ready))
        return self._ready[start : self._given]


def gzip_stream(source: ByteSource) -> DecoderStream:
    """Return the bytes of a gzip file (RFC 1952)."""
    return DecoderStream(source, lambda: Inflater(zlib.MAX_WBITS | 16), starts=(b"\x1f\x8b",))


def deflate_stream(source: ByteSource) -> DecoderStream:
    """Return the bytes of a raw Deflate stream (RFC 1951)."""
    return DecoderStream(source, lambda: Inflater(-zlib.MAX_WBITS))


def bzip2_stream(source: ByteSource) -> DecoderStream:
    """Return the bytes of a bzip2 file."""
    return DecoderStream(source, bz2.BZ2Decompressor, starts=(b"BZh",))


def xz_stream(source: ByteSource) -> DecoderStream:
    """Return the bytes of an xz file, or of one in the older LZMA format. `MAX_WINDOW` bounds its memory."""
    return DecoderStream(source, lambda: lzma.LZMADecompressor(memlimit=MAX_WINDOW), starts=(b"\xfd7zXZ\0",))


def zstd_stream(source: ByteSource) -> DecoderStream:
    """Return the bytes of Zstandard frames (RFC 8878) that follow one another."""
    return DecoderStream(source, ZstdDecoder, starts=_ZSTD_STARTS)
