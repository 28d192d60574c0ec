"""Header fields of a mail as text: encoded words, raw characters of any charset, addresses, dates.

Sources: RFC 5322, RFC 2047, and senders that follow neither.
"""

from __future__ import annotations

import binascii
import re
from email.utils import parsedate_to_datetime
from typing import Final

from cormorant.extract.mail.charset import text_of_bytes
from cormorant.extract.sanitize import MAX_VALUE, one_line

MAX_ADDRESSES: Final = 200
"""Addresses of a field that are kept."""
MAX_DECODED: Final = 64 * 1024
"""Bytes of a field that are read."""

_WORD: Final = re.compile(rb"=\?([^?\s]{1,60})\?([qQbB])\?([^?\r\n]{0,1000})\?=")
_FOLDED: Final = re.compile(rb"\r?\n[ \t]*")
_ID: Final = re.compile(r"<([^<>\s]{1,500})>")


def decoded_field(raw: bytes, charset: str = "") -> str:
    """Return the text of a field in one line. `charset` is for characters that no encoded word says it of."""
    raw = _FOLDED.sub(b" ", raw[:MAX_DECODED]).strip()
    if b"=?" not in raw:
        return text_of_bytes(raw, charset)
    pieces: list[str] = []
    place = 0
    words: list[tuple[str, bytes]] = []
    for match in _WORD.finditer(raw):
        between = raw[place : match.start()]
        if between.strip() or not words:
            pieces.append(_joined(words))
            pieces.append(text_of_bytes(between, charset))
            words = []
        words.append((match[1].decode("ascii", "replace").partition("*")[0], _word(match[2], match[3])))
        place = match.end()
    return "".join((*pieces, _joined(words), text_of_bytes(raw[place:], charset)))


def _joined(words: list[tuple[str, bytes]]) -> str:
    """Return adjacent encoded words as text. A character may be torn between two: those of one charset are one."""
    pieces: list[tuple[str, bytes]] = []
    for label, data in words:
        if pieces and pieces[-1][0].lower() == label.lower():
            pieces[-1] = (label, pieces[-1][1] + data)
        else:
            pieces.append((label, data))
    return "".join(text_of_bytes(data, label) for label, data in pieces)


def _word(coding: bytes, data: bytes) -> bytes:
    if coding in b"qQ":
        return binascii.a2b_qp(data, header=True)
    letters = data.rstrip(b"=")
    letters = letters[: len(letters) - (len(letters) % 4 == 1)]
    try:
        return binascii.a2b_base64(letters + b"=" * (-len(letters) % 4))
    except binascii.Error:
        return data


def addresses(raw: bytes, charset: str = "") -> tuple[str, ...]:
    """Return the addresses of a field, each with the name before it: "Anna Beispiel <anna@example.org>"."""
    found: dict[str, None] = {}
    for piece in _split(_FOLDED.sub(b" ", raw[:MAX_DECODED])):
        text = decoded_field(piece, charset).replace("\\", "").replace('"', "")
        line = one_line(text.strip(" \t;"), MAX_VALUE)
        if line.startswith("<") and line.endswith(">"):
            line = line[1:-1]
        if line and not line.endswith(":"):
            found[line] = None
        if len(found) == MAX_ADDRESSES:
            break
    return tuple(found)


def _split(raw: bytes) -> list[bytes]:
    """Split at commas that stand in no quoted name, address or comment."""
    pieces: list[bytes] = []
    start = depth = 0
    quoted = escaped = False
    for place, byte in enumerate(raw):
        if escaped:
            escaped = False
        elif byte == 0x5C:
            escaped = True
        elif byte == 0x22:
            quoted = not quoted
        elif not quoted and byte in b"<(":
            depth += 1
        elif not quoted and byte in b">)":
            depth = max(0, depth - 1)
        elif byte == 0x2C and not quoted and not depth:
            pieces.append(raw[start:place])
            start = place + 1
    return [*pieces, raw[start:]]


def epoch_of(raw: bytes) -> float | None:
    """Return the moment that a Date field names in epoch seconds, None when it names none."""
    try:
        return parsedate_to_datetime(raw[:200].decode("ascii", "replace")).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError, AttributeError):
        return None


def message_ids(raw: bytes) -> tuple[str, ...]:
    """Return the identifiers of a Message-ID, References or In-Reply-To field, without their brackets."""
    found = _ID.findall(raw[:MAX_DECODED].decode("ascii", "replace"))
    return tuple(dict.fromkeys(one_line(each) for each in found))[:MAX_ADDRESSES]
