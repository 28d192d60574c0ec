"""Parts of a mail: a tree of slices of its bytes (RFC 2046).

The parser of the standard library makes an object of every part before they can be counted, and gives up a mail whose
parts lie some hundreds deep; this one counts while it reads, and keeps what is within the bounds.

    mail --read_header--> header | body --delimiter lines--> parts --read_header--> ...
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from cormorant.extract.mail.mail_header import MailHeader, read_header
from cormorant.extract.mail.smime import signed_content
from cormorant.extract.mail.transfer_codec import transfer_decoded

MAX_PARTS: Final = 10_000
MAX_DEPTH: Final = 50
_MAX_BOUNDARY: Final = 1_000
_MAX_REST: Final = 80
"""Bytes behind a boundary that are looked at; blanks may stand there."""
_SIGNED: Final = frozenset(("application/pkcs7-mime", "application/x-pkcs7-mime"))
_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


@dataclass(slots=True)
class MimePart:
    """A part: its header, and the bytes of its body within those of the mail. `parts` are those in it.

    `closed`: the last of them ends as it should.
    """

    header: MailHeader
    source: bytes
    start: int
    end: int
    depth: int = 0
    parts: list[MimePart] = field(default_factory=list)
    closed: bool = True

    @property
    def content_type(self) -> str:
        """Return its media type in lower case."""
        return self.header.content_type

    def body(self) -> bytes:
        """Return its bytes, decoded from their transfer encoding."""
        encoding = self.header.raw("content-transfer-encoding")[:100].decode("ascii", "replace")
        return transfer_decoded(self.source[self.start : self.end], encoding)


@dataclass(slots=True)
class MimeTree:
    """A mail as its first part. `fault` names the parts that were not read, "" for none."""

    root: MimePart
    fault: str = ""


def parse_mime(body: bytes) -> MimeTree:
    """Return the parts of a mail. Never raises for what is in it."""
    body = _unwrapped(body)
    header, start = read_header(body, 0, len(body))
    root = MimePart(header, body, start, len(body))
    tree = MimeTree(root)
    waiting, count = [root], 1
    while waiting:
        part = waiting.pop()
        for child in _children(part):
            count += 1
            if count > MAX_PARTS:
                tree.fault = f"It has more than {MAX_PARTS:,} parts."
                return tree
            part.parts.append(child)
        if part.parts and part.depth >= MAX_DEPTH:
            tree.fault = f"Its parts lie more than {MAX_DEPTH} deep in one another."
            part.parts.clear()
            part.end = part.start
        waiting.extend(reversed(part.parts))
    if not root.closed:
        tree.fault = "Its last part has no end: it may be cut short."
    return tree


def _unwrapped(body: bytes) -> bytes:
    """Return a mail without a byte-order mark, blank lines before it, and the line of Apple Mail with its size."""
    if body.startswith(_MARKS[1:]):
        body = body.decode("utf-16", "replace").encode()
    body = body.removeprefix(_MARKS[0]).lstrip(b"\r\n")
    if b"\n" not in body:
        body = body.replace(b"\r", b"\n")
    first, _, rest = body[:20].partition(b"\n")
    if rest and first.strip().isdigit():
        start = body.find(b"\n") + 1
        body = body[start : start + int(first.strip())]
    return body


def _children(part: MimePart) -> Iterator[MimePart]:
    if part.content_type.startswith("multipart/"):
        yield from _multipart(part)
    elif part.content_type in _SIGNED and part.header.parameter("smime-type").lower() in ("", "signed-data"):
        content = signed_content(part.body())
        if content is not None:
            header, start = read_header(content, 0, len(content))
            yield MimePart(header, content, start, len(content), part.depth + 1)


def _multipart(part: MimePart) -> Iterator[MimePart]:
    boundary = part.header.parameter("boundary").encode(errors="replace")
    part.closed = False
    if not 0 < len(boundary) <= _MAX_BOUNDARY:
        return
    default = "message/rfc822" if part.content_type == "multipart/digest" else "text/plain"
    source, start = part.source, -1
    for place, after, last in _delimiters(part, boundary):
        if start >= 0:
            yield _part(part, start, _before(source, start, place), default)
        start = after
        if last:
            part.closed, start = True, -1
            break
    if start >= 0:
        yield _part(part, start, part.end, default)


def _part(parent: MimePart, start: int, end: int, default: str) -> MimePart:
    header, body = read_header(parent.source, start, end, default)
    return MimePart(header, parent.source, min(body, end), end, parent.depth + 1)


def _delimiters(part: MimePart, boundary: bytes) -> Iterator[tuple[int, int, bool]]:
    """Yield the place of each delimiter line, the place behind it, and whether it is the last one."""
    source, needle = part.source, b"\n--" + boundary
    first = source.startswith(needle[1:], part.start)
    place = part.start if first else _line_of(source, needle, part.start, part.end)
    while place >= 0:
        stop = source.find(b"\n", place, part.end)
        stop = part.end if stop < 0 else stop
        rest = source[place + len(needle) - 1 : min(stop, place + len(needle) + _MAX_REST)]
        last = rest.lstrip(b" \t").startswith(b"--")
        rest = rest.lstrip(b" \t")[2:] if last else rest
        if not rest.strip() or rest[0] in b" \t":
            yield place, min(stop + 1, part.end), last
        place = _line_of(source, needle, max(stop, place), part.end)


def _line_of(source: bytes, needle: bytes, start: int, end: int) -> int:
    found = source.find(needle, start, end)
    return found + 1 if found >= 0 else -1


def _before(source: bytes, start: int, place: int) -> int:
    """Return the end of a part before a delimiter: the line end before that belongs to the delimiter."""
    if place - 1 >= start and source[place - 1] == 0x0A:
        place -= 1
        if place - 1 >= start and source[place - 1] == 0x0D:
            place -= 1
    return place
