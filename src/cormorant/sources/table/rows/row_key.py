"""Addresses of rows: the values of their key columns, one path segment each.

    table://3/17                 key 17
    table://3/20417/3            a key of two columns
    table://3/17?attachment=scan the attachment in the column `scan` of that row

A segment is the text of a value, percent-encoded. One that is empty, would name a folder, or begins with `~` has a `~`
in front; `~x` in front of an even number of hexadecimal digits stands for bytes.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

ATTACHMENT: Final = "?attachment="
_HEX: Final = "~x"


class RowAddress(NamedTuple):
    """The key of a row as texts, bytes as bytes, and the attachment column, "" for the row itself."""

    key: tuple[str | bytes, ...]
    attachment: str = ""


def key_value(value: object) -> str | bytes:
    """Return the text by which a value of a key is known; bytes stay bytes."""
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    return str(value)


def row_path(address: RowAddress) -> str:
    """Return the address of a row or attachment behind that of its source."""
    path = "/".join(map(_segment, address.key))
    return f"{path}{ATTACHMENT}{_quoted(address.attachment)}" if address.attachment else path


def read_path(path: str) -> RowAddress | None:
    """Return what `row_path` was given; None for what it never gives."""
    front, mark, column = path.partition(ATTACHMENT)
    if "?" in front or (mark and not column):
        return None
    try:
        return RowAddress(tuple(map(_value, front.split("/"))), _unquoted(column))
    except ValueError:
        return None


def _segment(value: str | bytes) -> str:
    if isinstance(value, bytes):
        return _HEX + value.hex()
    return ("~" if value in ("", ".", "..") or value.startswith("~") else "") + _quoted(value)


def _value(segment: str) -> str | bytes:
    """Read a segment. Raises ValueError."""
    if segment.startswith(_HEX) and not segment.startswith("~~"):
        return bytes.fromhex(segment.removeprefix(_HEX))
    return _unquoted(segment.removeprefix("~"))


def _quoted(text: str) -> str:
    return quote(text.encode("utf-8", "surrogateescape"), safe="")


def _unquoted(text: str) -> str:
    return unquote(text, errors="surrogateescape")
