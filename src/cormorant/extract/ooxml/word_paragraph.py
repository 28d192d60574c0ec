"""A paragraph of a text document while it is read, and the story (body, cell, text box, note) that it stands in."""

from __future__ import annotations

from cormorant.extract.html.links import MAX_ANCHOR
from cormorant.extract.ooxml.word_fields import WordField


class WordParagraph:
    """The pieces of a paragraph, and the lines that stand after it: text boxes and graphics anchored in it."""

    def __init__(self, label: str, pieces: list[str], readings: list[str]) -> None:
        """Begin a paragraph; `pieces` and `readings` are those of one before it whose end was deleted."""
        self.label = label
        self.pieces = pieces
        self.after: list[str] = []
        self.is_title = False
        self.joins_next = False
        self.has_page_number = False
        self.has_gap = False
        """Something that is no text stands behind the last piece, and parts its word from the next."""
        self.readings = readings

    def add(self, text: str) -> None:
        """Add a piece."""
        if self.readings:
            self._end_ruby()
        if self.has_gap:
            self.has_gap = False
            if self.pieces and self.pieces[-1][-1:].isalnum() and text[:1].isalnum():
                self.pieces.append(" ")
        self.pieces.append(text)

    def add_ruby(self, base: str, reading: str) -> None:
        """Add annotated text; its reading comes after the last annotated piece in a row, so that no word is torn."""
        self.pieces.append(base)
        self.readings.append(reading)

    def anchor_from(self, start: int) -> str:
        """Return the text of a hyperlink that begins with a piece, as much of it as is kept of an anchor text."""
        return "".join(self.pieces[start : start + MAX_ANCHOR])[:MAX_ANCHOR]

    def text(self) -> str:
        """Return the text, its number before it; "" when it says nothing."""
        if self.readings:
            self._end_ruby()
        text = "".join(self.pieces)
        if not text.strip():
            return ""
        return f"{self.label} {text}" if self.label else text

    def _end_ruby(self) -> None:
        reading = "".join(self.readings)
        self.readings.clear()
        if reading:
            self.pieces.append(f"({reading})")


class WordStory:
    """The lines of a story so far, and the fields that are open in it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.fields: list[WordField] = []
        self.carried: WordParagraph | None = None
        """A paragraph whose end was deleted: its text goes on in the next."""

    @property
    def in_code(self) -> bool:
        """Return whether the code of a field is being read."""
        return any(field.in_code for field in self.fields)

    def begin(self, label: str) -> WordParagraph:
        """Begin a paragraph with the number that stands before it."""
        carried, self.carried = self.carried, None
        if carried is None:
            return WordParagraph(label, [], [])
        paragraph = WordParagraph(carried.label or label, carried.pieces, carried.readings)
        paragraph.after = carried.after
        return paragraph

    def end(self, paragraph: WordParagraph) -> str:
        """End a paragraph and return its text. A field that shows no result by now is taken not to be one."""
        for field in self.fields:
            field.in_code = False
        if paragraph.joins_next:
            self.carried = paragraph
            return ""
        text = paragraph.text()
        if text:
            self.lines.append(text)
        self.lines += paragraph.after
        return text

    def close(self) -> list[str]:
        """Return the lines, and begin with none."""
        if self.carried is not None:
            paragraph, self.carried = self.carried, None
            paragraph.joins_next = False
            self.end(paragraph)
        lines, self.lines = self.lines, []
        return lines
