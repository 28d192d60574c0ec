"""The bytes of a gzip file of members (RFC 1952), as archives are compressed [ISO 28500 annex D]."""

from __future__ import annotations

import re
import zlib
from typing import Final

from cormorant.sources.warc.byte_streams import CHUNK, INFLATED, DamagedStream, PackedStream, RecordMarks, SeekableFile

GZIP_MAGIC: Final = b"\x1f\x8b\x08"


class GzipStream(PackedStream):
    """A file of gzip members (RFC 1952)."""

    MAGIC = re.compile(re.escape(GZIP_MAGIC))

    def __init__(self, file: SeekableFile, marks: RecordMarks, start: int = 0) -> None:
        super().__init__(file, marks, start)
        self._begin(start)

    def _begin(self, start: int, raw: bytes = b"") -> None:
        self._start, self._taken = start, 0
        self._inflating = zlib.decompressobj(wbits=31)
        self._raw, self._read_to = raw, start + len(raw)

    def _fill(self) -> bool:
        """Inflate a step; a member that has ended is followed by the next."""
        while not self._buffer:
            if self._inflating.eof:
                rest = self._inflating.unused_data
                self._begin(self._read_to - len(rest), rest)
            if not self._raw and not self._inflating.unconsumed_tail:
                self._raw = self._file.read(CHUNK)
                self._read_to += len(self._raw)
                if not self._raw:
                    return self._ended()
            if not self._taken and self._is_padding():
                continue
            self._step()
        return True

    def _step(self) -> None:
        data, self._raw = self._inflating.unconsumed_tail + self._raw, b""
        try:
            inflated = self._inflating.decompress(data, INFLATED)
        except zlib.error as error:
            raise DamagedStream("is no gzip member, or a damaged one") from error
        self._gain(inflated, self._read_to)

    def _is_padding(self) -> bool:
        """Skip zeros where a member would begin, as some writers leave them; True when nothing else is there yet."""
        if self._raw.startswith(b"\0") and self._read_to - len(self._raw) == self._start:
            rest = self._raw.lstrip(b"\0")
            self._begin(self._read_to - len(rest), rest)
        return not self._raw and self._start == self._read_to

    def _ended(self) -> bool:
        """Say that the file has ended. Raises DamagedStream when that was within a member."""
        if self._start < self._read_to:
            raise DamagedStream("ends within a gzip member")
        return False
