"""Sanitizing of text before it is stored.

It keeps printable characters, tabs and newlines; only this module removes others.

PostgreSQL refuses NUL, UTF-8 has no lone surrogates, and a soft hyphen or a byte-order mark inside a word keeps it from
being found. Joiners and direction marks stay: scripts need them, and the web pages isolate displayed text.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final
from urllib.parse import unquote

MAX_TEXT: Final = 20 * 1024 * 1024
"""Characters of one document's text that are kept."""

MAX_TITLE: Final = 500
MAX_VALUE: Final = 2_000
"""Characters of an attribute's value that are kept."""

MAX_MARKS: Final = 16
"""Combining marks in a row that are kept; no script needs more, and thousands overflow a line."""

_GONE: Final = bytes((*range(9), *range(14, 28), 127))
_SPACES: Final = (11, 12, 28, 29, 30, 31)
_UNWANTED: Final = _GONE + bytes(_SPACES)
_TO_SPACE: Final = bytes(32 if byte in _SPACES else byte for byte in range(256))
_C1_OR_SOFT_HYPHEN: Final = re.compile(rb"\xc2[\x80-\x9f\xad]")
_MARK_OR_NONE: Final = re.compile(rb"\xef(?:\xbb\xbf|\xbf[\xbe\xbf])")
_MARK: Final = rb"(?:\xcc[\x80-\xbf]|\xcd[\x80-\xaf])"
_TOO_MANY_MARKS: Final = re.compile(rb"(%b{%d})%b+" % (_MARK, MAX_MARKS, _MARK))
# Indentation that a nested quotation grows by, without end; wider than any code is indented.
_WIDE: Final = b" " * 33
_BLANK_BETWEEN: Final = re.compile(r"\n(?:[ \t]*\n)+")
_BLANK_LINES: Final = re.compile(rb"\n\n\n+")
_MADE_BY: Final = re.compile(r"^microsoft (?:word|excel|powerpoint|office word) - ", re.IGNORECASE)
_MADE_UP: Final = re.compile(
    r"(?:untitled|unbenannt|sans titre|sin título|titel|title|no title|slide|folie|document|dokument|book|mappe"
    r"|workbook|(?:powerpoint[- ])?(?:presentation|präsentation|présentation)|pdf|layout)?[ -]?\d{0,4}",
    re.IGNORECASE,
)
# Default titles of web page editors.
_LEFT_BEHIND: Final = re.compile(
    r"untitled|(?:untitled|new|unbenanntes|neues?|nouvelle|nouveau|nueva|nuevo)[ -]?"
    r"(?:document|page|dokument|seite|página|documento)[ -]?\d{0,4}|document sans (?:titre|nom)|documento sin título"
    r"|(?:insert|enter|your|page|add)(?: your)?(?: page)? title(?: goes)?(?: here)?|title (?:goes )?here"
    r"|welcome to adobe golive \d{0,2}",
    re.IGNORECASE,
)
_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\xad\ud800-\udfff\ufeff\ufffe\uffff]+")
_MARKS: Final = re.compile(f"([\u0300-\u036f]{{{MAX_MARKS}}})[\u0300-\u036f]+")


def clean(text: str) -> str:
    """Return `text` as it may be stored: at most one blank line between paragraphs, no trailing or leading space.

    Cuts at MAX_TEXT characters. Works on UTF-8 because searching bytes is several times faster than searching
    characters; text that needs nothing is returned as it is.
    """
    text = text[:MAX_TEXT]
    if "\xa0" in text:
        text = text.replace("\xa0", " ")
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        raw = text.encode(errors="ignore")
        text = raw.decode()
    mended = _mended(raw)
    return (text if mended is raw else mended.decode()).strip()


def clean_lines(text: str) -> str:
    """Like `clean`, for text whose lines may hold nothing but blanks."""
    return clean(_BLANK_BETWEEN.sub("\n\n", text.replace("\r\n", "\n")))


def _mended(raw: bytes) -> bytes:
    """Return `raw` itself if it is clean. Each test is one pass of memchr or memmem."""
    if _has_unwanted(raw):
        raw = raw.translate(_TO_SPACE, _GONE)
    if b"\xc2" in raw and _C1_OR_SOFT_HYPHEN.search(raw):
        raw = _C1_OR_SOFT_HYPHEN.sub(b"", raw)
    if b"\xef" in raw:
        raw = _MARK_OR_NONE.sub(b"", raw)
    if b"\xcc" in raw or b"\xcd" in raw:
        raw = _TOO_MANY_MARKS.sub(rb"\1", raw)
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    while _WIDE in raw:
        raw = raw.replace(_WIDE, b"        ")
    if b"\n\n\n" in raw:
        raw = _BLANK_LINES.sub(b"\n\n", raw)
    return raw


def _has_unwanted(raw: bytes) -> bool:
    for byte in _UNWANTED:  # noqa: SIM110 - any() over a generator takes twice as long
        if byte in raw:
            return True
    return False


def one_line(text: str, limit: int = MAX_TITLE) -> str:
    """Return `text` in one line of at most `limit` characters: titles, anchors, names, values."""
    if len(text) <= limit and text.isascii() and text.isprintable() and "  " not in text:
        return text.strip(" ")
    line = " ".join(text[: limit * 8].split())
    if not line.isprintable():
        line = _UNPRINTABLE.sub("", line)
    if not line.isascii() and len(line) > MAX_MARKS:
        line = _MARKS.sub(r"\1", line)
    return line[:limit]


def name_of(address: str, file_name: str = "") -> str:
    """Return the name of a document without a title: its file name, else the end of its path, else its host.

    Percent-encoding is undone where it is UTF-8.
    """
    if file_name:
        return one_line(file_name)
    rest = address.partition("://")[2].partition("?")[0].rstrip("/")
    return one_line(unquote(rest.rpartition("/")[2] or rest)) or one_line(address)


def title_or_name(title: str, address: str, file_name: str = "") -> str:
    """Return a document's own title, unless an office program made it up; then the result of `name_of`."""
    line = _MADE_BY.sub("", one_line(title))
    return name_of(address, file_name) if is_made_up(line) else line


def is_made_up(title: str) -> bool:
    """Return whether a title is empty, or a default of a program."""
    return bool(_MADE_UP.fullmatch(title)) or is_left_behind(title)


def is_left_behind(line: str) -> bool:
    """Return whether a title or heading is the default of a page editor."""
    return _LEFT_BEHIND.fullmatch(line) is not None


def text_hash(text: str) -> bytes:
    """Return the SHA-256 of `text`, 32 bytes: which shows whether a document has changed."""
    return hashlib.sha256(text.encode(errors="replace")).digest()
