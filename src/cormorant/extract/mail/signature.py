"""Recognition of mails, mailboxes and saved pages by their first lines: text that no magic number begins."""

from __future__ import annotations

from typing import Final

from cormorant.extract.mail.mail_header import read_header
from cormorant.extract.mail.mailbox import is_mbox

HEAD: Final = 16 * 1024
"""Bytes that are looked at."""
MBOX: Final = "application/mbox"
MAIL: Final = "message/rfc822"
MHTML: Final = "multipart/related"
_TELLING: Final = frozenset(
    (
        "from", "to", "subject", "date", "message-id", "received", "mime-version", "return-path", "delivered-to",
        "reply-to", "content-type", "x-mailer", "dkim-signature", "newsgroups",
    )
)  # fmt: skip
_ENOUGH: Final = 3
_SAVED: Final = (b"<saved by ", b"<gespeichert von ")
"""How browsers begin the From field of a page that they save."""


def mail_type(body: bytes) -> str:
    """Return the media type of a file that begins as a mailbox, a mail or a page saved as one; "" for others."""
    head = body[:HEAD]
    if is_mbox(head):
        return MBOX
    header, _ = read_header(head.lstrip(b"\xef\xbb\xbf\r\n"), 0, len(head))
    names = [name for name, _ in header.fields]
    if len(_TELLING.intersection(names)) < _ENOUGH or names[0] in ("http", "https"):
        return ""
    related = header.content_type == MHTML
    saved = header.raw("from").lower().startswith(_SAVED) or "snapshot-content-location" in names
    return MHTML if related and (saved or not {"to", "received"} & {*names}) else MAIL
