"""Content-Transfer-Encoding of a part (RFC 2045 6), undone as far as damaged bytes allow."""

from __future__ import annotations

import binascii
import re
import string
from typing import Final

from cormorant.extract.mail.uuencode import uudecoded

_LETTERS: Final = (string.ascii_letters + string.digits + "+/").encode()
_NO_LETTERS: Final = bytes(byte for byte in range(256) if byte not in _LETTERS)
_FOREIGN: Final = bytes(byte for byte in _NO_LETTERS if byte not in b" \t\r\n")
_PADDING: Final = re.compile(rb"=[=\s]*")
_MAX_SECTIONS: Final = 1_000
"""Pieces with a padding of their own that are decoded one by one."""
_UU: Final = frozenset(("x-uuencode", "uuencode", "uue", "x-uue"))


def transfer_decoded(raw: bytes, encoding: str) -> bytes:
    """Return the bytes of a part; an encoding that is none counts as none. Never raises."""
    name = encoding.strip().lower()
    if name == "base64":
        return base64_decoded(raw)
    if name == "quoted-printable":
        return binascii.a2b_qp(raw)
    if name in _UU:
        return uudecoded(raw)
    return raw


def base64_decoded(raw: bytes) -> bytes:
    """Return the bytes of base64, ignoring other characters; an incomplete end is left out.

    Gateways join encoded texts, so more may follow a padding; plain text that was added behind it is none.
    """
    first, *others = _PADDING.split(raw, maxsplit=_MAX_SECTIONS)
    clean = (each for each in others if len(each.translate(None, _FOREIGN)) == len(each))
    return b"".join(map(_section, (first, *clean)))


def _section(raw: bytes) -> bytes:
    letters = raw.translate(None, _NO_LETTERS)
    letters = letters[: len(letters) - (len(letters) % 4 == 1)]
    return binascii.a2b_base64(letters + b"=" * (-len(letters) % 4))
