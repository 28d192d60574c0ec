"""A file that is compressed by itself: gzip, bzip2, xz, Zstandard; with a TAR in it, the members of that.

Signatures: gzip 1f 8b 08 (RFC 1952), bzip2 "BZh" 1-9 and 31 41 59 26 53 59, xz fd "7zXZ" 00, Zstandard 28 b5 2f fd.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from cormorant.extract.archives.byte_stream import (
    ByteSource,
    DecoderStream,
    LimitedStream,
    SliceSource,
    bzip2_stream,
    gzip_stream,
    xz_stream,
    zstd_stream,
)
from cormorant.extract.archives.limits import MAX_FILE_BYTES, TOO_LARGE
from cormorant.extract.archives.packed_file import OpenArchive, PackedFile, UnpackedBytes, refused
from cormorant.extract.archives.tar_archive import BLOCK, is_tar, open_tar
from cormorant.extract.errors import Unreadable

_GZIP: Final = b"\x1f\x8b"
_STEP: Final = 256 * 1024
_SUFFIXES: Final = {
    ".gz": "", ".gzip": "", ".bz2": "", ".xz": "", ".zst": "", ".zstd": "", ".z": "",
    ".tgz": ".tar", ".taz": ".tar", ".tbz": ".tar", ".tbz2": ".tar", ".txz": ".tar", ".tzst": ".tar", ".svgz": ".svg",
}  # fmt: skip
"""Suffixes of compressed files, and those of what is in them."""
_DECODERS: Final[tuple[tuple[bytes, Callable[[ByteSource], DecoderStream]], ...]] = (
    (_GZIP, gzip_stream),
    (b"BZh", bzip2_stream),
    (b"\xfd7zXZ\x00", xz_stream),
    (b"\x28\xb5\x2f\xfd", zstd_stream),
)
_FLAG_EXTRA, _FLAG_NAME = 4, 8


def open_compressed(body: bytes, file_name: str) -> OpenArchive | None:
    """Return the file in a compressed one, or the files of the TAR in it; None when it is not compressed.

    Raises Unreadable when nothing can be unpacked.
    """
    made = _stream(body)
    if made is None:
        return None
    head = made.read(BLOCK)
    if is_tar(head):
        return open_tar(LimitedStream(_Again(head, made)))
    if not head and made.fault:
        raise Unreadable("it is damaged at its beginning")
    name = _gzip_name(body) or inner_name(file_name)
    return OpenArchive(_one_file(body, name))


def inner_name(file_name: str) -> str:
    """Return the name of the file in a compressed one of this name: plan.txt.gz -> plan.txt, site.tgz -> site.tar."""
    name = file_name.rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    suffix = _SUFFIXES.get(dot + extension.lower())
    return (stem + suffix if suffix is not None and stem else name) or "file"


def _stream(body: bytes) -> DecoderStream | None:
    decoder = next((made for start, made in _DECODERS if body.startswith(start)), None)
    return decoder(SliceSource(body)) if decoder else None


class _Again:
    """A stream whose first bytes were read already."""

    def __init__(self, head: bytes, stream: DecoderStream) -> None:
        self._head = head
        self._stream = stream

    @property
    def fault(self) -> str:
        return self._stream.fault

    def read(self, size: int, /) -> bytes:
        start, self._head = self._head[:size], self._head[size:]
        return start + self._stream.read(size - len(start)) if len(start) < size else start


def _one_file(body: bytes, name: str) -> Iterator[PackedFile]:
    """Yield the one file, measured by unpacking it once without keeping it: no header has its size."""
    size = 0
    stream = _stream(body)
    while stream and size <= MAX_FILE_BYTES and (piece := stream.read(_STEP)):
        size += len(piece)
    modified = int.from_bytes(body[4:8], "little") if body.startswith(_GZIP) else 0
    too_large = TOO_LARGE if size > MAX_FILE_BYTES else ""
    unpack = refused if too_large else partial(_unpacked, body)
    yield PackedFile(name, size, unpack, float(modified) or None, too_large)
    if stream and stream.fault:
        raise Unreadable(stream.fault)


def _unpacked(body: bytes, limit: int) -> UnpackedBytes:
    stream = _stream(body)
    data = stream.read(limit) if stream else b""
    return UnpackedBytes(data, stream.fault if stream else "")


def _gzip_name(body: bytes) -> str:
    """Return the name in the header of a gzip file, "" when there is none: RFC 1952 2.3."""
    if not body.startswith(_GZIP) or len(body) < 12 or not body[3] & _FLAG_NAME:
        return ""
    place = 10
    if body[3] & _FLAG_EXTRA:
        place += 2 + int.from_bytes(body[10:12], "little")
    raw = body[place : max(place, body.find(b"\0", place, place + 1024))]
    try:
        name = raw.decode()
    except UnicodeDecodeError:
        name = raw.decode("latin-1")
    return name.replace("\\", "/").rpartition("/")[2]
