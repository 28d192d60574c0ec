"""Keys of the Info dictionary of a PDF (ISO 32000-1, 14.3.3): PDFium returns values only by their keys.

trailer ──/Info──> number of the object ──> dictionary, plain or in an object stream (7.5.7) ──> its keys

A wrong key does no harm: PDFium has no value for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from cormorant.extract.pdf.metadata.typed_streams import typed_streams

MAX_KEYS: Final = 1_000
MAX_DICTIONARY: Final = 256 * 1024
"""Bytes of the dictionary that are read."""
MAX_OBJECT_STREAMS: Final = 200
"""Object streams, from the end of the file, in which the dictionary is looked for."""

_REFERENCE: Final = re.compile(rb"/Info\s{1,9}(\d{1,9})\s{1,9}(\d{1,5})\s{1,9}R\b")
_TRIED: Final = 20
"""Mentions of the dictionary, from the end of the file, that are tried."""
_FIRST: Final = re.compile(rb"/First\s{1,9}(\d{1,9})\b")
_TOKEN: Final = re.compile(rb"%[^\r\n]*|/([^\x00\s()<>\[\]{}/%]*)|(<<|\[)|(>>|\])|(\()|<[^<>]*>|[^\x00\s()<>\[\]{}/%]+")
_PARENTHESIS: Final = re.compile(rb"\\.|[()]", re.DOTALL)
_HEXADECIMAL: Final = re.compile(rb"#([0-9A-Fa-f]{2})")


def info_keys(body: bytes) -> list[bytes]:
    """Return the keys of the Info dictionary in their order, none when it cannot be found."""
    reference = _reference(body)
    dictionary = _dictionary(body, *reference) if reference else b""
    keys: dict[bytes, None] = {}
    for key in _keys(dictionary):
        keys[key] = None
        if len(keys) >= MAX_KEYS:
            break
    return list(keys)


def _reference(body: bytes) -> tuple[int, int] | None:
    """Return number and generation of the dictionary as the last trailer names them."""
    end = len(body)
    for _ in range(_TRIED):
        end = body.rfind(b"/Info", 0, end)
        if end < 0:
            return None
        match = _REFERENCE.match(body, end)
        if match is not None:
            return int(match[1]), int(match[2])
    return None


def _dictionary(body: bytes, number: int, generation: int) -> bytes:
    head = b"%d %d obj" % (number, generation)
    place = body.rfind(head)
    while place > 0 and body[place - 1 : place].isdigit():
        place = body.rfind(head, 0, place)
    if place >= 0:
        return body[place + len(head) : place + len(head) + MAX_DICTIONARY]
    for stream in typed_streams(body, b"ObjStm", MAX_OBJECT_STREAMS):
        first = _FIRST.search(stream.dictionary)
        numbers = stream.data[: int(first[1])].split() if first else []
        places = dict(zip(numbers[::2], numbers[1::2], strict=False))
        offset = places.get(b"%d" % number, b"")
        if first and offset.isdigit() and len(offset) < 10:
            start = int(first[1]) + int(offset)
            return stream.data[start : start + MAX_DICTIONARY]
    return b""


def _keys(data: bytes) -> Iterator[bytes]:
    """Yield the keys of the outermost dictionary whose value may be a string: it is one, or a reference."""
    depth, place = 0, 0
    key: bytes | None = None
    while (match := _TOKEN.search(data, place)) is not None:
        place = match.end()
        name, opens, closes, string = match.groups()
        depth += (opens is not None) - (closes is not None)
        if string:
            place = _string_end(data, place)
        if depth <= 0:
            return
        if depth > 1 or match[0].startswith(b"%"):
            continue
        if key is not None:
            if name is None and not closes:
                yield _HEXADECIMAL.sub(lambda code: bytes.fromhex(code[1].decode()), key)
            key = None
        else:
            key = name


def _string_end(data: bytes, place: int) -> int:
    """Return where a string ends whose opening parenthesis lies before `place`."""
    depth = 1
    for match in _PARENTHESIS.finditer(data, place):
        depth += {b"(": 1, b")": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    return len(data)
