"""Texts of SpreadsheetML in runs: shared strings, inline strings, comments (ECMA-376-1 18.4)."""

from __future__ import annotations

from typing import Final

from cormorant.extract.document.cells.sheet_text import MAX_CELL
from cormorant.extract.document.xml_tree import ChildStream, Element, local_name
from cormorant.extract.ooxml.escapes import decode_escapes

MAX_STRINGS: Final = 4_000_000
"""Shared strings of a workbook that are read."""
MAX_STRING_MARKUP: Final = 16 * 1024 * 1024
"""Bytes of XML that one string may take."""


def rich_text(element: Element) -> str:
    """Return the text of a string item without its phonetic runs: 18.4.8, 18.4.12."""
    pieces = []
    for child in element:
        name = local_name(child)
        if name == "t":
            pieces.append(child.text or "")
        elif name == "r":
            pieces += (each.text or "" for each in child if local_name(each) == "t")
    return decode_escapes("".join(pieces))[:MAX_CELL]


def shared_strings(data: bytes) -> tuple[list[str], bool]:
    """Return the strings of a shared string table (18.4.9), and whether all of them were read."""
    items = ChildStream(data, "sst", MAX_STRING_MARKUP)
    found: list[str] = []
    for item in items:
        if len(found) >= MAX_STRINGS:
            return found, False
        found.append(rich_text(item))
    return found, items.complete
