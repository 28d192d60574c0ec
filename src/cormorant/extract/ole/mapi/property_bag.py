"""Properties of a message, a recipient or an attachment: [MS-OXPROPS], [MS-OXCDATA] 2.11."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from typing import Final, Protocol, TypeAlias

from cormorant.extract.ole.code_pages import DEFAULT_CODEC, code_page_codec, decode_text, language_codec


class Tag(IntEnum):
    """Numbers of properties that are read."""

    MESSAGE_CLASS = 0x001A
    SUBJECT = 0x0037
    SENT_AT = 0x0039
    SENT_FOR_NAME = 0x0042
    SENT_FOR_ADDRESS = 0x0065
    HEADERS = 0x007D
    SENDER_NAME = 0x0C1A
    RECIPIENT_TYPE = 0x0C15
    SENDER_ADDRESS = 0x0C1F
    DISPLAY_BCC = 0x0E02
    DISPLAY_CC = 0x0E03
    DISPLAY_TO = 0x0E04
    RECEIVED_AT = 0x0E06
    NORMALIZED_SUBJECT = 0x0E1D
    BODY = 0x1000
    BODY_RTF = 0x1009
    BODY_HTML = 0x1013
    MESSAGE_ID = 0x1035
    IN_REPLY_TO = 0x1042
    DISPLAY_NAME = 0x3001
    ADDRESS = 0x3003
    ATTACHED = 0x3701
    SHORT_FILE_NAME = 0x3704
    METHOD = 0x3705
    FILE_NAME = 0x3707
    MEDIA_TYPE = 0x370E
    CONTENT_ID = 0x3712
    FLAGS = 0x3714
    SMTP_ADDRESS = 0x39FE
    INTERNET_CODE_PAGE = 0x3FDE
    LOCALE = 0x3FF1
    CODE_PAGE = 0x3FFD
    SENDER_SMTP_ADDRESS = 0x5D01
    SENT_FOR_SMTP_ADDRESS = 0x5D02
    HIDDEN = 0x7FFE


INTEGER: Final = 0x03
BOOLEAN: Final = 0x0B
OBJECT: Final = 0x0D
BYTE_TEXT: Final = 0x1E
WIDE_TEXT: Final = 0x1F
TIME: Final = 0x40
BINARY: Final = 0x0102
SEVERAL: Final = 0x1000
"""Added to the type of a property that has several values."""
OF_FIXED_SIZE: Final = {
    0x02: 4, 0x03: 4, 0x04: 4, 0x05: 8, 0x06: 8, 0x07: 8, 0x0A: 4, 0x0B: 4, 0x14: 8, 0x40: 8, 0x48: 16,
}  # fmt: skip
"""Bytes of a value by type; shorter ones are padded to four."""

NamedProperty: TypeAlias = "tuple[bytes, int | str]"
"""The set of a property that has no number of its own (a GUID, 16 bytes), and its number or name there."""

_EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)
_U64: Final = struct.Struct("<Q")


class RawProperties(Protocol):
    """The values of properties as they are kept. Values of fixed size have up to 8 bytes."""

    def raw(self, tag: int, kind: int) -> bytes | None:
        """Return the value of a property of this type, None when there is none."""

    def raw_several(self, tag: int, kind: int) -> list[bytes]:
        """Return the values of a property that has several of this type."""

    def tags(self) -> Iterable[tuple[int, int]]:
        """Return number and type of every property."""


class PropertyBag:
    """The properties of one thing.

    `named` are the numbers that properties without one have here; `codec` is that of strings of bytes, "" to find it
    out from the properties themselves.
    """

    def __init__(self, values: RawProperties, named: Mapping[NamedProperty, int], codec: str = "") -> None:
        """Hold properties."""
        self.values = values
        self.named = named
        self.codec = codec or self._own_codec()

    def text(self, tag: int) -> str:
        """Return a string, "" when there is none."""
        wide = self.values.raw(tag, WIDE_TEXT)
        if wide is not None:
            return decode_text(wide, "utf-16-le")
        narrow = self.values.raw(tag, BYTE_TEXT)
        return "" if narrow is None else decode_text(narrow, self.codec)

    def texts(self, tag: int) -> list[str]:
        """Return the strings of a property that has several."""
        wide = self.values.raw_several(tag, WIDE_TEXT)
        if wide:
            return [decode_text(value, "utf-16-le") for value in wide]
        return [decode_text(value, self.codec) for value in self.values.raw_several(tag, BYTE_TEXT)]

    def number(self, tag: int) -> int:
        """Return a number or a truth value, 0 when there is none."""
        value = self.values.raw(tag, INTEGER)
        if value is None:
            return int.from_bytes((self.values.raw(tag, BOOLEAN) or b"")[:2], "little")
        return int.from_bytes(value[:4], "little")

    def binary(self, tag: int) -> bytes:
        """Return bytes, none when there are none."""
        return self.values.raw(tag, BINARY) or b""

    def moment(self, tag: int) -> datetime | None:
        """Return a moment in UTC, None when there is none or it is none."""
        value = self.values.raw(tag, TIME) or b""
        if len(value) < _U64.size:
            return None
        try:
            return _EPOCH + timedelta(microseconds=_U64.unpack_from(value)[0] // 10)
        except OverflowError:
            return None

    def tag_of(self, set_id: bytes, name: int | str) -> int:
        """Return the number that a property without one has here, 0 for none."""
        return self.named.get((set_id, name), 0)

    def html_codec(self) -> str:
        """Return the codec of bytes of HTML: [MS-OXCMSG] 2.2.1.58.6."""
        page = self.number(Tag.INTERNET_CODE_PAGE)
        return code_page_codec(page) if page else self.codec

    def _own_codec(self) -> str:
        for tag in (Tag.CODE_PAGE, Tag.INTERNET_CODE_PAGE):
            page = self.number(tag)
            if page and not code_page_codec(page).startswith("utf-16"):
                return code_page_codec(page)
        locale = self.number(Tag.LOCALE)
        return language_codec(locale) if locale else DEFAULT_CODEC
