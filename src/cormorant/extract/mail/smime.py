"""Content of a mail that is signed and not encrypted, within its signature: CMS SignedData (RFC 5652 5, RFC 8551).

Read by its few outer elements in BER; the signature is not verified.
"""

from __future__ import annotations

from typing import Final, NamedTuple

_SIGNED_DATA: Final = bytes((0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02))
_SEQUENCE: Final = 0x30
_SET: Final = 0x31
_OID: Final = 0x06
_INTEGER: Final = 0x02
_OCTETS: Final = 0x04
_CONSTRUCTED_OCTETS: Final = 0x24
_FIRST: Final = 0xA0
_MAX_PIECES: Final = 1_000_000


class _Element(NamedTuple):
    """An element: its tag, where its content begins and ends. `end` is None for one that ends by a mark."""

    tag: int
    start: int
    end: int | None


class _NoContentError(Exception):
    """The bytes are none of the structure that is looked for."""


def signed_content(data: bytes) -> bytes | None:
    """Return the content that was signed, None when there is none or it cannot be found."""
    try:
        return _content(data)
    except (_NoContentError, IndexError):
        return None


def _content(data: bytes) -> bytes:
    place = _entered(data, 0, _SEQUENCE).start
    kind = _entered(data, place, _OID)
    if data[kind.start : kind.end] != _SIGNED_DATA or kind.end is None:
        raise _NoContentError
    place = _entered(data, _entered(data, kind.end, _FIRST).start, _SEQUENCE).start
    place = _behind(data, place, _INTEGER)
    place = _behind(data, place, _SET)
    place = _entered(data, place, _SEQUENCE).start
    place = _behind(data, place, _OID)
    element = _element(data, _entered(data, place, _FIRST).start)
    if element.tag == _OCTETS and element.end is not None:
        return data[element.start : element.end]
    if element.tag == _CONSTRUCTED_OCTETS:
        return b"".join(_pieces(data, element))
    raise _NoContentError


def _pieces(data: bytes, whole: _Element) -> list[bytes]:
    """Return the pieces of octets that are sent in several."""
    pieces: list[bytes] = []
    place = whole.start
    end = len(data) if whole.end is None else min(whole.end, len(data))
    while place < end and data[place] == _OCTETS and len(pieces) < _MAX_PIECES:
        piece = _element(data, place)
        if piece.end is None:
            raise _NoContentError
        pieces.append(data[piece.start : piece.end])
        place = piece.end
    return pieces


def _entered(data: bytes, place: int, tag: int) -> _Element:
    element = _element(data, place)
    if element.tag != tag:
        raise _NoContentError
    return element


def _behind(data: bytes, place: int, tag: int) -> int:
    """Return the place behind an element with a known end."""
    element = _entered(data, place, tag)
    if element.end is None:
        raise _NoContentError
    return element.end


def _element(data: bytes, place: int) -> _Element:
    tag, length = data[place], data[place + 1]
    place += 2
    if length == 0x80:
        return _Element(tag, place, None)
    if length & 0x80:
        count = length & 0x7F
        if count > 8:
            raise _NoContentError
        length = int.from_bytes(data[place : place + count], "big")
        place += count
    return _Element(tag, place, place + length)
