"""Media type of an XML document, by its root element and the declarations before it."""

from __future__ import annotations

import re
from typing import Final

from cormorant.extract.detect.media_types import EXCEL_2003, FLAT, FLAT_POWERPOINT, FLAT_WORD, ODF, WORD_2003

FLAT_TYPES: Final = frozenset(
    (
        WORD_2003, FLAT_WORD, FLAT_POWERPOINT, EXCEL_2003,
        *(ODF + each + FLAT for each in ("text", "spreadsheet", "presentation", "graphics")),
    )
)  # fmt: skip
"""Types of office documents that are one XML file."""

_FLAT_ODF: Final = re.compile(rb"office:mimetype=[\"']([a-z0-9./-]{1,80})[\"']")
_FIRST_TAG: Final = re.compile(rb"<([A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)")
_COMMENT: Final = re.compile(rb"<!--.*?-->", re.DOTALL)
_PROGRAM: Final = re.compile(rb"<\?mso-application\s+progid=[\"']([\w.]{1,60})[\"']")
_ROOTS: Final = {
    b"html": "application/xhtml+xml",
    b"svg": "image/svg+xml",
    b"FictionBook": "application/x-fictionbook+xml",
    b"rss": "application/rss+xml",
    b"feed": "application/atom+xml",
    b"wordDocument": WORD_2003,
}
_PACKAGE: Final = b"http://schemas.microsoft.com/office/2006/xmlPackage"
_SPREADSHEET: Final = b"urn:schemas-microsoft-com:office:spreadsheet"
_EXCEL: Final = b"Excel.Sheet"
_POWERPOINT: Final = b"PowerPoint."


def type_of_root(head: bytes) -> str:
    """Return the media type that the root element proves, "" for other roots. `head` are the first bytes."""
    root = _FIRST_TAG.search(_COMMENT.sub(b"", head))
    if root is None:
        return ""
    name = root[2]
    program = _PROGRAM.search(head)
    written_by = program[1] if program else b""
    if name == b"document" and (flat := _FLAT_ODF.search(head)):
        return flat[1].decode() + FLAT
    if name == b"package" and (written_by or _PACKAGE in head):
        return FLAT_POWERPOINT if written_by.startswith(_POWERPOINT) else FLAT_WORD
    if name == b"Workbook" and (written_by == _EXCEL or _SPREADSHEET in head):
        return EXCEL_2003
    return _ROOTS.get(name, "")
