"""Files that stand uuencoded in the text of a mail, as mail had them before MIME (POSIX uuencode)."""

from __future__ import annotations

import binascii
import re
from typing import Final, NamedTuple

MAX_FILES: Final = 1_000
_BEGIN: Final = re.compile(rb"^begin [0-7]{3,4} ([^\r\n]{0,300})\r?\n", re.MULTILINE)
_END: Final = b"end"


class UuencodedFile(NamedTuple):
    """A file in a text: its name, its bytes."""

    name: str
    body: bytes


def without_files(text: bytes) -> tuple[bytes, list[UuencodedFile]]:
    """Return a text without the files in it, and these files."""
    if b"begin " not in text:
        return text, []
    pieces: list[bytes] = []
    files: list[UuencodedFile] = []
    place = 0
    while len(files) < MAX_FILES and (match := _BEGIN.search(text, place)) is not None:
        body, end = _decoded(text, match.end())
        pieces.append(text[place : match.start() if end else match.end()])
        if end:
            files.append(UuencodedFile(match[1].decode("utf-8", "replace").strip(), body))
        place = end or match.end()
    return b"".join((*pieces, text[place:])), files


def uudecoded(raw: bytes) -> bytes:
    """Return the bytes of a part that is uuencoded as a whole, the part itself when nothing in it is."""
    match = _BEGIN.search(raw)
    body, end = _decoded(raw, match.end() if match else 0)
    return body if end or body else raw


def _decoded(text: bytes, place: int) -> tuple[bytes, int]:
    """Return the bytes of the lines from `place` on, and the place behind the end line, 0 without such a line."""
    made: list[bytes] = []
    while place < len(text):
        stop = text.find(b"\n", place)
        stop = len(text) if stop < 0 else stop + 1
        line = text[place:stop].rstrip(b"\r\n")
        place = stop
        if line.rstrip() == _END:
            return b"".join(made), place
        data = _line(line)
        if data is None:
            return b"".join(made), 0
        made.append(data)
    return b"".join(made), 0


def _line(line: bytes) -> bytes | None:
    """Return the bytes of a line, None when it is none. Trailing blanks may be lost, or a checksum added."""
    if not line:
        return b""
    length = line[0] - 32 & 63
    letters = line[1 : 1 + (length + 2) // 3 * 4]
    if not 32 <= line[0] <= 96 or len(line) > 100 or any(not 32 <= byte <= 96 for byte in letters):
        return None
    try:
        return binascii.a2b_uu(line[:1] + letters)
    except binascii.Error:
        return None
