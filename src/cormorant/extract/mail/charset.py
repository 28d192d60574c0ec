"""Charsets of mail: those of the web, and older ones that only mail had."""

from __future__ import annotations

from typing import Final

from cormorant.extract.detect.charset import decode_as, decoded, is_label, name_of_label

_ASCII: Final = frozenset(
    ("", "ascii", "us-ascii", "ansi_x3.4-1968", "x-unknown", "unknown-8bit", "unknown", "default")
)
"""Labels of text that says nothing of its charset, or has only letters that all of them have."""
_REPLACEMENT: Final = "replacement"
_OLDER: Final = {
    "utf-7": "utf-7", "unicode-1-1-utf-7": "utf-7", "x-unicode-2-0-utf-7": "utf-7", "iso-2022-kr": "iso2022_kr",
    "hz-gb-2312": "hz", "cp437": "cp437", "ibm437": "cp437", "cp850": "cp850", "ibm850": "cp850", "cp852": "cp852",
    "ibm852": "cp852", "cp858": "cp858", "ibm00858": "cp858", "iso-8859-16": "iso8859_16", "utf-32": "utf-32",
}  # fmt: skip
"""Charsets that the Encoding Standard refuses or does not have, and codecs of Python for them."""


def text_of_bytes(data: bytes, label: str = "", default: str = "") -> str:
    """Return the text of `data`. `label` is the charset in the mail, `default` applies if it names none."""
    if data.isascii() and b"\x1b" not in data and (not label or label.lower() in _ASCII or label.lower() == "utf-8"):
        return data.decode("ascii")
    name = label.strip().lower()
    if name in _OLDER and name_of_label(name) in ("", _REPLACEMENT):
        return data.decode(_OLDER[name], "replace")
    if name in _ASCII or not is_label(name) or name_of_label(name) == _REPLACEMENT:
        return _undeclared(data, default)
    return decode_as(data, name_of_label(name))


def page_charset(data: bytes, label: str) -> tuple[bytes, str]:
    """Return a page and the charset that its parser is to take for declared, "" to let it find out."""
    name = label.strip().lower()
    if name in _OLDER and name_of_label(name) in ("", _REPLACEMENT):
        return data.decode(_OLDER[name], "replace").encode(errors="replace"), "utf-8"
    return data, "" if name in _ASCII or not is_label(name) else name


def _undeclared(data: bytes, default: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return decoded(data, "", default).text
