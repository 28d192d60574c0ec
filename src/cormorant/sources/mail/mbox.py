"""Messages of an mbox file (RFC 4155), each known by its own identity and not by its place in the file.

A program that compacts the file moves its messages; each keeps its address. The identity is that of its Message-ID,
else of its content; the second message of one identity has .2 behind it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from xxhash import xxh3_64_hexdigest, xxh3_64_intdigest, xxh3_128

from cormorant.model.text.postmark import LONGEST, is_postmark, without_quotes
from cormorant.sources.mail.beneath import PIECE, read_range
from cormorant.sources.mail.message_head import MOST, fields_of, head_end, is_hidden, message_id, without_status

MAX_MESSAGES: Final = 5_000_000
"""Messages of one file that are named."""


class MboxMessage(NamedTuple):
    """A message: its name, its version, where it lies, and the fields of its header."""

    name: str
    version: str
    start: int
    end: int
    fields: Mapping[str, bytes]


def begins_as_mbox(fd: int) -> bool:
    """Say whether a file begins with a message, or is an mbox without any: an empty file is none."""
    head = os.pread(fd, LONGEST * 2, 0)
    return is_postmark(head, len(head) - len(head.lstrip(b"\r\n")))


def messages_of(fd: int) -> Iterator[MboxMessage]:
    """Yield the messages of a file that a mail program shows, in their order, reading it from end to end twice."""
    several: dict[int, int] = {}
    known = set[int]()
    for number, (start, end) in enumerate(_bounds(fd)):
        if number == MAX_MESSAGES:
            return
        head = read_range(fd, start, min(end - start, MOST))
        fields = fields_of(head)
        if is_hidden(fields):
            continue
        version = _version(fd, head, start, end)
        name = _name(fields, version)
        key = name_key(name)
        if key in known:
            several[key] = several.get(key, 1) + 1
            name = f"{name}.{several[key]}"
        known.add(key)
        yield MboxMessage(name, version, start, end, fields)


def name_key(name: str) -> int:
    """Return the number that a message is kept under in memory."""
    return xxh3_64_intdigest(name.encode("utf-8", "surrogateescape"))


def is_at(fd: int, start: int, end: int, name: str) -> bool:
    """Say whether the message of that name lies there still: the file may have been compacted."""
    before, behind = read_range(fd, max(0, start - LONGEST), min(start, LONGEST)), read_range(fd, end, LONGEST)
    head = read_range(fd, start, min(end - start, MOST))
    begins = is_postmark(before + head[:LONGEST], before.rfind(b"\n", 0, -1) + 1)
    ends = not (rest := behind.lstrip(b"\r\n")) or is_postmark(rest, 0)
    fields = fields_of(head)
    base = name.partition(".")[0]
    return begins and ends and base == (_name(fields, "") or _version(fd, head, start, end)[:16])


def _name(fields: Mapping[str, bytes], version: str) -> str:
    identifier = message_id(fields)
    return xxh3_64_hexdigest(identifier.encode("utf-8", "replace")) if identifier else version[:16]


def read_message(fd: int, start: int, end: int, limit: int) -> bytes:
    """Return a message as it was sent, or its beginning."""
    return without_quotes(read_range(fd, start, min(end - start, limit)))


def _version(fd: int, head: bytes, start: int, end: int) -> str:
    """Return a digest of a message without the fields that flags are kept in."""
    cut = head_end(head)
    digest = xxh3_128(without_status(head[:cut]))
    digest.update(head[cut:])
    place = start + len(head)
    while place < end and (piece := os.pread(fd, min(PIECE, end - place), place)):
        digest.update(piece)
        place += len(piece)
    return digest.hexdigest()


def _bounds(fd: int) -> Iterator[tuple[int, int]]:
    """Yield where messages begin, behind their postmark, and where they end, before the empty line.

    The file is read as long as it is now: what a program appends meanwhile is for the next time.
    """
    size = os.fstat(fd).st_size
    start = -1
    for mark in _marks(fd, size):
        if start >= 0:
            yield start, _without_blank_line(fd, start, mark)
        line = os.pread(fd, LONGEST, mark)
        start = mark + line.find(b"\n") + 1
    if 0 <= start < size:
        yield start, _without_blank_line(fd, start, size)


def _marks(fd: int, size: int) -> Iterator[int]:
    """Yield where postmarks begin in the first `size` bytes. Pieces overlap, so that none is torn."""
    place, first = 0, True
    while piece := os.pread(fd, min(PIECE + LONGEST, size - place), place):
        if first:
            begin = len(piece[:100]) - len(piece[:100].lstrip(b"\r\n"))
            if is_postmark(piece, begin):
                yield place + begin
            first = False
        found = piece.find(b"\nFrom ", 0, PIECE)
        while found >= 0:
            if is_postmark(piece, found + 1):
                yield place + found + 1
            found = piece.find(b"\nFrom ", found + 1, PIECE)
        place += PIECE - 5 if len(piece) > PIECE else len(piece)


def _without_blank_line(fd: int, start: int, end: int) -> int:
    tail = os.pread(fd, 4, max(start, end - 4))[: max(0, end - max(start, end - 4))]
    for blank in (b"\r\n\r\n", b"\n\n"):
        if tail.endswith(blank):
            return end - len(blank) // 2
    return end
