"""In what charset are these bytes? For everything but HTML, whose parser answers that itself by the same tables.

The order is the WHATWG's: byte-order mark, transport, what the format declares, then the bytes. UTF-7 is no label of
the Encoding Standard and is never honoured; what cannot be decoded becomes U+FFFD.
Source: https://encoding.spec.whatwg.org/
"""

from __future__ import annotations

import re
from typing import Final

from turbohtml.detect import detect

_MARKS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
_XML_DECLARATION: Final = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})""")
_LABEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9:._-]{0,40}")
_DETECT_BYTES: Final = 1024 * 1024


def decoded(body: bytes, charset: str = "") -> tuple[str, str]:
    """Return (text, charset in lower case). Never raises; a label that is none counts as absent."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return _decode(body[len(mark) :], name), name
    for label in (charset, _declared(body), _wide(body)):
        text = _try(body, label)
        if text is not None:
            return text, label.strip().lower()
    try:
        return body.decode(), "utf-8"
    except UnicodeDecodeError:
        pass
    name = (detect(body[:_DETECT_BYTES]).encoding or "windows-1252").lower()
    return _decode(body, name), name


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
    label = label.strip()
    if not _LABEL.fullmatch(label):
        return None
    try:
        return _decode(body, label)
    except LookupError:
        return None


def _decode(body: bytes, label: str) -> str:
    # The codecs of turbohtml.detect are those of the standard; Python's of the same names are others.
    return body.decode("whatwg-" + label, "replace")
