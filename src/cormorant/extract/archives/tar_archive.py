"""Members of a TAR file: ustar, GNU and pax (POSIX.1-2001), read in one pass from a stream.

The standard library decodes a header block. This module reads the data between the blocks: the library's reader treats
a broken header as the end, trusts the length of pax records, and takes quadratic time for some (CVE-2024-6232).
Signature: "ustar" at 257; older ones are recognised by the checksum of their first block.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import Final

from cormorant.extract.archives.byte_stream import LimitedStream
from cormorant.extract.archives.limits import DAMAGED
from cormorant.extract.archives.packed_file import OpenArchive, PackedFile, UnpackedBytes, refused
from cormorant.extract.errors import Unreadable

BLOCK: Final = tarfile.BLOCKSIZE
_STEP: Final = 64 * 1024
_MAX_RECORDS: Final = 1024 * 1024
"""Bytes of a long name or of pax records, which are read as a whole; longer ones are cut."""
_LONG_NAME: Final = tarfile.GNUTYPE_LONGNAME
_RECORDS: Final = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
_WITHOUT_DATA: Final = (
    tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE,
)  # fmt: skip
_SPARSE: Final = "it is stored as a sparse file"
_SPARSE_NAME: Final = "GNU.sparse.name"
_WANTED: Final = frozenset(
    ("path", "size", "mtime", _SPARSE_NAME, "GNU.sparse.map", "GNU.sparse.major", "GNU.sparse.numblocks")
)
"""Keywords of the pax records that are kept, so that no number of records fills the memory."""
_EXTENDED: Final = 482
"""Where an old GNU header of a sparse file says that a block with more of its map follows; 504 in such a block."""
_EXTENDED_FURTHER: Final = 504


def open_tar(stream: LimitedStream) -> OpenArchive:
    """Return the files of a TAR that comes as a stream."""
    return OpenArchive(_TarReader(stream).files())


def is_tar(head: bytes) -> bool:
    """Return whether a file that begins with these 512 bytes is a TAR."""
    if len(head) < BLOCK or not head[0]:
        return False
    try:
        return _header(head).size >= 0
    except (tarfile.HeaderError, ValueError):
        return False


def pax_records(data: bytes) -> dict[str, str]:
    """Return the records of a pax header that count: "length keyword=value" and a line end each, as far as sound."""
    found: dict[str, str] = {}
    place = 0
    while (space := data.find(b" ", place, place + 21)) > 0:
        digits = data[place:space]
        length = int(digits) if digits.isdigit() else 0
        keyword, equals, value = data[space + 1 : place + length].partition(b"=")
        if not equals or length <= space - place:
            break
        if (name := _text(keyword)) in _WANTED:
            found[name] = _text(value.removesuffix(b"\n"))
        place += length
    return found


class _TarReader:
    def __init__(self, stream: LimitedStream) -> None:
        self._stream = stream
        self._left = 0
        """Bytes of the current member that were not read, with what fills its last block."""

    def files(self) -> Iterator[PackedFile]:
        """Yield the files. Raises Unreadable where a header is broken or the archive ends too early."""
        long_name, records, overall = "", {}, dict[str, str]()
        while (info := self._next_header()) is not None:
            if info.type == _LONG_NAME:
                long_name = _text(self._read(min(info.size, _MAX_RECORDS)).rstrip(b"\0"))
            elif info.type == tarfile.XGLTYPE:
                overall = overall | pax_records(self._read(min(info.size, _MAX_RECORDS)))
            elif info.type in _RECORDS:
                records = pax_records(self._read(min(info.size, _MAX_RECORDS)))
            elif info.type != tarfile.GNUTYPE_LONGLINK:
                file = self._file(info, long_name, overall | records)
                long_name, records = "", {}
                if file is not None:
                    yield file

    def _file(self, info: tarfile.TarInfo, long_name: str, records: dict[str, str]) -> PackedFile | None:
        """Return a member, None when it is no file."""
        name = records.get(_SPARSE_NAME) or records.get("path") or long_name or _mended(info.name)
        if info.type in _WITHOUT_DATA:
            self._left = 0
            return None
        sparse = info.type == tarfile.GNUTYPE_SPARSE or any(key.startswith("GNU.sparse.") for key in records)
        if size := records.get("size", ""):
            info.size = int(size) if size.isdigit() and len(size) < 20 else info.size
            self._left = _padded(info.size)
        if info.type not in (*tarfile.REGULAR_TYPES, tarfile.GNUTYPE_SPARSE):
            return None
        modified = _seconds(records.get("mtime", "")) or float(info.mtime)
        shown = modified if 0 < modified < 1 << 40 else None
        if sparse:
            return PackedFile(name, info.size, refused, shown, _SPARSE)
        return PackedFile(name, info.size, lambda limit: self._unpacked(min(limit, info.size)), shown)

    def _unpacked(self, size: int) -> UnpackedBytes:
        data = self._read(size)
        return UnpackedBytes(data, DAMAGED if len(data) < size else "")

    def _next_header(self) -> tarfile.TarInfo | None:
        """Return the next header, None at the end. Raises Unreadable for a broken one."""
        self._skip()
        block = self._stream.read(BLOCK)
        if (not block or not block.strip(b"\0")) and not self._stream.fault:
            return None
        try:
            info = _header(block)
        except (tarfile.HeaderError, ValueError, OverflowError) as error:
            raise Unreadable(self._stream.fault or DAMAGED, f"{type(error).__name__}: {error}") from None
        if info.size < 0:
            raise Unreadable(DAMAGED, "a member of negative size")
        if info.type == tarfile.GNUTYPE_SPARSE:
            self._skip_map(block)
        self._left = _padded(info.size)
        return info

    def _skip_map(self, block: bytes) -> None:
        place = _EXTENDED
        while len(block) == BLOCK and block[place]:
            block, place = self._stream.read(BLOCK), _EXTENDED_FURTHER

    def _skip(self) -> None:
        """Pass over the rest of the current member. Raises Unreadable when the archive ends within it."""
        while self._left > 0:
            if not self._read(min(self._left, _STEP)):
                raise Unreadable(self._stream.fault or "it is cut short")

    def _read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._left -= len(data)
        return data


def _header(block: bytes) -> tarfile.TarInfo:
    return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")


def _padded(size: int) -> int:
    return -(-size // BLOCK) * BLOCK


def _mended(name: str) -> str:
    return name if name.isascii() else _text(name.encode("utf-8", "surrogateescape"))


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")


def _seconds(text: str) -> float:
    try:
        return float(text[:40] or 0)
    except ValueError:
        return 0.0
