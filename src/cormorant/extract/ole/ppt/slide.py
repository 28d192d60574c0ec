"""The text of a slide, a page of notes or a master: [MS-PPT] 2.5 and 2.9."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Final

from cormorant.extract.html.links import MAX_ANCHOR
from cormorant.extract.ole.code_pages import DEFAULT_CODEC, joined_units, unit_text
from cormorant.extract.ole.office_art import property_texts
from cormorant.extract.ole.ppt.records import Kind, PptRecord, all_records, child_records

STAND_INS: Final = frozenset(
    (Kind.SLIDE_NUMBER, Kind.DATE_TIME, Kind.GENERIC_DATE, Kind.HEADER, Kind.FOOTER, Kind.FORMATTED_DATE)
)
"""Records after a text that say for what a character of it stands."""

_U32: Final = struct.Struct("<I")
_RANGE: Final = struct.Struct("<II")
_COMMENT_TEXT: Final = 1
_SHOWS: Final = ((0x04, 0), (0x10, 1), (0x20, 2))
"""Flags of headers and footers, each with the instance of its string: date, header, footer."""
_PROPERTY_TABLES: Final = (Kind.PROPERTIES, Kind.MORE_PROPERTIES, Kind.STILL_MORE_PROPERTIES)
_STAND_IN: Final = "*"
_LINES: Final = str.maketrans("\r\x0b", "\n\n")


@dataclass
class SlideText:
    """The text of a page in the order of its shapes.

    `outline` are the texts of its placeholders that lie in the outline; those that no shape shows come at the end.
    `links` are the words of hyperlinks by number. `own_only`: leave out placeholders, whose text is a prompt.
    """

    outline: list[str] = field(default_factory=list)
    own_only: bool = False
    lines: list[str] = field(default_factory=list)
    asides: list[str] = field(default_factory=list)
    links: dict[int, str] = field(default_factory=dict)
    _shape: list[str] = field(default_factory=list)
    _text: str = ""
    _stand_ins: list[int] = field(default_factory=list)
    _in_placeholder: bool = False
    _linked: int = 0
    _shown: set[int] = field(default_factory=set)

    def read(self, data: bytes, page: PptRecord) -> None:
        """Read the records of a page."""
        for record in all_records(data, page.start, page.end):
            self._read_record(record, data)
        self._end_shape()
        if not self.own_only:
            self.lines += [
                joined_units(text) for place, text in enumerate(self.outline) if text and place not in self._shown
            ]

    def _read_record(self, record: PptRecord, data: bytes) -> None:
        kind = record.kind
        if kind == Kind.SHAPE:
            self._end_shape()
        elif kind == Kind.PLACEHOLDER:
            self._in_placeholder = True
        elif kind in (Kind.TEXT_CHARACTERS, Kind.TEXT_BYTES):
            self._end_text()
            self._text = record_text(record, data)
        elif kind == Kind.OUTLINE_REFERENCE:
            self._refer(record.body(data))
        elif kind in STAND_INS:
            self._stand_ins.append(stand_in_place(record, data))
        elif kind in _PROPERTY_TABLES:
            self._shape += property_texts(record.body(data), record.instance)
        elif kind in (Kind.INTERACTIVE_ATOM, Kind.LINKED_TEXT):
            self._read_link(record, data)
        elif kind == Kind.COMMENT:
            self.asides += strings_of(record, data, _COMMENT_TEXT)
        elif kind == Kind.HEADERS_FOOTERS:
            self.asides += shown_strings(record, data)

    def _read_link(self, record: PptRecord, data: bytes) -> None:
        body = record.body(data)
        if len(body) < _RANGE.size:
            return
        first, last = _RANGE.unpack_from(body)
        if record.kind == Kind.INTERACTIVE_ATOM:
            self._linked = last
        else:
            self.links.setdefault(self._linked, joined_units(self._text[first : min(last, first + MAX_ANCHOR)]))

    def _refer(self, body: bytes) -> None:
        place = _U32.unpack_from(body)[0] if len(body) >= _U32.size else len(self.outline)
        if place < len(self.outline):
            self._end_text()
            self._shown.add(place)
            self._text = self.outline[place]

    def _end_text(self) -> None:
        text = without_stand_ins(self._text, self._stand_ins)
        if text.strip():
            self._shape.append(joined_units(text))
        self._text = ""
        self._stand_ins = []

    def _end_shape(self) -> None:
        self._end_text()
        if not (self.own_only and self._in_placeholder):
            self.lines += self._shape
        self._shape = []
        self._in_placeholder = False


def strings_of(container: PptRecord, data: bytes, *instances: int) -> list[str]:
    """Return the strings of a container that are of these instances."""
    children = child_records(data, container.start, container.end)
    return [
        joined_units(record_text(each, data))
        for each in children
        if each.kind == Kind.STRING and each.instance in instances
    ]


def shown_strings(container: PptRecord, data: bytes) -> list[str]:
    """Return date, header and footer as far as they are shown: [MS-PPT] 2.4.15."""
    flags = 0
    for each in child_records(data, container.start, container.end):
        if each.kind == Kind.HEADERS_FOOTERS_ATOM:
            flags = int.from_bytes(data[each.start + 2 : min(each.start + 4, each.end)], "little")
    return strings_of(container, data, *(instance for flag, instance in _SHOWS if flags & flag))


def record_text(record: PptRecord, data: bytes) -> str:
    """Return the text of a record of characters or bytes ([MS-PPT] 2.9.41 to 2.9.44), lines apart by newlines.

    Every character keeps its place: surrogates stay apart.
    """
    body = record.body(data)
    if record.kind == Kind.TEXT_BYTES:
        return body.decode(DEFAULT_CODEC, "replace").translate(_LINES)
    return unit_text(body).translate(_LINES)


def stand_in_place(record: PptRecord, data: bytes) -> int:
    """Return the place of the character that stands for a date, a slide number, a header or a footer; -1 for none."""
    body = record.body(data)
    return int(_U32.unpack_from(body)[0]) if len(body) >= _U32.size else -1


def without_stand_ins(text: str, places: list[int]) -> str:
    """Return `text` with a blank for each character that stands for something else."""
    if not places:
        return text
    characters = list(text)
    for place in places:
        if text[place : place + 1] == _STAND_IN:
            characters[place] = " "
    return "".join(characters)
