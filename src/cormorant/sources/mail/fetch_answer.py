"""Answers of a server to LIST, FETCH and SEARCH as values (RFC 3501 7.2, 7.4); what cannot be read is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from email.utils import parsedate_to_datetime
from typing import Final, NamedTuple

from cormorant.sources.mail.wire import Answer

_UID: Final = re.compile(rb"\bUID (\d{1,10})\b", re.IGNORECASE)
_SIZE: Final = re.compile(rb"\bRFC822\.SIZE (\d{1,12})\b", re.IGNORECASE)
_RECEIVED: Final = re.compile(rb'\bINTERNALDATE "([^"]{1,60})"', re.IGNORECASE)
_LIST: Final = re.compile(rb'\(([^()]{0,1000})\) (?:"((?:[^"\\]|\\.)*)"|NIL) (.*)', re.IGNORECASE | re.DOTALL)
_LITERAL: Final = re.compile(rb"\{\d+\+?\}$")
_ESCAPED: Final = re.compile(rb"\\(.)", re.DOTALL)
_DATE: Final = re.compile(r"\s*(\d{1,2})-([A-Za-z]{3})-(\d{4}) (\d\d:\d\d:\d\d) ([+-]\d{4})")


class ImapFolder(NamedTuple):
    """A folder: its name as the server writes it, what stands between levels, and its attributes in small letters."""

    name: str
    separator: str
    attributes: frozenset[str]


class FetchedItem(NamedTuple):
    """Data of one message. `literal` is its body or header, None where none came; `received` is as it was sent."""

    uid: int
    size_bytes: int
    received: str
    literal: bytes | None


def folders_of(lines: Answer) -> Iterator[ImapFolder]:
    """Yield the folders of an answer to LIST; a name with a line end, which no command can hold, is left out."""
    for line in lines:
        head, literal = line if isinstance(line, tuple) else (line or b"", None)
        match = _LIST.match(head)
        if match is None:
            continue
        name = match[3].strip() if literal is None else literal
        if literal is None and name[:1] == b'"':
            name = _ESCAPED.sub(rb"\1", name[1:-1])
        if not name or any(byte < 32 or byte == 127 for byte in name):
            continue
        separator = _ESCAPED.sub(rb"\1", match[2] or b"").decode("ascii", "replace")
        attributes = frozenset(match[1].decode("ascii", "replace").lower().split())
        yield ImapFolder(name.decode("utf-8", "surrogateescape"), separator, attributes)


def items_of(lines: Answer) -> Iterator[FetchedItem]:
    """Yield the messages of an answer to FETCH that say their UID, before their literal or behind it."""
    head, literal = b"", None
    for line in (*lines, None):
        if isinstance(line, tuple):
            if head and not _continues(line[0]):
                yield from _item(head, literal)
                head, literal = b"", None
            head, literal = head + _LITERAL.sub(b"", line[0]), line[1]
        elif line is not None and literal is not None:
            yield from _item(head + line, literal)
            head, literal = b"", None
        elif line is not None:
            yield from _item(line, None)
    if head:
        yield from _item(head, literal)


def _continues(head: bytes) -> bool:
    """Say whether a line goes on with the message before it, which had a literal too."""
    return not head[:1].isdigit()


def _item(head: bytes, literal: bytes | None) -> Iterator[FetchedItem]:
    uid, size, received = _UID.search(head), _SIZE.search(head), _RECEIVED.search(head)
    if uid is not None:
        yield FetchedItem(
            int(uid[1]),
            int(size[1]) if size else 0,
            received[1].decode("ascii", "replace") if received else "",
            literal,
        )


def numbers_of(lines: Sequence[object]) -> set[int]:
    """Return the numbers of an answer to SEARCH."""
    words = (word for line in lines if isinstance(line, bytes) for word in line.split())
    return {int(word) for word in words if word.isdigit() and len(word) <= 10}


def epoch_of(received: str) -> float | None:
    """Return an INTERNALDATE in epoch seconds, None for what is none."""
    match = _DATE.match(received)
    if match is None:
        return None
    try:
        return parsedate_to_datetime(f"{match[1]} {match[2]} {match[3]} {match[4]} {match[5]}").timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
