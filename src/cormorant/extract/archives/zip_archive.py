"""Members of a ZIP archive.

Signatures: "PK" 03 04 (a member first), "PK" 05 06 (empty), "PK" 07 08 (the first part of a split one), "PK00PK" 03 04
(one that was to be split and was not).
"""

from __future__ import annotations

import lzma
import stat
from collections.abc import Callable, Iterator
from typing import Final

from cormorant.extract.archives.byte_stream import (
    ByteSource,
    DecoderStream,
    SliceSource,
    bzip2_stream,
    deflate_stream,
    xz_stream,
    zstd_stream,
)
from cormorant.extract.archives.limits import DAMAGED, MAX_WINDOW, NEEDS_PASSWORD
from cormorant.extract.archives.lzma_coder import lzma_filter
from cormorant.extract.archives.packed_file import UNKNOWN_SIZE, OpenArchive, PackedFile, UnpackedBytes, refused
from cormorant.extract.archives.zip_directory import UNKNOWN, ZipHeader, data_offset, read_directory
from cormorant.extract.errors import Unreadable

ZIP_STARTS: Final = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08", b"PK00PK\x03\x04")
ZIP_END: Final = b"PK\x05\x06"
MAX_ZIP_END: Final = 65_535 + 22
"""Bytes at the end of a file that contain ZIP_END if it is a ZIP."""
_ENCRYPTED: Final = 1
_STORED: Final = 0
_LZMA: Final = 14
_FILE_TYPES: Final = (0, stat.S_IFREG, stat.S_IFIFO)
"""Unix types of members with bytes; a file that came through a pipe is called one."""
_METHODS: Final = {
    1: "Shrink", 2: "Reduce", 3: "Reduce", 4: "Reduce", 5: "Reduce", 6: "Implode", 9: "Deflate64", 10: "Implode",
    18: "TERSE", 19: "LZ77", 94: "MP3", 96: "JPEG", 97: "WavPack", 98: "PPMd",
}  # fmt: skip
"""Names of the methods that are not unpacked: APPNOTE.TXT 4.4.5."""
_STREAMS: Final[dict[int, Callable[[ByteSource], DecoderStream]]] = {
    8: deflate_stream, 12: bzip2_stream, 20: zstd_stream, 93: zstd_stream, 95: xz_stream,
}  # fmt: skip


def open_zip(body: bytes) -> OpenArchive:
    """Return the files of a ZIP. Raises Unreadable for a part of a split one, and when nothing is found in it."""
    directory = read_directory(body)
    return OpenArchive(_files(body, directory.headers, directory.fault), directory.comment)


def _files(body: bytes, headers: list[ZipHeader], fault: str) -> Iterator[PackedFile]:
    for header in headers:
        if not _is_file(header):
            continue
        size = UNKNOWN_SIZE if header.size == UNKNOWN else header.size
        refusal = _refusal(body, header)
        unpack = refused if refusal else _unpacker(body, header)
        yield PackedFile(header.name, size, unpack, header.modified_at, refusal)
    if fault:
        raise Unreadable(fault)


def _is_file(header: ZipHeader) -> bool:
    return not header.name.endswith(("/", "\\")) and stat.S_IFMT(header.mode) in _FILE_TYPES


def _refusal(body: bytes, header: ZipHeader) -> str:
    if header.flags & _ENCRYPTED:
        return NEEDS_PASSWORD
    if header.method not in (_STORED, _LZMA, *_STREAMS):
        return f"it is compressed by {_METHODS.get(header.method, f'method {header.method}')}, which is not read"
    if _start(body, header) == UNKNOWN:
        return DAMAGED
    return ""


def _start(body: bytes, header: ZipHeader) -> int:
    return header.offset if header.located else data_offset(body, header.offset)


def _unpacker(body: bytes, header: ZipHeader) -> Callable[[int], UnpackedBytes]:
    def unpacked(limit: int) -> UnpackedBytes:
        start = _start(body, header)
        if header.method == _STORED:
            data = body[start : start + min(limit, header.packed)]
            return UnpackedBytes(data, DAMAGED if len(data) < min(limit, header.packed) else "")
        stream = _stream(body, header.method, start, start + header.packed)
        # An LZMA stream needs no mark at its end: its size is known.
        data = stream.read(min(limit, header.size) if header.method == _LZMA and header.size >= 0 else limit)
        return UnpackedBytes(data, stream.fault)

    return unpacked


def _stream(body: bytes, method: int, start: int, end: int) -> DecoderStream:
    if method != _LZMA:
        return _STREAMS[method](SliceSource(body, start, end))
    # 5.8.8: version, size of the properties, properties; then a raw stream.
    length = int.from_bytes(body[start + 2 : start + 4], "little")
    properties = body[start + 4 : start + 4 + length]

    def decoder() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[lzma_filter(properties, MAX_WINDOW)])

    return DecoderStream(SliceSource(body, start + 4 + length, end), decoder)
