"""Title, author and the like of a document in an OLE file: its property sets, [MS-OLEPS].

SummaryInformation            title, subject, author, keywords, comments
DocumentSummaryInformation    category, company; a second set holds properties under names of the user's choice
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from cormorant.extract.detect.compound_file import Storage
from cormorant.extract.html.head import MAX_KEYWORDS
from cormorant.extract.ole.code_pages import DEFAULT_CODEC, code_page_codec, decode_text
from cormorant.extract.sanitize import MAX_VALUE, one_line
from cormorant.model.content import Value
from cormorant.model.no_text import OF_READING

SUMMARY: Final = "\x05SummaryInformation"
DOCUMENT_SUMMARY: Final = "\x05DocumentSummaryInformation"
MAX_CUSTOM: Final = 50
"""Properties under names of the user's choice that are kept."""

_MAX_PROPERTIES: Final = 4_096
_MAX_SETS: Final = 2
_HEADER_SIZE: Final = 28
_FORMAT_ID_SIZE: Final = 16

_NAMES: Final = 0
_CODE_PAGE: Final = 1
_TITLE: Final = 2
_AUTHOR: Final = 4
_KEYWORDS: Final = 5
_SUMMARY_NAMES: Final = {3: "Subject", 6: "Description"}
_DOCUMENT_NAMES: Final = {2: "Category", 15: "Company"}
_OF_PROGRAMS: Final = ("_", "MSIP_Label_")

_U32: Final = struct.Struct("<I")
_PAIR: Final = struct.Struct("<II")
_NUMBERS: Final = {
    0x02: struct.Struct("<h"), 0x03: struct.Struct("<i"), 0x04: struct.Struct("<f"), 0x05: struct.Struct("<d"),
    0x12: struct.Struct("<H"), 0x13: struct.Struct("<I"), 0x14: struct.Struct("<q"), 0x15: struct.Struct("<Q"),
    0x16: struct.Struct("<i"), 0x17: struct.Struct("<I"),
}  # fmt: skip
_OLD_DATE: Final = 0x07
_TEXTS: Final = (0x08, 0x1E)
_WIDE_TEXT: Final = 0x1F
_DATE: Final = 0x40
_DAY, _SECONDS = len("2026-03-14"), len("2026-03-14 10:15:20")
_OLD_EPOCH: Final = datetime(1899, 12, 30, tzinfo=UTC)
_EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)


class OfficeProperties(NamedTuple):
    """The title of a document, "" for none, and its attributes by search attribute name."""

    title: str
    attributes: dict[str, Value]


class _PropertySet(NamedTuple):
    values: dict[int, str | float]
    names: dict[int, str]

    def line(self, number: int) -> str:
        """Return a property of type text in one line, "" when there is none."""
        value = self.values.get(number, "")
        return one_line(value, MAX_VALUE) if isinstance(value, str) else ""


_EMPTY: Final = _PropertySet({}, {})


def read_properties(storage: Storage) -> OfficeProperties:
    """Return the properties of the document whose streams lie in a storage. Damaged ones are left out."""
    summary = next(_sets(storage.read(SUMMARY) or b""), _EMPTY)
    sets = _sets(storage.read(DOCUMENT_SUMMARY) or b"")
    document, custom = next(sets, _EMPTY), next(sets, _EMPTY)
    found: dict[str, Value] = {}
    authors = _several(summary.line(_AUTHOR), ";")
    found["Author"] = authors[0] if len(authors) == 1 else authors
    for names, properties in ((_SUMMARY_NAMES, summary), (_DOCUMENT_NAMES, document)):
        found |= {name: properties.line(number) for number, name in names.items()}
    found["Keywords"] = _several(summary.line(_KEYWORDS).replace(";", ","), ",")
    found = {name: value for name, value in found.items() if value}
    for name, value in _custom(custom):
        found.setdefault(name, value)
    return OfficeProperties(summary.line(_TITLE), found)


def _custom(properties: _PropertySet) -> list[tuple[str, str | float]]:
    named = ((one_line(name), properties.values.get(number, "")) for number, name in properties.names.items())
    kept = [(name, one_line(value, MAX_VALUE) if isinstance(value, str) else value) for name, value in named]
    return [each for each in kept if each[0] and each[1] != "" and not _is_reserved(each[0])][:MAX_CUSTOM]


def _is_reserved(name: str) -> bool:
    return name in OF_READING or name.startswith(_OF_PROGRAMS)


def _several(line: str, separator: str) -> tuple[str, ...]:
    lines = (one_line(each) for each in line.split(separator))
    return tuple(dict.fromkeys(each for each in lines if each))[:MAX_KEYWORDS]


def _sets(data: bytes) -> Iterator[_PropertySet]:
    """Yield the property sets of a stream: [MS-OLEPS] 2.21."""
    if len(data) < _HEADER_SIZE:
        return
    count = min(_U32.unpack_from(data, _HEADER_SIZE - 4)[0], _MAX_SETS)
    for place in range(count):
        at = _HEADER_SIZE + place * (_FORMAT_ID_SIZE + 4) + _FORMAT_ID_SIZE
        if at + 4 <= len(data):
            yield _property_set(data, _U32.unpack_from(data, at)[0])


def _property_set(data: bytes, start: int) -> _PropertySet:
    if start + 8 > len(data):
        return _EMPTY
    most = min(_U32.unpack_from(data, start + 4)[0], _MAX_PROPERTIES, (len(data) - start - 8) // 8)
    places = {number: start + offset for number, offset in _PAIR.iter_unpack(data[start + 8 : start + 8 + most * 8])}
    page = _value(data, places.get(_CODE_PAGE, len(data)), DEFAULT_CODEC)
    codec = code_page_codec(int(page)) if isinstance(page, (int, float)) else DEFAULT_CODEC
    names = _read_names(data, places.pop(_NAMES), codec) if _NAMES in places else {}
    values = ((number, _value(data, place, codec)) for number, place in places.items())
    return _PropertySet({number: value for number, value in values if value is not None}, names)


def _value(data: bytes, place: int, codec: str) -> str | float | None:
    """Return a property of type text, number or date; None for other types and for what lies beyond the end."""
    kind = _U32.unpack_from(data, place)[0] & 0xFFFF if place + 8 <= len(data) else 0
    place += 4
    if kind in _TEXTS or kind == _WIDE_TEXT:
        size = _U32.unpack_from(data, place)[0] * (2 if kind == _WIDE_TEXT else 1)
        text = data[place + 4 : place + 4 + min(size, MAX_VALUE * 8)]
        return decode_text(text, "utf-16-le" if kind == _WIDE_TEXT else codec)
    if kind in (_DATE, _OLD_DATE) and place + 8 <= len(data):
        return _date(data, place, kind)
    number = _NUMBERS.get(kind)
    if number is None or place + number.size > len(data):
        return None
    value: float = number.unpack_from(data, place)[0]
    return value if math.isfinite(value) else None


def _date(data: bytes, place: int, kind: int) -> str | None:
    """Return a date, with its time where it has one; Office writes a date as midnight or ten o'clock in UTC."""
    try:
        if kind == _DATE:
            moment = _EPOCH + timedelta(microseconds=_NUMBERS[0x15].unpack_from(data, place)[0] // 10)
        else:
            moment = _OLD_EPOCH + timedelta(days=_NUMBERS[0x05].unpack_from(data, place)[0])
    except (OverflowError, ValueError):
        return None
    if (moment.hour, moment.minute, moment.second) in ((0, 0, 0), (10, 0, 0)):
        return str(moment)[:_DAY]
    return str(moment)[:_SECONDS]


def _read_names(data: bytes, place: int, codec: str) -> dict[int, str]:
    """Return the names of a set's properties by number: [MS-OLEPS] 2.17."""
    names: dict[int, str] = {}
    wide = codec.startswith("utf-16")
    count = _U32.unpack_from(data, place)[0] if place + 4 <= len(data) else 0
    place += 4
    for _ in range(min(count, _MAX_PROPERTIES)):
        if place + 8 > len(data):
            break
        number, length = _PAIR.unpack_from(data, place)
        size = length * 2 if wide else length
        names[number] = decode_text(data[place + 8 : place + 8 + min(size, MAX_VALUE)], codec)
        place += 8 + (size + 3 & ~3 if wide else size)
    return names
