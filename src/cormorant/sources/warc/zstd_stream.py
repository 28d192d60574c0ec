"""The bytes of an archive of Zstandard frames (RFC 8878) [IIPC Zstandard Compression for WARC Files 1.0].

    [dictionary frame]  frame  frame | extension frame ...

A frame is read block by block, so that no step inflates to more than 128 KiB, and what follows a frame is never taken.
"""

from __future__ import annotations

import re
from typing import Final

import zstandard

from cormorant.sources.warc.byte_streams import CHUNK, DamagedStream, PackedStream, RecordMarks, SeekableFile

ZSTD_START: Final = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")
"""The first bytes of a frame with content, and of one to skip."""
_FRAME_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_DICTIONARY_MAGIC: Final = b"\x5d\x2a\x4d\x18"
"""The dictionary frame, a skippable one [section 3.2.1]."""
MAX_DICTIONARY: Final = 8 << 20
"""Bytes of a dictionary, compressed and not [section 4]."""
MAX_WINDOW: Final = 64 << 20
"""Bytes of a window; the specification asks for 8 MiB, the highest levels of writers take more."""
_LONGEST_HEADER: Final = 18
_MOST_BLOCK: Final = 1 << 17
_CHECKSUM: Final = 4
_RLE, _RESERVED = 1, 3


class ZstdStream(PackedStream):
    """A file of Zstandard frames, with the dictionary that it begins with."""

    MAGIC = re.compile(re.escape(_FRAME_MAGIC))

    def __init__(self, file: SeekableFile, marks: RecordMarks, start: int = 0) -> None:
        self._engine = _engine(_dictionary(file))
        super().__init__(file, marks, start)
        self._begin(start)

    def _begin(self, start: int) -> None:
        self._start, self._taken, self._at = start, 0, start
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._checksum = 0
        self._raw = bytearray()

    def _fill(self) -> bool:
        """Inflate a block; a frame that has ended is followed by the next."""
        while not self._buffer:
            if self._frame is not None:
                self._step(self._frame)
            elif self._peek(1):
                self._begin_frame()
            else:
                return False
        return True

    def _begin_frame(self) -> None:
        """Read the header of a frame, or skip one that holds no records. Raises DamagedStream."""
        self._start, self._taken = self._at, 0
        if ZSTD_START.match(self._peek(4)) and not self._peek(4).startswith(_FRAME_MAGIC):
            self._skip(8 + int.from_bytes(self._need(8)[4:], "little"))
            return
        header = self._peek(_LONGEST_HEADER)
        try:
            size = zstandard.frame_header_size(header)
            frame = zstandard.get_frame_parameters(header)
        except zstandard.ZstdError as error:
            phrase = "ends within" if len(header) < _LONGEST_HEADER else "is no frame of Zstandard, or"
            raise DamagedStream(f"{phrase} the header of one") from error
        if frame.window_size > MAX_WINDOW:
            raise DamagedStream(f"needs more than {MAX_WINDOW >> 20} MiB of memory")
        self._frame, self._checksum = self._engine.decompressobj(), _CHECKSUM * frame.has_checksum
        self._inflate(self._frame, self._take_raw(size))

    def _step(self, frame: zstandard.ZstdDecompressionObj) -> None:
        """Inflate the next block, the last one with the checksum of the frame [RFC 8878 3.1.1.2]."""
        header = int.from_bytes(self._need(3)[:3], "little")
        is_last, kind, size = header & 1, header >> 1 & 3, header >> 3
        if kind == _RESERVED or size > _MOST_BLOCK:
            raise DamagedStream("has a damaged block")
        self._inflate(frame, self._take_raw(3 + (1 if kind == _RLE else size) + is_last * self._checksum))
        if is_last:
            self._frame = None

    def _inflate(self, frame: zstandard.ZstdDecompressionObj, data: bytes) -> None:
        try:
            inflated = frame.decompress(data)
        except zstandard.ZstdError as error:
            raise DamagedStream("is a damaged frame of Zstandard, or needs another dictionary") from error
        self._gain(inflated, self._at)

    def _peek(self, size: int) -> bytes:
        """Return the next bytes of the file without taking them, fewer at its end."""
        while len(self._raw) < size and (chunk := self._file.read(CHUNK)):
            self._raw += chunk
        return bytes(self._raw[:size])

    def _need(self, size: int) -> bytes:
        """Return that many of the next bytes of the file. Raises DamagedStream."""
        found = self._peek(size)
        if len(found) < size:
            raise DamagedStream("ends within a frame of Zstandard")
        return found

    def _take_raw(self, size: int) -> bytes:
        taken = self._need(size)
        del self._raw[:size]
        self._at += size
        return taken

    def _skip(self, size: int) -> None:
        """Go on behind a frame that holds no records. Raises DamagedStream where the file ends within it."""
        self._at += size
        if size <= len(self._raw):
            del self._raw[:size]
            return
        self._raw.clear()
        self._file.seek(self._at - 1)
        if not self._file.read(1):
            raise DamagedStream("ends within a frame of Zstandard")


def _engine(dictionary: bytes) -> zstandard.ZstdDecompressor:
    """Return a decompressor with a dictionary; without one where it is damaged, so that no frame can be read."""
    given = None
    if dictionary:
        given = zstandard.ZstdCompressionDict(dictionary, dict_type=zstandard.DICT_TYPE_FULLDICT)
    try:
        return zstandard.ZstdDecompressor(dict_data=given, max_window_size=MAX_WINDOW)
    except zstandard.ZstdError:
        return zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)


def _dictionary(file: SeekableFile) -> bytes:
    """Return the dictionary that a file begins with [section 3.2.1]; b"" where it has none, or a damaged one."""
    file.seek(0)
    head = file.read(8)
    size = int.from_bytes(head[4:], "little")
    if not head.startswith(_DICTIONARY_MAGIC) or size > MAX_DICTIONARY:
        return b""
    data = file.read(size)
    try:
        return _inflated(data) if data.startswith(_FRAME_MAGIC) else data
    except zstandard.ZstdError:
        return b""


def _inflated(data: bytes) -> bytes:
    """Return a dictionary that is compressed, b"" for one that is too large. Raises ZstdError."""
    with zstandard.ZstdDecompressor(max_window_size=MAX_DICTIONARY).stream_reader(data) as reader:
        found = reader.read(MAX_DICTIONARY + 1)
    return found if len(found) <= MAX_DICTIONARY else b""
