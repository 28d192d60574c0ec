"""Header parsing of HTTP responses: at first use; values never contain control characters.

    raw lines -> final_part -> (status line, header block, interim responses) -> Headers -> typed values

All functions are pure. Field syntax is RFC 9110 section 5 and RFC 9112 sections 4 and 5.
"""

from __future__ import annotations

import re
from calendar import timegm
from collections.abc import Sequence
from datetime import UTC, datetime
from email.errors import MessageError
from email.header import decode_header
from email.utils import mktime_tz, parsedate_tz
from typing import NamedTuple
from urllib.parse import unquote

_BLANK = (b"\r\n", b"\n")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_CONTROL_OCTET = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]+")
_BEYOND_ASCII = re.compile(r"[\x80-\xff]")
_MONTHS = {"JanFebMarAprMayJunJulAugSepOctNovDec"[3 * n : 3 * n + 3]: n + 1 for n in range(12)}
_FIXDATE = re.compile(r"[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SECRET = re.compile(
    rb"^(?![ \t])[\0-\t\v- \x7f-\xff]*(?:Set-Cookie2?|Authentication-Info)[\0-\t\v- \x7f-\xff]*:"
    rb"[^\n]*(?:\n[ \t][^\n]*)*(?:\n|\Z)",
    re.IGNORECASE | re.MULTILINE,
)
"""Fields with credentials for the crawler (RFC 6265, RFC 2965, RFC 7615), with their folded lines.

Any characters but visible ASCII may surround a name: that is more than `_fields` strips, and all of it is removed.
"""
_PARAMETER = re.compile(r";\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(\"(?:[^\"\\]|\\.)*\"|[^;\s]*)")

_DISPOSITION = re.compile(r""";\s*([^\s=;"]{1,50})\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^;]*))""")
_EXTENDED_CHARSETS = ("utf-8", "iso-8859-1")
"""Charsets that RFC 8187 and its predecessor (RFC 5987) require."""
_MAX_DISPOSITION, _MAX_NAME = 4_096, 255
"""Characters of a Content-Disposition, and of the name in it, that are read."""


class FinalPart(NamedTuple):
    """The head of the final response: status line and field lines as received, number of fields and of 1xx before it.

    `complete`: its blank line was received.
    """

    status_line: bytes
    block: bytes
    fields: int
    interims: int
    complete: bool


def final_part(lines: Sequence[bytes]) -> FinalPart:
    """Find the final response in the header lines of a transfer: after 1xx responses, before trailers."""
    count = len(lines)
    if count and lines[-1] == b"\r\n" and lines.index(b"\r\n") == count - 1:
        return FinalPart(lines[0], b"".join(lines[1:-1]), count - 2, 0, complete=True)
    starts = [0, *(n + 1 for n, line in enumerate(lines) if line in _BLANK)]
    heads = [n for n in starts if n < count and lines[n].startswith(b"HTTP/")]
    if not heads:
        return FinalPart(b"", b"", 0, 0, complete=False)
    first = heads[-1]
    end = next((n for n in range(first, count) if lines[n] in _BLANK), count)
    block = b"".join(lines[first + 1 : end])
    return FinalPart(lines[first], block, end - first - 1, len(heads) - 1, complete=end < count)


class Headers:
    """The fields of one response by lower-case name, parsed at first use."""

    __slots__ = ("_block", "_fields")

    def __init__(self, block: bytes) -> None:
        self._block = block
        self._fields: dict[str, list[str]] | None = None

    def _parsed(self) -> dict[str, list[str]]:
        fields = self._fields
        if fields is None:
            fields = self._fields = {}
            for name, value in _fields(self._block):
                fields.setdefault(name, []).append(value)
        return fields

    def get(self, name: str, default: str = "") -> str:
        """Return the last value of a field (lower-case name), without control characters."""
        values = self._parsed().get(name)
        return values[-1] if values else default

    def first(self, name: str, default: str = "") -> str:
        """Return the first value of a field."""
        values = self._parsed().get(name)
        return values[0] if values else default

    def all(self, name: str) -> tuple[str, ...]:
        """Return every value of a field in the order received."""
        return tuple(self._parsed().get(name, ()))

    def octets(self, name: str) -> tuple[str, ...]:
        """Return every value of a field with each octet as one character (Latin-1); tabs within values are kept."""
        if name not in self:
            return ()
        values: list[str] = []
        for line in _lines(self._block.decode("latin-1")):
            key, colon, value = line.partition(":")
            if colon and key.strip().lower() == name:
                values.append(_CONTROL_OCTET.sub(" ", value).strip(" \t"))
        return tuple(values)

    def reference(self, name: str) -> str:
        """Return the last value of a field with an address, percent-encoded by `escaped`; "" without one."""
        values = self.octets(name)
        return escaped(values[-1]) if values else ""

    def __contains__(self, name: str) -> bool:
        """Return whether there is a header field of this name.

        Most responses have none of the requested fields, and need not be parsed.
        """
        if self._fields is None and name.encode() not in self._block.lower():
            return False
        return name in self._parsed()

    def items(self) -> list[tuple[str, str]]:
        """Return name and value of every field; fields of one name are adjacent."""
        return [(name, value) for name, values in self._parsed().items() for value in values]


def _fields(block: bytes) -> list[tuple[str, str]]:
    """Split a block into fields. Bytes beyond ASCII are decoded as UTF-8 if a field is valid UTF-8, else as Latin-1."""
    try:
        text, whole = block.decode(), True
    except UnicodeDecodeError:
        text, whole = block.decode("latin-1"), False
    found: list[tuple[str, str]] = []
    for line in _lines(text):
        name, colon, value = line.partition(":")
        if colon:
            found.append((name.strip().lower(), clean(value if whole else text_of(value))))
    return found


def _lines(text: str) -> list[str]:
    """Split a block into the lines of its fields; folded lines are joined by a space (RFC 9112 section 5.2)."""
    lines: list[str] = []
    for line in text.split("\n"):
        if line[:1] not in (" ", "\t"):
            lines.append(line)
        elif lines:
            lines[-1] = f"{lines[-1].rstrip()} {line.strip()}"
    return lines


def text_of(octets: str) -> str:
    """Decode octets (`Headers.octets`) as UTF-8 if they are valid, else as Latin-1."""
    try:
        return octets.encode("latin-1").decode()
    except UnicodeDecodeError:
        return octets


def escaped(octets: str) -> str:
    """Return an address of octets (`Headers.octets`) with those beyond ASCII percent-encoded byte by byte.

    Browsers do so with a Location: a server that sends Latin-1 means a path of these bytes.
    """
    return octets if octets.isascii() else _BEYOND_ASCII.sub(lambda found: f"%{ord(found[0]):02X}", octets)


def without_secrets(block: bytes) -> bytes:
    """A header block for storage, without fields that identify this crawler to the server."""
    return _SECRET.sub(b"", block)


def clean(text: str) -> str:
    """Return text fit for a log or a page: each run of control characters becomes a space."""
    text = text.strip(" \t\r\n")
    return text if text.isprintable() else _CONTROL.sub(" ", text)


def content_type(value: str) -> tuple[str, str]:
    """Return (mime type, charset), both lower case, "" if absent or malformed (RFC 9110 section 8.3.1)."""
    essence, _, rest = value.partition(";")
    mime = essence.strip().lower()
    kind, slash, subtype = mime.partition("/")
    if not (slash and _TOKEN.fullmatch(kind) and _TOKEN.fullmatch(subtype)):
        mime = ""
    if not rest:
        return mime, ""
    for name, given in _PARAMETER.findall(";" + rest):
        if name.lower() == "charset":
            return mime, given.strip("\"'").lower()
    return mime, ""


def name_in_disposition(value: str) -> str:
    """Return the file name of a Content-Disposition (RFC 6266) from `Headers.octets`, "" without a usable one.

    `filename*` (RFC 8187) wins. In `filename`, octets beyond ASCII are UTF-8 or Latin-1, and encodings that some
    servers use in spite of the RFC are decoded as browsers do: percent-encoded UTF-8 and encoded words (RFC 2047).
    Paths, invisible characters and those that change the text direction are removed.
    """
    extended, plain = "", ""
    for name, quoted, bare in _DISPOSITION.findall(f";{value[:_MAX_DISPOSITION]}"):
        written = quoted.replace('\\"', '"').replace("\\\\", "\\") if quoted else bare.strip()
        if name.lower() == "filename*":
            extended = extended or _extended(written)
        elif name.lower() == "filename":
            plain = plain or _as_browsers_do(written)
    return _bare_name(extended) or _bare_name(plain)


def _extended(written: str) -> str:
    """Return an extended value (RFC 8187 section 3.2.1), "" for any other value."""
    charset, _, rest = written.partition("'")
    _, mark, value = rest.partition("'")
    if not mark or charset.lower() not in _EXTENDED_CHARSETS:
        return ""
    try:
        return unquote(value, charset, "strict")
    except UnicodeDecodeError:
        return ""


def _as_browsers_do(written: str) -> str:
    """Return a `filename` with wrongly applied encodings decoded."""
    try:
        if "=?" in written:
            pieces = decode_header(written)
            return "".join(p if isinstance(p, str) else p.decode(c or "latin-1") for p, c in pieces)
        if "%" in written and written.isascii():
            return unquote(written, errors="strict")
    except (ValueError, LookupError, MessageError):  # also for an encoded word that is not in its declared charset
        pass
    return text_of(written)


def _bare_name(name: str) -> str:
    """Return the last part of a path as a display name, "" for an unusable one."""
    last = re.split(r"[/\\]", name)[-1]
    shown = "".join(each if each.isprintable() else " " for each in last)
    bare = " ".join(shown.split())
    return bare[:_MAX_NAME] if bare.strip(". ") else ""


def retry_after(value: str, now: float) -> float | None:
    """Return the seconds to wait from `now` (epoch seconds); None for invalid and past values.

    Delay-seconds or an HTTP-date (RFC 9110 section 10.2.3). Zero seconds are valid, a past date is a mistake. The
    caller decides how much of it to obey.
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:12])
    moment = http_date(value)
    if moment is None or moment <= now:
        return None
    return moment - now


def http_date(value: str) -> float | None:
    """Return the epoch seconds of an HTTP-date in any of its three forms (RFC 9110 section 5.6.7), else None."""
    exact = _FIXDATE.fullmatch(value)
    try:
        if exact is not None and exact[2] in _MONTHS:
            day, _, year, hour, minute, second = exact.groups()
            parts = (int(year), _MONTHS[exact[2]], int(day), int(hour), int(minute), int(second))
            return float(timegm(parts)) if 1 <= parts[2] <= 31 and max(parts[3:]) < 61 else None
        loose = parsedate_tz(value)
        return None if loose is None else float(mktime_tz(loose))
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


def moment(text: str) -> float | None:
    """Return the epoch seconds of a date in a robots directive: an HTTP-date in any case, or ISO 8601.

    A date without a zone is UTC. None for any other value.
    """
    said = text.strip()
    try:
        at = datetime.fromisoformat(said.upper())
    except ValueError:
        return http_date(said)
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def last_modified(headers: Headers) -> float | None:
    """Return the Last-Modified date as epoch seconds, None if absent or unreadable."""
    value = headers.get("last-modified")
    return http_date(value) if value else None


def robots_directives(headers: Headers) -> tuple[str, ...]:
    """Return the X-Robots-Tag values as given, agent names included; the caller selects those for its agent."""
    return headers.all("x-robots-tag")


def codings(headers: Headers) -> tuple[str, ...]:
    """Return the content codings in the order they were applied, lower case (RFC 9110 section 8.4)."""
    listed = ",".join(headers.all("content-encoding")).lower().split(",")
    return tuple(name for name in map(str.strip, listed) if name not in ("", "identity"))
