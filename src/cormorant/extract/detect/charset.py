"""Detection of the charset of a document's bytes.

For everything but HTML, whose parser answers that itself by the same tables.

The order is the WHATWG's: byte-order mark, transport, what the format declares, the default of the source, then the
bytes. UTF-7 is no label of the Encoding Standard and is never honoured; what cannot be decoded becomes U+FFFD.
Source: https://encoding.spec.whatwg.org/
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
"""How a charset was known: the values of `Extraction.charset_from`, in the order in which they are asked."""


class DecodedText(NamedTuple):
    """Text, its charset in lower case, and how that was known."""

    text: str
    charset: str
    known_from: str


def decoded(body: bytes, charset: str = "", default: str = "") -> DecodedText:
    """Return the text of `body`. Never raises; a label that is none counts as absent.

    `charset` is what the transport declared, `default` what the source says of documents that declare nothing.
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
    """Say whether this names a charset: https://encoding.spec.whatwg.org/#names-and-labels."""
    return bool(_name(label.strip()))


@lru_cache(maxsize=256)
def name_of_label(label: str) -> str:
    """Return the name in lower case of the charset that a label means, "" when it means none."""
    return _name(label.strip()).lower()


def _name(label: str) -> str:
    """The name of the charset that a label means, "" when it means none.

    The parser is asked: Python looks for a module of that name, and keeps every name that it did not find for ever.
    """
    try:
        return parse(b"", encoding=label, positions=False).encoding or "" if _LABEL.fullmatch(label) else ""
    except (LookupError, ValueError):
        return ""


def _declared(body: bytes) -> str:
    match = _XML_DECLARATION.match(body)
    label = match[1].decode().lower() if match else ""
    # What can be read as ASCII is no UTF-16, whatever it says of itself.
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
