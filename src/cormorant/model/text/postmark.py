"""The line before each mail of an mbox file (RFC 4155): "From ", a sender, a time of day and a year."""

from __future__ import annotations

import re
from typing import Final

EXPUNGED: Final = 0x0008
"""Flag of X-Mozilla-Status: deleted in Thunderbird, but present until the folder is compacted."""
LONGEST: Final = 1024
"""Bytes from the beginning of the line that are tested, including the field after it."""

_POSTMARK: Final = re.compile(rb"From [^\r\n]{0,300}?\d\d?:\d\d[^\r\n]{0,40}?(?:19|20)\d\d[^\r\n]{0,40}\r?\n")
_FIELD: Final = re.compile(rb"(?:>?From |[!-9;-~]{1,200}[ \t]*:)")
_QUOTED: Final = re.compile(rb"^>(>*From )", re.MULTILINE)


def is_postmark(body: bytes, place: int) -> bool:
    """Return whether a mail follows: other lines with "From" in front have no time, or no header field after them."""
    match = _POSTMARK.match(body, place)
    return match is not None and _FIELD.match(body, match.end()) is not None


def without_quotes(message: bytes) -> bytes:
    """Return a mail as it was before its lines with "From" in front were quoted (mboxrd)."""
    return _QUOTED.sub(rb"\1", message)


def is_expunged(status: bytes) -> bool:
    """Return whether a value of X-Mozilla-Status is that of a deleted mail."""
    try:
        return bool(int(status[:8].strip() or b"0", 16) & EXPUNGED)
    except ValueError:
        return False


def is_folder_data(imap: bytes, subject: bytes) -> bool:
    """Return, by X-IMAP and Subject, whether a mail only holds a program's data about its folder."""
    return bool(imap) and b"INTERNAL DATA" in subject.upper()
