"""Records of a web archive, one after the other.

Damaged ones are counted and left out: reading goes on at the next record that can be found.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cormorant.sources.warc.byte_streams import DamagedStream, RecordStream
from cormorant.sources.warc.record_format import RecordFormat
from cormorant.sources.warc.record_head import RecordHead

MOST_DAMAGES: Final = 10_000
"""Damages of one file, after which the rest of it is left."""


class RecordReader:
    """Reads the records of one stream. `damages` counts what could not be read, `cut` says that it ends in a record."""

    def __init__(self, stream: RecordStream, form: RecordFormat) -> None:
        self._stream, self._form = stream, form
        self._left = 0
        self.damages, self.cut = 0, False

    def records(self) -> Iterator[RecordHead | None]:
        """Yield each record, and None where skipping a block takes long. `block` reads of the newest record."""
        while True:
            try:
                for left in self._stream.skipped(self._left):
                    self._left = left
                    yield None
                self._see_end()
                head = self._head()
            except DamagedStream as error:
                self._left = 0
                self.cut = "ends within" in str(error)
                if not self._recovered(count=not self.cut):
                    return
                continue
            if head is None:
                return
            self._left = head.length
            yield head

    def block(self, size: int) -> bytes:
        """Return the next bytes of the block of the newest record. Raises DamagedStream."""
        got = self._stream.read(min(size, self._left))
        self._left -= len(got)
        return got

    def first(self) -> RecordHead | None:
        """Return the record that begins here, None where none does."""
        try:
            head = self._head()
        except DamagedStream:
            return None
        self._left = head.length if head is not None else 0
        return head

    def _see_end(self) -> None:
        """Notice a block that is shorter than its record says."""
        if self._left:
            self.cut = self._stream.here() is None
            self.damages += not self.cut
            self._left = 0

    def _recovered(self, *, count: bool) -> bool:
        self.damages += count
        return self.damages < MOST_DAMAGES and self._stream.resync()

    def _head(self) -> RecordHead | None:
        """Read the head of the next record, None at the end. Raises DamagedStream for anything else."""
        place = self._stream.after_blanks()
        if place is None:
            return None
        return self._form.head(self._stream, place)
