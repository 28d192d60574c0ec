"""Header of a message as a source needs it: its identity, its thread, its lists, its date (RFC 5322)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

from cormorant.model.text.postmark import is_expunged, is_folder_data

MOST: Final = 256 * 1024
"""Bytes of a message in which its header is looked for."""
MOST_OF_FIELD: Final = 64 * 1024
MAX_FIELDS: Final = 1_000
MAX_LINES: Final = 20_000
STATUS_FIELDS: Final = frozenset(
    (b"status", b"x-status", b"x-keywords", b"x-mozilla-status", b"x-mozilla-status2", b"x-mozilla-keys", b"x-uid",
     b"x-imap", b"x-imapbase", b"content-length")
)  # fmt: skip
"""Fields that programs keep flags in; a message is the same without them."""
DAY_S: Final = 86_400.0

_FIELD: Final = re.compile(rb"([!-9;-~]{1,200})[ \t]*:")
_ID: Final = re.compile(rb"<([^<>\s]{1,500})>")


def head_end(message: bytes) -> int:
    """Return where the header ends, the empty line behind it excluded."""
    ends = [found for found in (message.find(b"\n\n", 0, MOST), message.find(b"\n\r\n", 0, MOST)) if found >= 0]
    return min(ends) + 1 if ends else min(len(message), MOST)


def fields_of(message: bytes) -> dict[str, bytes]:
    """Return the fields of a header by their names in lower case; those of one name are joined by commas."""
    found: dict[str, list[bytes]] = {}
    pieces = list[bytes]()
    for line in message[: head_end(message)].split(b"\n", MAX_LINES)[:MAX_LINES]:
        match = _FIELD.match(line)
        if match is not None:
            pieces = found.setdefault(match[1].decode("ascii").lower(), [])
            pieces += [b","] * bool(pieces) + [line[match.end() :].strip()]
        elif line[:1] in (b" ", b"\t"):
            pieces += [b" ", line.strip()]
        if len(found) > MAX_FIELDS:
            break
    return {name: b"".join(value)[:MOST_OF_FIELD] for name, value in found.items()}


def without_status(head: bytes) -> bytes:
    """Return a header without the fields that flags are kept in, so that a message is known again when they change."""
    kept, dropping = list[bytes](), False
    for line in head.split(b"\n"):
        match = _FIELD.match(line)
        if match is not None:
            dropping = match[1].lower() in STATUS_FIELDS
        elif line[:1] not in (b" ", b"\t"):
            dropping = False
        if not dropping:
            kept.append(line)
    return b"\n".join(kept)


def is_hidden(fields: Mapping[str, bytes]) -> bool:
    """Say whether a mail program shows no such message: it is deleted, or data of its folder."""
    data = is_folder_data(fields.get("x-imap", b""), fields.get("subject", b""))
    return data or is_expunged(fields.get("x-mozilla-status", b""))


def message_id(fields: Mapping[str, bytes]) -> str:
    """Return the identifier of a message without its brackets; "" when it has none."""
    found = _ID.search(fields.get("message-id", b""))
    return found[1].decode("utf-8", "replace") if found else ""


def thread_root(fields: Mapping[str, bytes]) -> str:
    """Return the identifier of the message that began the thread (RFC 5322 3.6.4), its own for one that begins it."""
    for name in ("references", "in-reply-to", "message-id"):
        found = _ID.search(fields.get(name, b""))
        if found:
            return found[1].decode("utf-8", "replace")
    return ""


def sent_at(fields: Mapping[str, bytes], received: float | None) -> float | None:
    """Return when a message was sent, in epoch seconds; when it was received, if its date is none or in the future.

    None when neither is known.
    """
    try:
        date = fields.get("date", b"")[:200].decode("ascii", "replace")
        sent: float | None = parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError, AttributeError):
        sent = None
    if sent is None or (received is not None and sent > received + DAY_S) or sent < 0:
        return received
    return sent
