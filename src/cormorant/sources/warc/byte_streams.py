"""The bytes of an archive as records lie in them, with places that lead back to each.

    MemberPlace(start, skip)   start: where a gzip member, a Zstandard frame, or in a plain file the record, begins;
                               skip: bytes into it

A gzip member or a frame for each record is what writers of archives do [ISO 28500 annex D]; a file that was compressed
as a whole is one member, in which `skip` leads to a record.
"""

from __future__ import annotations

import re
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
LONGEST_MARK: Final = 1 << 12
"""Bytes of the longest beginning of a record or a member that is searched for."""
FREE_BYTES: Final = 1 << 30
MOST_RATIO: Final = 200
"""Times its size that a file may inflate to, once it has inflated to `FREE_BYTES`."""
_BLANKS: Final = b" \t\r\n"


class DamagedStream(Exception):
    """The bytes at this place are no member of an archive, or end within one. The message is a phrase."""


class RecordMarks(NamedTuple):
    """The look of a record's beginning: `start` matches it, `next` finds an end of line and it."""

    start: re.Pattern[bytes]
    next: re.Pattern[bytes]


def marks_of(beginning: bytes) -> RecordMarks:
    """Return the marks of records that begin like a regular expression."""
    return RecordMarks(re.compile(beginning), re.compile(b"\n(?=%s)" % beginning))


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

    def __init__(self, file: SeekableFile, marks: RecordMarks, start: int = 0) -> None:
        self._file, self._marks, self._start, self._taken = file, marks, start, 0
        self._buffer = bytearray()
        self._record_ended = False
        file.seek(start)

    def here(self) -> MemberPlace | None:
        """Return the place of the next byte, None at the end. Raises DamagedStream."""
        self._record_ended = False
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

    def beginning(self, size: int) -> bytes:
        """Return the next bytes of this record, which are read again afterwards; fewer at its end."""
        try:
            found = self.read(size)
        except DamagedStream:
            return b""
        if not self._record_ended:
            self._buffer[:0] = found
            self._taken -= len(found)
        return found

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
        if self._buffer or self._record_ended:
            return not self._record_ended
        member, filled = self._start, self._fill()
        self._record_ended = filled and self._start != member and self._marks.start.match(self._buffer) is not None
        return filled and not self._record_ended

    def _fill(self) -> bool:
        """Have bytes in the empty buffer; False at the end. Raises DamagedStream."""
        raise NotImplementedError

    def _take(self, size: int) -> bytes:
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        self._taken += len(taken)
        return taken

    def _search(self, start: int, mark: re.Pattern[bytes]) -> int:
        """Return where a mark stands next from a place in the file on, -1 when nowhere."""
        self._file.seek(start)
        at, kept = start, b""
        while chunk := self._file.read(CHUNK):
            window = kept + chunk
            if found := mark.search(window):
                return at - len(kept) + found.start()
            at += len(chunk)
            kept = window[-LONGEST_MARK:]
        return -1


class PackedStream(RecordStream):
    """A file of compressed members, one behind the other. `_inflated` counts what they give."""

    MAGIC: re.Pattern[bytes]

    def __init__(self, file: SeekableFile, marks: RecordMarks, start: int = 0) -> None:
        super().__init__(file, marks, start)
        self._from, self._inflated, self._is_bomb = start, 0, False

    def resync(self) -> bool:
        """Go on at the next bytes behind the start of this member that may begin one."""
        if self._is_bomb:
            return False
        found = self._search(self._start + 1, self.MAGIC)
        if found < 0:
            return False
        self._buffer.clear()
        self._begin(found)
        self._file.seek(found)
        return True

    def _begin(self, start: int) -> None:
        """Expect a member at a place of the file, of which nothing was read yet."""
        raise NotImplementedError

    def _gain(self, data: bytes, read_to: int) -> None:
        """Put what was inflated into the buffer. Raises DamagedStream for a file that inflates beyond measure."""
        self._buffer += data
        self._inflated += len(data)
        if self._inflated > max(FREE_BYTES, MOST_RATIO * (read_to - self._from)):
            self._is_bomb = True
            raise DamagedStream(f"inflates to more than {MOST_RATIO} times its size")


class PlainStream(RecordStream):
    """A file that is not compressed."""

    def here(self) -> MemberPlace | None:
        """Return the place of the next byte in the file."""
        place = super().here()
        return MemberPlace(place.start + place.skip) if place is not None else None

    def resync(self) -> bool:
        """Go on at the next line that begins as a record does."""
        found = self._search(self._start + self._taken, self._marks.next)
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
