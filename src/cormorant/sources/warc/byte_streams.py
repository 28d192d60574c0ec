"""The bytes of an archive as records lie in them, with places that lead back to each.

    MemberPlace(start, skip)   start: where a gzip member, or in a plain file the record, begins; skip: bytes into it

A gzip member a record is what writers of archives do [ISO 28500 annex D]; a file that was compressed as a whole is one
member, in which `skip` leads to a record.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

CHUNK: Final = 1 << 16
"""Bytes that are read at once."""
INFLATED: Final = 1 << 18
"""Bytes that one step may inflate to."""
PATIENCE: Final = 64 << 20
"""Bytes that are skipped before whoever waits hears that it goes on."""
MOST_BLANKS: Final = 1 << 20
"""Bytes of empty lines between two records."""
_BLANKS: Final = b" \t\r\n"
GZIP_MAGIC: Final = b"\x1f\x8b\x08"
RECORD_MAGIC: Final = b"WARC/"


class DamagedStream(Exception):
    """The bytes at this place are no gzip member, or end within one. The message is a phrase."""


class MemberPlace(NamedTuple):
    """A place in an archive."""

    start: int
    skip: int = 0


class SeekableFile(Protocol):
    """The operations of a file that a stream needs."""

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes, fewer at the end."""
        ...

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Go to a place."""
        ...


class RecordStream:
    """The decoded bytes of an archive from a place on. Subclasses say how more of them come."""

    def __init__(self, file: SeekableFile, start: int = 0) -> None:
        self._file, self._start, self._taken = file, start, 0
        self._buffer = bytearray()
        file.seek(start)

    def here(self) -> MemberPlace | None:
        """Return the place of the next byte, None at the end. Raises DamagedStream."""
        if not self._buffer and not self._fill():
            return None
        return MemberPlace(self._start, self._taken)

    def after_blanks(self) -> MemberPlace | None:
        """Return the place of the next byte that is no blank and no end of a line, None at the end.

        Raises DamagedStream.
        """
        skipped = 0
        while (place := self.here()) is not None and self._buffer[0] in _BLANKS:
            skipped += len(self._take(len(self._buffer) - len(self._buffer.lstrip(_BLANKS))))
            if skipped > MOST_BLANKS:
                raise DamagedStream("has nothing but blanks where a record would begin")
        return place

    def line(self, most: int) -> bytes:
        """Return the next line with its end, at most so many bytes of it; b"" at the end. Raises DamagedStream."""
        found = bytearray()
        while len(found) < most and self._more():
            end = self._buffer.find(b"\n", 0, most - len(found))
            found += self._take(most - len(found) if end < 0 else end + 1)
            if end >= 0:
                break
        return bytes(found)

    def read(self, size: int) -> bytes:
        """Return the next bytes, fewer where they end, or are damaged. Raises DamagedStream when there are none."""
        found = bytearray()
        try:
            while len(found) < size and self._more():
                found += self._take(size - len(found))
        except DamagedStream:
            if not found:
                raise
        return bytes(found)

    def skipped(self, size: int) -> Iterator[int]:
        """Skip bytes; yields now and then how many are left, at last those that were missing. Raises DamagedStream."""
        since = 0
        while size > 0 and self._more():
            step = len(self._take(min(size, INFLATED)))
            size, since = size - step, since + step
            if since >= PATIENCE:
                since = 0
                yield size
        yield size

    def resync(self) -> bool:
        """Go on at the next place where a record may begin; False where there is none."""
        raise NotImplementedError

    def _more(self) -> bool:
        """Have bytes of this record in the buffer; False at the end, or where the next member begins another record."""
        if self._buffer:
            return True
        member = self._start
        return self._fill() and (self._start == member or not self._buffer.startswith(RECORD_MAGIC))

    def _fill(self) -> bool:
        """Have bytes in the empty buffer; False at the end. Raises DamagedStream."""
        raise NotImplementedError

    def _take(self, size: int) -> bytes:
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        self._taken += len(taken)
        return taken

    def _search(self, start: int, magic: bytes) -> int:
        """Return where the magic stands next from a place in the file on, -1 when nowhere."""
        self._file.seek(start)
        at, kept = start, b""
        while chunk := self._file.read(CHUNK):
            window = kept + chunk
            if (found := window.find(magic)) >= 0:
                return at - len(kept) + found
            at += len(chunk)
            kept = window[-len(magic) + 1 :]
        return -1


class PlainStream(RecordStream):
    """A file that is not compressed."""

    def here(self) -> MemberPlace | None:
        """Return the place of the next byte in the file."""
        place = super().here()
        return MemberPlace(place.start + place.skip) if place is not None else None

    def resync(self) -> bool:
        """Go on at the next line that begins as a record does."""
        found = self._search(self._start + self._taken, b"\n" + RECORD_MAGIC)
        if found < 0:
            return False
        self._buffer.clear()
        self._start, self._taken = found + 1, 0
        self._file.seek(self._start)
        return True

    def _fill(self) -> bool:
        chunk = self._file.read(CHUNK)
        self._buffer += chunk
        return bool(chunk)


class GzipStream(RecordStream):
    """A file of gzip members (RFC 1952)."""

    def __init__(self, file: SeekableFile, start: int = 0) -> None:
        super().__init__(file, start)
        self._inflating = zlib.decompressobj(wbits=31)
        self._raw, self._read_to = b"", start

    def resync(self) -> bool:
        """Go on at the next bytes behind the start of this member that may begin one."""
        found = self._search(self._start + 1, GZIP_MAGIC)
        if found < 0:
            return False
        self._buffer.clear()
        self._begin(found, b"")
        self._file.seek(found)
        return True

    def _begin(self, start: int, raw: bytes) -> None:
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
            self._buffer += self._inflating.decompress(data, INFLATED)
        except zlib.error as error:
            raise DamagedStream("is no gzip member, or a damaged one") from error

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


def stream_of(file: SeekableFile, start: int = 0) -> RecordStream:
    """Return the stream of a file from a place on, by its first bytes."""
    file.seek(0)
    kind = GzipStream if file.read(2) == GZIP_MAGIC[:2] else PlainStream
    return kind(file, start)
