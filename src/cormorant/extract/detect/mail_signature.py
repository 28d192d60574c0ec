"""Recognition of mails, mailboxes and saved pages by their first lines: text without a magic number.

A mail has several of the fields that programs write (RFC 5322, 3.6). A letter or a page of notes may begin with one or
two of them as well, so three are required, with no other lines between them.
"""

from __future__ import annotations

import re
from typing import Final

from cormorant.extract.detect.media_types import MBOX

MAIL: Final = "message/rfc822"
MHTML: Final = "multipart/related"
MAIL_HEAD: Final = 16 * 1024
"""Bytes that are read."""

_MAILBOX: Final = re.compile(
    rb"From [^\s]{1,200} [A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d.{0,40}\r?\n[A-Za-z][\w-]{0,60}:[ \t]", re.ASCII
)
"""The beginning of a mailbox (RFC 4155): a line of its own, then the header of the first message."""
_FIELD: Final = re.compile(rb"([!-9;-~]{1,200})[ \t]*:[ \t]*(.*)")
_CHARACTERISTIC: Final = frozenset(
    (
        b"from", b"to", b"subject", b"date", b"message-id", b"received", b"mime-version", b"return-path",
        b"delivered-to", b"reply-to", b"content-type", b"x-mailer", b"dkim-signature", b"newsgroups",
    )
)  # fmt: skip
_ENOUGH: Final = 3
_OF_ADDRESSES: Final = frozenset((b"http", b"https"))
_ENVELOPE: Final = (b"From ", b">From ")
_SAVED: Final = (b"<saved by ", b"<gespeichert von ")
"""Prefixes of the From field in pages that browsers save."""


def is_mailbox(body: bytes) -> bool:
    """Return whether a file begins like a mailbox."""
    return _MAILBOX.match(body) is not None


def mail_type(body: bytes) -> str:
    """Return the media type of a file that begins as a mailbox, a mail or a page saved as one; "" for others."""
    if is_mailbox(body):
        return MBOX
    fields = _fields(body[:MAIL_HEAD].lstrip(b"\xef\xbb\xbf\r\n"))
    if len(_CHARACTERISTIC.intersection(fields)) < _ENOUGH or next(iter(fields)) in _OF_ADDRESSES:
        return ""
    related = fields.get(b"content-type", b"").lower().startswith(MHTML.encode())
    saved = fields.get(b"from", b"").lower().startswith(_SAVED) or b"snapshot-content-location" in fields
    return MHTML if related and (saved or not {b"to", b"received"} & fields.keys()) else MAIL


def _fields(head: bytes) -> dict[bytes, bytes]:
    """Return the first line of each field by its name in lower case, up to the first line outside of any field."""
    found: dict[bytes, bytes] = {}
    for number, line in enumerate(head.split(b"\n")):
        match = _FIELD.match(line)
        if match is not None:
            found.setdefault(match[1].lower(), match[2].strip())
        elif not (found and line[:1] in (b" ", b"\t") and line.strip()) and (number or not line.startswith(_ENVELOPE)):
            break
    return found
