"""Reasons why a document has no text, or almost none, each with advice."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

REMARK: Final = "It has no text: "
"""Prefix of the remark on a document without text, by which such documents are found and counted."""
SHELL: Final = "It holds almost no text ("
"""Prefix of the remark on an application that a script fills."""
REMARKS: Final = (REMARK, SHELL)

FILLED_BY: Final = "FilledBy"
OF_READING: Final = frozenset(("Protection", FILLED_BY))
"""Attributes about the conversion of a document; a document cannot set them itself."""
"""The attribute of a page that looks like an application: `script`."""
BY_SCRIPT: Final = "script"
READ_BY: Final = "ReadBy"
"""The attribute of a document that another program has converted: `TIKA`."""
TIKA: Final = "Apache Tika"


class NoTextReason(StrEnum):
    """The reasons, worded to follow "It has no text: "."""

    PROTECTED = "it is protected by a password"
    EMPTY = "it is empty"
    PICTURES = "it holds only pictures, like a scan"
    SCRIPT = "it looks like an application that a script fills"
    UNREAD = "Apache Tika found none in it"
    NO_WORDS = "nothing in it is text"


_ADVICE: Final = {
    NoTextReason.PROTECTED: "Save a copy without the password where readers may find it, or exclude it.",
    NoTextReason.EMPTY: "Look whether that is meant; exclude it if it is.",
    NoTextReason.PICTURES: "Set ocr=tesseract on its source, which looks for text in its pictures, or exclude it.",
    NoTextReason.SCRIPT: "Cormorant runs no scripts: have the site send its pages with their text (server-side or "
    "static rendering), crawl the place that the script takes the text from, or exclude it.",
    NoTextReason.UNREAD: "Open it: of some formats, such as Keynote, Numbers and Pages since 2013, Tika reads only "
    "title, author and the like. Save a copy in another format, like PDF, or exclude it.",
    NoTextReason.NO_WORDS: "Open it: if there is text to be seen, it is drawn as a picture or made by a script.",
}
_WORDS: Final = re.compile(re.escape(SHELL) + r"([\d,]+) words?\)")


def why(mime: str, size_bytes: int, text: str, attributes: Mapping[str, object]) -> NoTextReason | None:
    """Return the reason for no or little text, None if there is enough."""
    if attributes.get(FILLED_BY) == BY_SCRIPT:
        return NoTextReason.SCRIPT
    if text:
        return None
    if attributes.get("Protection") == "password":
        return NoTextReason.PROTECTED
    if not size_bytes:
        return NoTextReason.EMPTY
    if attributes.get(READ_BY) == TIKA:
        return NoTextReason.UNREAD
    is_picture = mime == "application/pdf" or mime.startswith("image/")
    return NoTextReason.PICTURES if is_picture else NoTextReason.NO_WORDS


def sentence(reason: NoTextReason, words: int = 0) -> str:
    """Return the remark that is stored beside the status of such a document; `words` counts those of its text."""
    if reason is NoTextReason.SCRIPT:
        counted = "1 word" if words == 1 else f"{words:,} words"
        return f"{SHELL}{counted}) and looks like an application that a script fills."
    return f"{REMARK}{reason}; only its name and address can be found."


def advice(reason: NoTextReason) -> str:
    """Return the advice for a reason."""
    return _ADVICE[reason]


def reason_in(remark: str) -> NoTextReason | None:
    """Return the reason in a stored remark, None if the remark is about something else."""
    if remark.startswith(SHELL):
        return NoTextReason.SCRIPT
    reason = remark.removeprefix(REMARK).partition(";")[0]
    return next((each for each in NoTextReason if each == reason), None) if remark.startswith(REMARK) else None


def words_in(remark: str) -> int:
    """Return how many words a kept remark counts, 0 when it counts none."""
    match = _WORDS.match(remark)
    return int(match[1].replace(",", "")) if match else 0
