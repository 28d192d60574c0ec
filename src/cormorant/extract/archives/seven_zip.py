"""Members of a 7z archive, each folder of coders unpacked as a stream.

Signature: "7z" bc af 27 1c. The library py7zr is not used: it unpacks into a sink at its own pace, so that the files of
a solid archive cannot be read one after the other, and it has nine dependencies. The coders are those of the standard
library; PPMd, Deflate64 and BCJ2 (for programs) are not among them. Source: 7zFormat.txt and Methods.txt of the LZMA
SDK.
"""

from __future__ import annotations

import lzma
import stat
import struct
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any, Final

from cormorant.extract.archives.byte_stream import (
    ByteSource,
    DecoderStream,
    LimitedStream,
    SliceSource,
    bzip2_stream,
    deflate_stream,
    zstd_stream,
)
from cormorant.extract.archives.limits import DAMAGED, MAX_ALL_BYTES, MAX_FILE_BYTES, MAX_WINDOW, NEEDS_PASSWORD
from cormorant.extract.archives.lzma_coder import branch_filter, filtered_stream, lzma2_filter, lzma_filter
from cormorant.extract.archives.packed_file import OpenArchive, PackedFile, UnpackedBytes, refused
from cormorant.extract.archives.seven_zip_header import (
    ENCODED_HEADER,
    HEADER,
    Coder,
    Cursor,
    Folder,
    ListedFile,
    Streams,
    read_header,
    read_streams,
)
from cormorant.extract.errors import Protected, Unreadable

SIGNATURE: Final = b"7z\xbc\xaf\x27\x1c"
_START: Final = struct.Struct("<6s2BLQQL")
_MAX_HEADERS: Final = 4
"""The most levels of packed headers."""
_COPY: Final = b"\0"
_AES: Final = b"\x06\xf1\x07\x01"
_LZMA: Final = b"\x03\x01\x01"
_LZMA2: Final = b"\x21"
_STREAMS: Final[dict[bytes, Callable[[ByteSource], DecoderStream]]] = {
    b"\x04\x01\x08": deflate_stream, b"\x04\x02\x02": bzip2_stream, b"\x04\xf7\x11\x01": zstd_stream,
}  # fmt: skip
_NAMES: Final = {b"\x03\x04\x01": "PPMd", b"\x04\x01\x09": "Deflate64", b"\x03\x03\x01\x1b": "BCJ2"}
_UNIX: Final = 0x8000
"""Flag of attributes whose upper half is a Unix mode."""
_DIRECTORY: Final = 0x10
_REPARSE: Final = 0x400
_EPOCH: Final = 11_644_473_600
"""Seconds from 1601 to 1970."""
_STEP: Final = 1024 * 1024


def open_7z(body: bytes) -> OpenArchive:
    """Return the files of a 7z. Raises Protected when even their names are encrypted, Unreadable for a damaged one."""
    try:
        streams, files = _header(body)
    except (ValueError, struct.error, IndexError) as error:
        raise Unreadable("its list of files is damaged", f"{type(error).__name__}: {error}") from None
    return OpenArchive(_files(body, streams, files))


def _header(body: bytes) -> tuple[Streams, list[ListedFile]]:
    """Return the header, unpacked as often as it is packed. Raises ValueError and what `open_7z` raises."""
    if len(body) < _START.size:
        raise Unreadable("it is cut short")
    *_, offset, size, _ = _START.unpack_from(body)
    if not size:
        return Streams(), []
    if _START.size + offset + size > len(body):
        raise Unreadable("its list of files is missing: it is cut short, or the first of several parts")
    data = body[_START.size + offset : _START.size + offset + size]
    for _ in range(_MAX_HEADERS):
        cursor = Cursor(data)
        kind = cursor.byte()
        if kind == HEADER:
            return read_header(cursor)
        if kind != ENCODED_HEADER:
            break
        data = _unpacked_header(body, read_streams(cursor))
    raise ValueError("no header")


def _unpacked_header(body: bytes, streams: Streams) -> bytes:
    if not streams.folders:
        raise ValueError("a packed header without a folder")
    folder = streams.folders[0]
    if any(coder.method == _AES for coder in folder.coders):
        raise Protected
    refusal = _refusal(folder)
    if refusal or folder.size > MAX_FILE_BYTES:
        raise Unreadable(f"its list of files cannot be unpacked: {refusal or 'it is too large'}")
    data = _FolderReader(body, streams).stream(0).read(folder.size)
    if len(data) < folder.size:
        raise ValueError("the packed header is damaged")
    return data


def _files(body: bytes, streams: Streams, files: list[ListedFile]) -> Iterator[PackedFile]:
    places = ((number, size) for number, folder in enumerate(streams.folders) for size in folder.streams)
    reader = _FolderReader(body, streams)
    for file in files:
        number, size = next(places, (-1, 0)) if file.has_stream else (-1, 0)
        if file.has_stream and number < 0:
            raise Unreadable("its list of files is damaged: it has more files than streams")
        start = reader.enter(number, size) if number >= 0 else 0
        if not file.is_file or _is_special(file):
            continue
        refusal = _refusal(streams.folders[number]) if number >= 0 else ""
        unpack = refused if refusal or number < 0 else reader.unpacker(number, start, size)
        yield PackedFile(file.name, size, unpack, _modified(file), refusal)


class _FolderReader:
    """Unpacks the files of a folder one after the other; files that are not requested are skipped.

    All unpacked bytes count against one limit, for any number of folders.
    """

    def __init__(self, body: bytes, streams: Streams) -> None:
        self._body = body
        self._streams = streams
        starts = accumulate(streams.sizes, initial=_START.size + streams.position)
        self._packed = list(zip(starts, streams.sizes, strict=False))
        self._first = list(accumulate((len(folder.packed) for folder in streams.folders), initial=0))
        self._listed, self._end = -1, 0
        self._folder, self._place = -1, 0
        self._stream = LimitedStream(SliceSource(b""))
        self._left = MAX_ALL_BYTES

    def enter(self, folder: int, size: int) -> int:
        """Register the next file of a folder; return where in its stream the file begins."""
        if folder != self._listed:
            self._listed, self._end = folder, 0
        self._end += size
        return self._end - size

    def unpacker(self, folder: int, start: int, size: int) -> Callable[[int], UnpackedBytes]:
        """Return the function that unpacks a file."""
        return lambda limit: self._read(folder, start, min(limit, size))

    def stream(self, number: int) -> LimitedStream:
        """Return the unpacked stream of a folder whose coders are all known."""
        folder, first = self._streams.folders[number], self._first[number]
        start, size = self._packed[first] if first < len(self._packed) else (0, 0)
        source: ByteSource = SliceSource(self._body, start, start + size)
        for place in reversed(_chain(folder)):
            unpacked = folder.sizes[place] if place < len(folder.sizes) else 0
            source = LimitedStream(_decoded(folder.coders[place], source), unpacked, cut=DAMAGED)
        return LimitedStream(source, self._left)

    def _read(self, folder: int, start: int, size: int) -> UnpackedBytes:
        if folder != self._folder:
            self._folder, self._place, self._stream = folder, 0, self.stream(folder)
        while self._place < start and (passed := self._stream.read(min(_STEP, start - self._place))):
            self._place += len(passed)
            self._left -= len(passed)
        data = self._stream.read(size) if self._place == start else b""
        self._place += len(data)
        self._left -= len(data)
        return UnpackedBytes(data, (self._stream.fault or DAMAGED) if len(data) < size else "")


def _chain(folder: Folder) -> list[int]:
    """Return the coders, the one that gives the files first, the one that takes packed bytes last; [] without a chain.

    Each takes one stream and gives one, so that its input and its output have its own number.
    """
    fed = set(folder.bonds.values())
    place = next((number for number in range(len(folder.coders)) if number not in fed), -1)
    chain: list[int] = []
    while 0 <= place < len(folder.coders) and place not in chain:
        chain.append(place)
        place = folder.bonds.get(place, -1)
    return chain if len(chain) == len(folder.coders) else []


def _refusal(folder: Folder) -> str:
    if any(coder.method == _AES for coder in folder.coders):
        return NEEDS_PASSWORD
    unknown = [coder.method for coder in folder.coders if not _is_known(coder)]
    if unknown:
        name = _NAMES.get(unknown[0], f"method {unknown[0].hex()}")
        return f"it is compressed by {name}, which is not read"
    return "" if _chain(folder) else DAMAGED


def _is_known(coder: Coder) -> bool:
    known = (
        coder.method in (_COPY, _LZMA, _LZMA2, *_STREAMS) or branch_filter(coder.method, coder.properties) is not None
    )
    return known and coder.inputs == coder.outputs == 1


def _decoded(coder: Coder, source: ByteSource) -> ByteSource:
    if coder.method == _COPY:
        return source
    if coder.method in _STREAMS:
        return _STREAMS[coder.method](source)
    branch = branch_filter(coder.method, coder.properties)
    if branch is not None:
        return filtered_stream(source, branch)
    made = lzma_filter if coder.method == _LZMA else lzma2_filter

    def decoder() -> lzma.LZMADecompressor:
        filters: list[dict[str, Any]] = [made(coder.properties, MAX_WINDOW)]
        return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters)

    return DecoderStream(source, decoder)


def _is_special(file: ListedFile) -> bool:
    """Return whether an entry is a folder, a link or a device."""
    mode = file.attributes >> 16 if file.attributes & _UNIX else 0
    return bool(file.attributes & (_DIRECTORY | _REPARSE)) or stat.S_IFMT(mode) not in (0, stat.S_IFREG)


def _modified(file: ListedFile) -> float | None:
    return file.modified / 10_000_000 - _EPOCH if file.modified else None
