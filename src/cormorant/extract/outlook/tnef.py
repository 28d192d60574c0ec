"""Messages in the form that Outlook wraps them in for other Outlooks (winmail.dat): [MS-OXTNEF].

A message is a row of attributes; one of them holds properties as MAPI has them, others are older forms of the same.
Attributes of attachments follow those of the message, one attachment after the other.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import IntEnum
from typing import Final

from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.errors import Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.code_pages import DEFAULT_CODEC, code_page_codec
from cormorant.extract.ole.object_storage import unpack_object
from cormorant.extract.outlook.message import (
    MapiMessage,
    attachment_name,
    is_in_page,
    media_type,
    message_extraction,
    shown_parts,
    with_damage,
)
from cormorant.extract.outlook.property_bag import (
    BINARY,
    BYTE_TEXT,
    OBJECT,
    OF_FIXED_SIZE,
    SEVERAL,
    TIME,
    WIDE_TEXT,
    NamedProperty,
    PropertyBag,
    Tag,
)
from cormorant.model.content import Extraction

TNEF_MAGIC: Final = b"\x78\x9f\x3e\x22"
MAX_PROPERTIES: Final = 100_000
MAX_VALUES: Final = 10_000
MAX_ATTACHMENTS: Final = 10_000

_FIRST_ATTRIBUTE: Final = 6
_ATTRIBUTE: Final = struct.Struct("<BII")
_CHECKSUM_SIZE: Final = 2
_U32: Final = struct.Struct("<I")
_TYPE_AND_TAG: Final = struct.Struct("<HH")
_DATE: Final = struct.Struct("<6H")
_PERSON: Final = struct.Struct("<4xHH")
_SET_SIZE: Final = 16
_FIRST_NAMED: Final = 0x8000
_OF_ANY_SIZE: Final = (OBJECT, BYTE_TEXT, WIDE_TEXT, BINARY)
_MESSAGE_ID: Final = bytes.fromhex("0703020000000000C000000000000046")
_TNEF: Final = "application/vnd.ms-tnef"


class _Attribute(IntEnum):
    FROM = 0x8000
    SUBJECT = 0x8004
    DATE_SENT = 0x8005
    BODY = 0x800C
    ATTACHED_DATA = 0x800F
    ATTACHED_NAME = 0x8010
    NEW_ATTACHMENT = 0x9002
    PROPERTIES = 0x9003
    RECIPIENTS = 0x9004
    ATTACHED_PROPERTIES = 0x9005
    CODE_PAGE = 0x9007


_OLD_FORMS: Final = {_Attribute.SUBJECT: Tag.SUBJECT, _Attribute.BODY: Tag.BODY}


class _TnefValues:
    """Properties by number and type, each with its values."""

    def __init__(self) -> None:
        self.found: dict[tuple[int, int], list[bytes]] = {}

    def raw(self, tag: int, kind: int) -> bytes | None:
        values = self.found.get((tag, kind))
        return values[0] if values else None

    def raw_several(self, tag: int, kind: int) -> list[bytes]:
        return self.found.get((tag, kind | SEVERAL), [])

    def tags(self) -> Iterable[tuple[int, int]]:
        return self.found


@dataclass
class _Attachment:
    values: _TnefValues = field(default_factory=_TnefValues)
    body: bytes = b""


@dataclass
class _TnefMessage:
    """A message while its attributes are read."""

    values: _TnefValues = field(default_factory=_TnefValues)
    recipients: list[_TnefValues] = field(default_factory=list)
    attachments: list[_Attachment] = field(default_factory=list)
    named: dict[NamedProperty, int] = field(default_factory=dict)
    codec: str = DEFAULT_CODEC
    damaged: bool = False

    def bag(self, values: _TnefValues) -> PropertyBag:
        return PropertyBag(values, self.named, self.codec)


def extract_tnef(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the extraction of a message. Raises Unreadable for any other document."""
    found = _read(body)
    attachments = [found.bag(each.values) for each in found.attachments]
    message = MapiMessage(found.bag(found.values), [found.bag(each) for each in found.recipients], attachments)
    extraction = message_extraction(message, task)
    return with_damage(extraction) if found.damaged else extraction


def tnef_embedded_files(body: bytes) -> Iterator[EmbeddedFile]:
    """Yield the attachments of a message. Raises Unreadable when it is none."""
    found = _read(body)
    shown = shown_parts(found.bag(found.values))
    for each in found.attachments:
        bag = found.bag(each.values)
        file = None if is_in_page(bag, shown) else _attached(each, bag)
        if file is not None:
            yield file


def _attached(attachment: _Attachment, bag: PropertyBag) -> EmbeddedFile | None:
    name = attachment_name(bag)
    inner = attachment.values.raw(Tag.ATTACHED, OBJECT) or b""
    if inner.startswith(_MESSAGE_ID):
        return EmbeddedFile(f"{name}.dat" if name else "", inner[_SET_SIZE:], _TNEF)
    if inner:
        file = unpack_object(inner[_SET_SIZE:])
        return file and file._replace(path=file.path or name)
    body = attachment.body or attachment.values.raw(Tag.ATTACHED, BINARY)
    return EmbeddedFile(name, body, media_type(bag)) if body is not None else None


def _read(body: bytes) -> _TnefMessage:
    if not body.startswith(TNEF_MAGIC):
        raise Unreadable("it is no message of Outlook, or its first bytes are missing")
    message = _TnefMessage()
    place = _FIRST_ATTRIBUTE
    while place + _ATTRIBUTE.size <= len(body):
        level, attribute, size = _ATTRIBUTE.unpack_from(body, place)
        if level not in (1, 2):
            message.damaged = not message.values.found and not message.attachments
            break
        place += _ATTRIBUTE.size
        message.damaged |= place + size > len(body)
        _take(message, attribute & 0xFFFF, body[place : place + size])
        place += size + _CHECKSUM_SIZE
    return message


def _take(message: _TnefMessage, attribute: int, data: bytes) -> None:
    """Store the value of an attribute."""
    if attribute == _Attribute.CODE_PAGE and len(data) >= _U32.size:
        message.codec = code_page_codec(_U32.unpack_from(data)[0])
    elif attribute == _Attribute.PROPERTIES:
        _Properties(data, message).read_into(message.values)
    elif attribute == _Attribute.RECIPIENTS:
        message.recipients = _Properties(data, message).rows()
    elif attribute in _OLD_FORMS:
        message.values.found.setdefault((_OLD_FORMS[_Attribute(attribute)], BYTE_TEXT), [data])
    elif attribute == _Attribute.FROM and len(data) >= _PERSON.size:
        name, address = _PERSON.unpack_from(data)
        message.values.found.setdefault((Tag.SENDER_NAME, BYTE_TEXT), [data[_PERSON.size :][:name]])
        found = data[_PERSON.size + name :][:address].partition(b":")[2]
        message.values.found.setdefault((Tag.SENDER_ADDRESS, BYTE_TEXT), [found])
    elif attribute == _Attribute.DATE_SENT:
        message.values.found.setdefault((Tag.SENT_AT, TIME), [_moment(data)])
    elif attribute == _Attribute.NEW_ATTACHMENT and len(message.attachments) < MAX_ATTACHMENTS:
        message.attachments.append(_Attachment())
    elif message.attachments:
        _take_attached(message, attribute, data)


def _take_attached(message: _TnefMessage, attribute: int, data: bytes) -> None:
    attachment = message.attachments[-1]
    if attribute == _Attribute.ATTACHED_DATA:
        attachment.body = data
    elif attribute == _Attribute.ATTACHED_NAME:
        attachment.values.found.setdefault((Tag.SHORT_FILE_NAME, BYTE_TEXT), [data])
    elif attribute == _Attribute.ATTACHED_PROPERTIES:
        _Properties(data, message).read_into(attachment.values)


def _moment(data: bytes) -> bytes:
    """Return a date ([MS-OXTNEF] 2.1.3.3.5) as properties have it; none for a date that is none."""
    try:
        year, month, day, hour, minute, second = _DATE.unpack_from(data)
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except (struct.error, ValueError):
        return b""
    return int((moment - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds() * 10_000_000).to_bytes(8, "little")


class _Properties:
    """Reads a list of properties: [MS-OXTNEF] 2.1.3.4."""

    def __init__(self, data: bytes, message: _TnefMessage) -> None:
        self._data = data
        self._message = message
        self._place = 0

    def rows(self) -> list[_TnefValues]:
        rows: list[_TnefValues] = []
        for _ in range(self._number()):
            if self._place >= len(self._data):
                break
            rows.append(_TnefValues())
            self.read_into(rows[-1])
        return rows

    def read_into(self, values: _TnefValues) -> None:
        for _ in range(min(self._number(), MAX_PROPERTIES)):
            if self._place + _TYPE_AND_TAG.size > len(self._data):
                self._message.damaged = True
                return
            kind, tag = _TYPE_AND_TAG.unpack_from(self._data, self._place)
            self._place += _TYPE_AND_TAG.size
            if tag >= _FIRST_NAMED:
                self._read_name(tag)
            found = self._values(kind)
            if found is None:
                self._message.damaged = True
                return
            values.found[tag, kind] = found

    def _number(self) -> int:
        place, self._place = self._place, self._place + _U32.size
        return int(_U32.unpack_from(self._data, place)[0]) if self._place <= len(self._data) else 0

    def _bytes(self, size: int) -> bytes:
        """Return the next bytes; the next value begins at a multiple of four."""
        value = self._data[self._place : self._place + size]
        self._place += size + 3 & ~3
        return value

    def _read_name(self, tag: int) -> None:
        of = self._bytes(_SET_SIZE)
        name: int | str
        if self._number():
            name = self._bytes(self._number()).decode("utf-16-le", "replace").partition("\0")[0]
        else:
            name = self._number()
        self._message.named.setdefault((of, name), tag)

    def _values(self, kind: int) -> list[bytes] | None:
        """Return the values of a property, None for an unknown type, after which no value can be found."""
        several, kind = kind & SEVERAL, kind & ~SEVERAL
        fixed = OF_FIXED_SIZE.get(kind)
        if fixed is None and kind not in _OF_ANY_SIZE:
            return None
        count = self._number() if several or fixed is None else 1
        found: list[bytes] = []
        for _ in range(count):
            if self._place >= len(self._data):
                break
            found.append(self._bytes(self._number() if fixed is None else fixed))
        return found
