"""Detection of the charset of a document's bytes.

It serves all formats except HTML, whose parser detects the charset itself by the same tables.

The order is the WHATWG's: byte-order mark, transport, what the format declares, the default of the source, then the
bytes. UTF-7 is no label of the Encoding Standard and is never honoured; undecodable bytes become U+FFFD. Source:
https://encoding.spec.whatwg.org/
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from turbohtml import parse
from turbohtml.detect import detect

_MARKS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
_XML_DECLARATION: Final = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})""")
_LABEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9:._-]{0,40}")
_DETECT_BYTES: Final = 1024 * 1024
MARK: Final = "mark"
HEADER: Final = "header"
PAGE: Final = "page"
DEFAULT: Final = "default"
BYTES: Final = "bytes"
"""Origins of a charset: the values of `Extraction.charset_from`, in order of precedence."""


class DecodedText(NamedTuple):
    """Text, its charset in lower case, and the origin of the charset."""

    text: str
    charset: str
    known_from: str


def decoded(body: bytes, charset: str = "", default: str = "") -> DecodedText:
    """Return the text of `body`. Never raises; an invalid label counts as absent.

    `charset` is the declaration of the transport, `default` the source's default for documents without a declaration.
    """
    for mark, name in _MARKS:
        if body.startswith(mark):
            return DecodedText(decode_as(body[len(mark) :], name), name, MARK)
    for label, known_from in (
        (charset, HEADER), (_declared(body), PAGE), (_wide(body), BYTES), (default, DEFAULT),
    ):  # fmt: skip
        text = _try(body, label)
        if text is not None:
            return DecodedText(text, label.strip().lower(), known_from)
    try:
        return DecodedText(body.decode(), "utf-8", BYTES)
    except UnicodeDecodeError:
        pass
    name = (detect(body[:_DETECT_BYTES]).encoding or "windows-1252").lower()
    return DecodedText(decode_as(body, name), name, BYTES)


@lru_cache(maxsize=256)
def is_label(label: str) -> bool:
    """Return whether this is the label of a charset: https://encoding.spec.whatwg.org/#names-and-labels."""
    return bool(_name(label.strip()))


@lru_cache(maxsize=256)
def name_of_label(label: str) -> str:
    """Return the name in lower case of a label's charset, "" for an invalid label."""
    return _name(label.strip()).lower()


def _name(label: str) -> str:
    """Return the name of a label's charset, "" for an invalid label.

    The parser looks it up: Python would search for a module of that name, and cache every unknown name for ever.
    """
    try:
        return parse(b"", encoding=label, positions=False).encoding or "" if _LABEL.fullmatch(label) else ""
    except (LookupError, ValueError):
        return ""


def _declared(body: bytes) -> str:
    match = _XML_DECLARATION.match(body)
    label = match[1].decode().lower() if match else ""
    # Text that can be read as ASCII is no UTF-16, even if it declares that.
    return "utf-8" if label.startswith("utf-16") else label


def _wide(body: bytes) -> str:
    """Name UTF-16 without a mark: a zero in nearly every other place of the beginning."""
    head = body[:512]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if len(head) < 8 or even + odd < len(head) * 0.35 or (even and odd):
        return ""
    return "utf-16be" if even else "utf-16le"


def _try(body: bytes, label: str) -> str | None:
    name = _name(label.strip())
    return decode_as(body, name) if name else None


def decode_as(body: bytes, label: str) -> str:
    """Return the text of bytes in a charset of the standard, by its name; never raises for what is in them."""
    # The codecs of turbohtml.detect are those of the standard; Python's of the same names are others.
    return body.decode("whatwg-" + label, "replace")
