"""Records of a web archive, one after the other: WARC 0.17 to 1.1 [ISO 28500 section 4].

    WARC/1.1 CRLF  fields CRLF  CRLF  block  CRLF CRLF

A damaged record is counted and left out: reading goes on at the next record that can be found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from cormorant.sources.warc.byte_streams import RECORD_MAGIC, DamagedStream, MemberPlace, RecordStream

LONGEST_LINE: Final = 1 << 16
"""Bytes of a line of a record's head."""
MOST_FIELDS: Final = 1_000
MOST_DAMAGES: Final = 10_000
"""Damages of one file, after which the rest of it is left."""
_LENGTH: Final = re.compile(r"\d{1,18}")
_VERSION: Final = re.compile(rb"WARC/[01]\.\d{1,3}\s*")


class RecordHead(NamedTuple):
    """A record before its block is read: where it begins, its fields by lower-case name, and the size of its block."""

    place: MemberPlace
    fields: Mapping[str, str]
    length: int

    @property
    def kind(self) -> str:
        """The type: response, resource, revisit, request, metadata, warcinfo, conversion or continuation."""
        return self.fields.get("warc-type", "").lower()

    @property
    def target(self) -> str:
        """The address that was captured; some writers put it between angle brackets."""
        return self.fields.get("warc-target-uri", "").strip().removeprefix("<").removesuffix(">")


class RecordReader:
    """Reads the records of one stream. `damages` counts what could not be read, `cut` says that it ends in a record."""

    def __init__(self, stream: RecordStream) -> None:
        self._stream = stream
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
        line = self._stream.line(LONGEST_LINE)
        if not line.startswith(RECORD_MAGIC) or not _VERSION.fullmatch(line):
            raise DamagedStream("begins with something else than a record")
        fields = self._fields()
        length = fields.get("content-length", "")
        if not _LENGTH.fullmatch(length):
            raise DamagedStream("has a record without a length")
        return RecordHead(place, fields, int(length))

    def _fields(self) -> dict[str, str]:
        """Read the fields of a head; a line with a blank before it belongs to the last one. Raises DamagedStream."""
        found, name = dict[str, str](), ""
        for _ in range(MOST_FIELDS):
            line = self._stream.line(LONGEST_LINE)
            if not line.endswith(b"\n"):
                raise DamagedStream("ends within the head of a record")
            if not line.strip():
                return found
            text = line.decode("utf-8", "replace")
            if text[0] in " \t" and name:
                found[name] += f" {text.strip()}"
                continue
            name, _, value = text.partition(":")
            name = name.strip().lower()
            found[name] = value.strip()
        raise DamagedStream("has a record with too many fields")
