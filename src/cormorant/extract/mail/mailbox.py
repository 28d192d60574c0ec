"""A mailbox in one file (mbox, RFC 4155): its subjects as its text, and its mails as files.

Signature: "From ", a time of day and a year in the first line; a header field in the second.

The name of a mail depends on its contents, not its place, so that adding or removing a mail renames no other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import date
from typing import Final

from cormorant.extract.archives.member_path import DistinctPaths, harmless_path
from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.errors import Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.mail.header_field import epoch_of, message_ids
from cormorant.extract.mail.mail_header import MailHeader, read_header
from cormorant.extract.mail.message import MESSAGE
from cormorant.extract.sanitize import clean_lines, name_of, one_line
from cormorant.model.content import Extraction
from cormorant.model.text.postmark import is_expunged, is_folder_data, is_postmark, without_quotes

MAX_MESSAGES: Final = 100_000
MAX_SUBJECTS: Final = 1_000
"""Subjects that the text of a mailbox lists."""

_FOLDER_DATA: Final = "x-imap"
"""Field of the first mail of some folders, in which a program stores data about them."""

_EPOCH: Final = date(1970, 1, 1).toordinal()
_DAY_S: Final = 86_400


def extract_mbox(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the number of mails in a mailbox, and the subjects of the first MAX_SUBJECTS.

    Raises Unreadable when it does not begin with a mail.
    """
    subjects: list[str] = []
    count = 0
    for header, _, _ in _messages(body):
        count += 1
        if count <= MAX_SUBJECTS:
            subjects.append(one_line(header.text("subject")))
    if not count and not is_mbox(body):
        raise Unreadable("it begins with no line of a mailbox")
    return Extraction(
        text=clean_lines("\n".join((f"Messages: {count}", "", *filter(None, subjects)))),
        title=name_of(task.address, task.file_name),
        attributes={"MessageCount": count},
    )


def mbox_embedded_files(body: bytes, task: ExtractionTask) -> Iterator[EmbeddedFile]:  # noqa: ARG001 - as all have it
    """Yield the mails of a mailbox. Raises Unreadable when it does not begin with one."""
    if not is_mbox(body):
        raise Unreadable("it begins with no line of a mailbox")
    paths = DistinctPaths()
    for header, start, end in _messages(body):
        message = without_quotes(body[start:end])
        yield EmbeddedFile(paths.distinct(_path(header, message)), message, MESSAGE, epoch_of(header.raw("date")))


def is_mbox(body: bytes) -> bool:
    """Return whether a file begins as a mailbox does."""
    return is_postmark(body, len(body[:100]) - len(body[:100].lstrip(b"\r\n")))


def _messages(body: bytes) -> Iterator[tuple[MailHeader, int, int]]:
    """Yield header, start and end of each mail that a person sees, without the line before it."""
    bounds = _starts(body)
    place = next(bounds, -1)
    for _ in range(MAX_MESSAGES):
        if place < 0:
            return
        following = next(bounds, -1)
        start = body.find(b"\n", place) + 1
        end = len(body) if following < 0 else following
        header, _ = read_header(body, start, end)
        if not _is_hidden(header):
            yield header, start, _without_blank_line(body, start, end)
        place = following


def _starts(body: bytes) -> Iterator[int]:
    """Yield where the lines before mails begin. Other lines with "From" in front name no time, or no field follows."""
    place = len(body[:100]) - len(body[:100].lstrip(b"\r\n"))
    while place >= 0:
        if is_postmark(body, place):
            yield place
        found = body.find(b"\nFrom ", place)
        place = found + 1 if found >= 0 else -1


def _without_blank_line(body: bytes, start: int, end: int) -> int:
    for blank in (b"\r\n\r\n", b"\n\n"):
        if body.endswith(blank, start, end):
            return end - len(blank) // 2
    return end


def _is_hidden(header: MailHeader) -> bool:
    data = is_folder_data(header.raw(_FOLDER_DATA), header.raw("subject"))
    return data or is_expunged(header.raw("x-mozilla-status"))


def _path(header: MailHeader, message: bytes) -> str:
    """Return a name made of day, subject and identity: "2026-03-14 Plans 1f2e3d4c.eml"."""
    subject = one_line(header.text("subject"), 100).replace("/", "-").replace("\\", "-")
    identity = (message_ids(header.raw("message-id")) or ("",))[0].encode() or message
    pieces = (_day(epoch_of(header.raw("date"))), subject, hashlib.sha256(identity).hexdigest()[:8])
    return harmless_path(" ".join(piece for piece in pieces if piece) + ".eml")


def _day(moment: float | None) -> str:
    try:
        return f"{date.fromordinal(_EPOCH + int(moment // _DAY_S))}" if moment is not None else ""
    except (ValueError, OverflowError):
        return ""
