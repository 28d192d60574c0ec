"""Header of a mail or of a part of it, and the parameters of its fields.

The parameters (RFC 2045, RFC 2231) are read by the standard library; how many it gets to see is bounded, because it
takes quadratic time for some.
"""

from __future__ import annotations

import re
from email.message import Message
from email.utils import collapse_rfc2231_value
from typing import Final

from cormorant.extract.mail.header_field import decoded_field

MAX_FIELDS: Final = 1_000
MAX_LINES: Final = 20_000
"""Lines of a header that are read; what is behind them is taken for the body."""
MAX_FIELD: Final = 64 * 1024
_MAX_PARAMETERS: Final = 4096
_MAX_SEMICOLONS: Final = 60

_FIELD: Final = re.compile(rb"([!-9;-~]{1,200})[ \t]*:")
_KNOWN: Final = re.compile(
    rb"(?:x-[!-9;-~]+|content-[a-z-]+|list-[a-z-]+|arc-[a-z-]+|resent-[a-z-]+|dkim-signature|received(?:-spf)?|from|to|cc"
    rb"|bcc|subject|date|message-id|in-reply-to|references|reply-to|sender|return-path|delivered-to|mime-version"
    rb"|authentication-results|importance|precedence|user-agent|thread-(?:topic|index))[ \t]*:",
    re.IGNORECASE,
)
_UNFOLDED: Final = re.compile(rb"\n(?=[ \t])")
_ENVELOPE: Final = (b"From ", b">From ")
_TYPE: Final = re.compile(r"[a-z0-9!#$&^_.+-]{1,100}/[a-z0-9!#$&^_.+-]{1,100}")
_NAME: Final = re.compile(r"""(?:file)?name(?:\*\d{0,3}\*?)?\s*=\s*["']?([^"';]{1,300})""", re.IGNORECASE)


class MailHeader:
    """The fields of a header in their order; names are compared without regard to case."""

    def __init__(self, fields: list[tuple[str, bytes]], default_type: str = "text/plain") -> None:
        self.fields = fields
        first: dict[str, bytes] = {}
        for name, value in fields:
            first.setdefault(name, value)
        self._first = first
        self._message = Message()
        for name in ("content-type", "content-disposition"):
            if name in first:
                self._message[name] = _bounded(first[name])
        self.content_type = self._content_type(default_type)

    def raw(self, name: str) -> bytes:
        """Return the value of the first field of this name in lower case, b"" when there is none."""
        return self._first.get(name, b"")

    def joined(self, name: str) -> bytes:
        """Return the values of all fields of this name, commas between them."""
        return b",".join(value for each, value in self.fields if each == name)

    def text(self, name: str) -> str:
        """Return the text of the first field of this name."""
        return decoded_field(self.raw(name), self.charset)

    @property
    def charset(self) -> str:
        """Return the charset that Content-Type declares, "" when it declares none."""
        return self.parameter("charset")

    @property
    def disposition(self) -> str:
        """Return the kind of Content-Disposition in lower case: "attachment", "inline", "" for none (RFC 2183)."""
        return decoded_field(self.raw("content-disposition")[:100]).partition(";")[0].strip().lower()

    @property
    def file_name(self) -> str:
        """Return the name of a part as a file, "" when it has none; encoded words, no rule there, are common."""
        name = self.parameter("filename", "content-disposition") or self.parameter("name")
        if not name:
            found = _NAME.search(decoded_field(self.raw("content-disposition")[:_MAX_PARAMETERS]))
            name = found[1] if found else ""
        return name.strip()

    def parameter(self, name: str, field: str = "content-type") -> str:
        """Return a parameter of a field, "" when it is missing or cannot be understood."""
        if field not in self._message:
            return ""
        try:
            value = self._message.get_param(name, "", field)
            if isinstance(value, str):
                return decoded_field(value.encode("latin-1", "replace"))
            return decoded_field(collapse_rfc2231_value(value).encode(errors="replace"))
        except (TypeError, ValueError, LookupError):
            return ""

    def _content_type(self, default: str) -> str:
        declared = decoded_field(self.raw("content-type")[:300]).partition(";")[0].strip().lower()
        if not declared:
            return default
        if declared == "text":
            return "text/plain"
        return declared if _TYPE.fullmatch(declared) else "text/plain"


def read_header(body: bytes, start: int, end: int, default_type: str = "text/plain") -> tuple[MailHeader, int]:
    """Return the header that begins at `start`, and where the body behind it begins.

    A line that is no field ends the header, unless a well-known field follows: then it belongs to the one before.
    """
    fields: list[tuple[str, list[bytes]]] = []
    place = start
    for number in range(MAX_LINES):
        stop = _line_end(body, place, end)
        line = body[place : min(stop, place + MAX_FIELD)].rstrip(b"\r\n")
        if not line or place >= end:
            place = stop
            break
        if (match := _FIELD.match(line)) is not None:
            fields.append((match[1].decode("ascii").lower(), [line[match.end() :]]))
        elif fields and (line[:1] in b" \t" or _KNOWN.match(body, stop, end)):
            fields[-1][1].append(line)
        elif number or not line.startswith(_ENVELOPE):
            break
        place = stop
    made = [(name, b"\n".join(lines)[:MAX_FIELD].strip()) for name, lines in fields[:MAX_FIELDS]]
    return MailHeader(made, default_type), place


def _line_end(body: bytes, place: int, end: int) -> int:
    found = body.find(b"\n", place, end)
    return end if found < 0 else found + 1


def _bounded(value: bytes) -> str:
    value = _UNFOLDED.sub(b"", value[:_MAX_PARAMETERS]).replace(b"\n", b" ")
    return b";".join(value.split(b";")[:_MAX_SEMICOLONS]).decode("latin-1")
