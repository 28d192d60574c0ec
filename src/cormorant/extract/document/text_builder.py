"""Text of a document in reading order, with asides at its end.

    body            paragraphs, tables, text boxes where they are anchored
    asides          headers, footers, notes, comments: each wording once, after the body

A header that stands on every page would otherwise be found in the middle of every sentence that crosses a page.
"""

from __future__ import annotations

from typing import Final

from cormorant.extract.sanitize import MAX_TEXT, clean_lines

CELL: Final = "\t"
"""Separator of two cells of a row."""


class TextBuilder:
    """Gathers the text of a document; cuts it at MAX_TEXT characters."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._asides: dict[str, None] = {}
        self._size = 0

    @property
    def full(self) -> bool:
        """Return whether the text has reached its limit: a reader may stop."""
        return self._size > MAX_TEXT

    def add(self, text: str) -> None:
        """Add a piece of the current paragraph."""
        self._pieces.append(text)
        self._size += len(text)

    def line(self, text: str) -> None:
        """Add a paragraph of its own; an empty one adds nothing."""
        if text.strip():
            self.end_paragraph()
            self.add(text)
            self.add("\n")

    def end_paragraph(self) -> None:
        """End the current paragraph, unless it is empty."""
        if self._pieces and not self._pieces[-1].endswith("\n"):
            self._pieces.append("\n")

    def blank_line(self) -> None:
        """Add a blank line before the next slide, sheet or page."""
        self.end_paragraph()
        if self._pieces and not "".join(self._pieces[-2:]).endswith("\n\n"):
            self._pieces.append("\n")

    def aside(self, text: str) -> None:
        """Add an aside; a repeated wording adds nothing."""
        text = text.strip()
        if text and text not in self._asides:
            self._asides[text] = None
            self._size += len(text)

    def text(self) -> str:
        """Return the whole text, cleaned, asides after a blank line."""
        return clean_lines("".join(self._pieces) + "\n\n" + "\n".join(self._asides))
