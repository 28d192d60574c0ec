"""A document that is a ZIP file of parts: OOXML (ECMA-376-2), OpenDocument, EPUB.

A part is inflated on demand, up to the limits: a document with a huge picture is read, since its picture is not
requested, and a bomb ends where its bytes exceed the limits, whatever sizes its headers declare.
"""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from typing import Final

from cormorant.extract.errors import Protected, Unreadable

MAX_PARTS: Final = 50_000
MAX_PART: Final = 256 * 1024 * 1024
"""Bytes of one part."""
MAX_READ: Final = 512 * 1024 * 1024
"""Bytes of all parts that are read together."""
_STEP: Final = 1024 * 1024
_ENCRYPTED: Final = 1
_LOCAL_HEADER: Final = 30
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_SMALL_STEP: Final = 512
"""Packed bytes at a time, all of which are lost when one of them is damaged."""
_DAMAGED: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, struct.error, OSError, ValueError)


class ZipPackage:
    """The parts of a document by name. Names are compared without regard to case, as Office does."""

    def __init__(self, body: bytes) -> None:
        """Open a package. Raises Unreadable when it is no ZIP, or has too many parts."""
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(body))
        except _DAMAGED as error:
            reason = "the archive has no readable directory: it is cut short or damaged"
            raise Unreadable(reason, f"{type(error).__name__}: {error}") from None
        listed = self._archive.infolist()
        if len(listed) > MAX_PARTS:
            raise Unreadable(f"the archive has more than {MAX_PARTS} files")
        self._parts = {each.filename.replace("\\", "/").lstrip("/").lower(): each for each in reversed(listed)}
        self.names = list(dict.fromkeys(each.filename.replace("\\", "/").lstrip("/") for each in listed))
        self._left = MAX_READ

    def __contains__(self, name: str) -> bool:
        """Return whether there is a part of this name."""
        return name.lstrip("/").lower() in self._parts

    def read(self, name: str) -> bytes | None:
        """Return a part, None when there is none of this name or its bytes are damaged.

        Raises Protected for one that is encrypted, and Unreadable when it or all parts together exceed the limits.
        """
        part = self._parts.get(name.lstrip("/").lower())
        if part is None:
            return None
        if part.flag_bits & _ENCRYPTED:
            raise Protected
        pieces: list[bytes] = []
        size = 0
        try:
            with self._archive.open(part) as stream:
                while piece := stream.read(_STEP):
                    size += len(piece)
                    self._judge(size)
                    pieces.append(piece)
        except _DAMAGED:
            if not pieces:
                return None
        self._left -= size
        return b"".join(pieces)

    def read_start(self, name: str, limit: int) -> bytes | None:
        """Return the first `limit` bytes of a part; None as for `read`.

        Raises Protected for one that is encrypted. Fewer bytes are returned when all parts together reach their limit.
        """
        part = self._parts.get(name.lstrip("/").lower())
        if part is None:
            return None
        if part.flag_bits & _ENCRYPTED:
            raise Protected
        left = min(limit, self._left)
        pieces: list[bytes] = []
        try:
            with self._archive.open(part) as stream:
                while left > 0 and (piece := stream.read(min(left, _STEP))):
                    left -= len(piece)
                    pieces.append(piece)
        except _DAMAGED:
            if not pieces:
                return None
        data = b"".join(pieces)
        self._left -= len(data)
        return data

    def read_damaged(self, name: str) -> bytes:
        """Return as much of a part as can be inflated, despite a wrong checksum, if `read` returns None.

        Raises Unreadable when it or all parts together exceed the limits.
        """
        part, stream = self._parts.get(name.lstrip("/").lower()), self._archive.fp
        if part is None or stream is None or part.header_offset < 0 or part.compress_type not in _METHODS:
            return b""
        stream.seek(part.header_offset)
        header = stream.read(_LOCAL_HEADER)
        if len(header) < _LOCAL_HEADER or part.flag_bits & _ENCRYPTED:
            return b""
        stream.seek(sum(struct.unpack("<HH", header[-4:])), io.SEEK_CUR)
        inflater = zlib.decompressobj(-zlib.MAX_WBITS) if part.compress_type == zipfile.ZIP_DEFLATED else None
        pieces: list[bytes] = []
        size, left = 0, part.compress_size
        while left > 0 and (packed := stream.read(min(left, _SMALL_STEP))):
            left -= len(packed)
            try:
                pieces.append(inflater.decompress(packed) if inflater else packed)
            except zlib.error:
                break
            size += len(pieces[-1])
            self._judge(size)
        self._left -= size
        return b"".join(pieces)

    def _judge(self, size: int) -> None:
        if size > MAX_PART:
            raise Unreadable(f"one file in it unpacks to more than {MAX_PART // (1024 * 1024)} MiB")
        if size > self._left:
            raise Unreadable(f"the files in it unpack to more than {MAX_READ // (1024 * 1024)} MiB")


def resolve(base: str, target: str) -> str:
    """Return the name of the target part of a reference in the part `base`: RFC 3986 within the package."""
    if target.startswith("/"):
        return target.lstrip("/")
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), target)).lstrip("/")
