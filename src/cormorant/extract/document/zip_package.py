"""A document that is a ZIP file of parts: OOXML (ECMA-376-2), OpenDocument, EPUB.

A part is inflated when it is asked for, and no further than the limits: a document with a huge picture is read, since
nobody asks for its picture, and a bomb ends where its bytes exceed them, whatever its headers say (fault B2).
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

    def _judge(self, size: int) -> None:
        if size > MAX_PART:
            raise Unreadable(f"one file in it unpacks to more than {MAX_PART // (1024 * 1024)} MiB")
        if size > self._left:
            raise Unreadable(f"the files in it unpack to more than {MAX_READ // (1024 * 1024)} MiB")


def resolve(base: str, target: str) -> str:
    """Return the name of the part that a reference in the part `base` leads to: RFC 3986 within the package."""
    if target.startswith("/"):
        return target.lstrip("/")
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), target)).lstrip("/")
