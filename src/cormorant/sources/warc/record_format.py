"""The formats of records in archives: WARC 0.17 to 1.1 [ISO 28500 section 4], ARC 1 [Internet Archive, ArcFileFormat].

    WARC/1.1 CRLF  fields CRLF  CRLF  block                  CRLF CRLF
    address address-of-the-server time type length LF  block LF

An ARC file begins with a record about itself, whose address has the scheme filedesc.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from cormorant.sources.warc.byte_streams import DamagedStream, MemberPlace, RecordMarks, RecordStream, marks_of
from cormorant.sources.warc.record_head import RecordHead

LONGEST_LINE: Final = 1 << 16
"""Bytes of a line of a record's head."""
MOST_FIELDS: Final = 1_000
_LENGTH: Final = re.compile(r"\d{1,18}")
_VERSION: Final = re.compile(rb"WARC/[01]\.\d{1,3}\s*")
_ARC_LINE: Final = (
    rb"[A-Za-z][A-Za-z0-9+.-]{0,30}+:(?=[^\n]{0,3261} \d{1,18}+\r?\n)"
    rb"[^\n]{0,3000} [0-9A-Fa-f.:-]{1,40}+ \d{12,17}+ (?=[^\n]{3,220}+\n)[^\n]{1,200} \d{1,18}+\r?\n"
)
"""It looks at the end of a line first, so that its time is proportional to the length of the line."""
_HTTP: Final = re.compile(rb"(?:HTTP/|ICY )")


class RecordFormat(NamedTuple):
    """A format: the look of a record's beginning, and how its head is read, which raises DamagedStream."""

    marks: RecordMarks
    head: Callable[[RecordStream, MemberPlace], RecordHead]


def format_of(name: str) -> RecordFormat:
    """Return the format of an archive by its name."""
    return ARC if name.lower().endswith((".arc", ".arc.gz")) else WARC


def _warc_head(stream: RecordStream, place: MemberPlace) -> RecordHead:
    line = stream.line(LONGEST_LINE)
    if not _VERSION.fullmatch(line):
        raise DamagedStream("begins with something else than a record")
    fields = _fields(stream)
    length = fields.get("content-length", "")
    if not _LENGTH.fullmatch(length):
        raise DamagedStream("has a record without a length")
    return RecordHead(place, fields, int(length))


def _fields(stream: RecordStream) -> dict[str, str]:
    """Read the fields of a head; a line with a blank before it belongs to the last one. Raises DamagedStream."""
    found, name = dict[str, str](), ""
    for _ in range(MOST_FIELDS):
        line = stream.line(LONGEST_LINE)
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


def _arc_head(stream: RecordStream, place: MemberPlace) -> RecordHead:
    """Read the line before a document; its address may have blanks, so that it is read from its end."""
    line = stream.line(LONGEST_LINE)
    if not line.endswith(b"\n"):
        raise DamagedStream("ends within the head of a record")
    if not ARC.marks.start.fullmatch(line):
        raise DamagedStream("begins with something else than a record")
    words = line.decode("utf-8", "replace").rstrip().split(" ")
    at = max(number for number, word in enumerate(words[:-2]) if number > 1 and _is_time(word))
    target, length = " ".join(words[: at - 1]), int(words[-1])
    fields = {"warc-target-uri": target, "warc-date": _moment(words[at]), "content-length": words[-1]}
    if target.lower().startswith("filedesc:"):
        fields["warc-type"] = "warcinfo"
    elif _HTTP.match(stream.beginning(min(length, 5))):
        fields |= {"warc-type": "response", "content-type": "application/http; msgtype=response"}
    else:
        media_type = " ".join(words[at + 1 : -1])
        fields |= {"warc-type": "resource", "content-type": "" if media_type == "no-type" else media_type}
    return RecordHead(place, fields, length)


def _is_time(word: str) -> bool:
    return word.isdecimal() and 12 <= len(word) <= 17


def _moment(digits: str) -> str:
    """Return a time like 20260102030405 as WARC writes it; some writers leave out the seconds."""
    digits = digits.ljust(14, "0")
    day = "-".join((digits[:4], digits[4:6], digits[6:8]))
    return f"{day}T{digits[8:10]}:{digits[10:12]}:{digits[12:14]}Z"


WARC: Final = RecordFormat(marks_of(rb"WARC/"), _warc_head)
ARC: Final = RecordFormat(marks_of(_ARC_LINE), _arc_head)
