"""Machine that reads RTF: it follows groups, and gathers the text that they write.

tokens ──words of the tables──> state of the group ──bytes in its charset──> text of the body, a note, a box
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set as AbstractSet
from typing import Final, TypeAlias

from cormorant.extract.document.text_builder import CELL, TextBuilder
from cormorant.extract.rtf.charsets import FontTable
from cormorant.extract.rtf.groups import RtfGroup, RtfText
from cormorant.extract.rtf.tokens import RtfKind, RtfTokens
from cormorant.extract.sanitize import MAX_TEXT
from cormorant.model.content import Value

MAX_DEPTH: Final = 10_000
"""Groups in each other; those that lie deeper change nothing that would have to be undone."""
MAX_APART: Final = 20
"""Texts in each other that are gathered apart: a note in a box in a header."""
FONTS: Final = "fonts"
MATHEMATICS: Final = "math"

_SYMBOLS: Final = {"~": " ", "_": "-", "\t": "\t"}
_LITERAL: Final = frozenset("{}\\")
_PARAGRAPH_ENDS: Final = frozenset("\r\n")

WordReader: TypeAlias = "Callable[[RtfMachine, int | None], None]"


class RtfMachine:
    """The state of a document while it is read. Readers of control words call its methods."""

    def __init__(self, body: bytes, words: Mapping[str, WordReader], destinations: AbstractSet[str]) -> None:
        """Read `body`; `destinations` are those of the `words` that may follow a star, by which others are ignored."""
        self.tokens = RtfTokens(body)
        self.fonts = FontTable()
        self.default_font = 0
        self.font_entry = 0
        """The font of the table that is being described."""
        self.out = TextBuilder()
        self.body = RtfText()
        self.links: list[tuple[str, str]] = []
        self.info: dict[str, str] = {}
        self.custom: dict[str, Value] = {}
        self.names: dict[str, str] = {}
        """Texts for the next destination: the author of a comment, the name of a property."""
        self.property_type = 0
        self.group = RtfGroup()
        self._words = words
        self._destinations = destinations
        self._outer: list[RtfGroup] = []
        self._deeper = 0
        self._pending = bytearray()
        self._skip = 0
        self._starred = False

    def run(self) -> bool:
        """Read the document; return whether its end was reached."""
        text, byte, word, opened, closed = RtfKind.TEXT, RtfKind.BYTE, RtfKind.WORD, RtfKind.OPEN, RtfKind.CLOSE
        for kind, name, data, number in self.tokens:
            if kind is text or kind is byte:
                if data:
                    self._add_bytes(data)
            elif kind is word:
                self._read_word(name, number)
            elif kind is opened:
                self._open()
            elif kind is closed:
                self._close()
                if not self._outer:
                    break
            else:
                self._read_symbol(name, data)
            if self.body.size > MAX_TEXT:
                break
        whole = not self._outer
        self.flush()
        self._deeper = 0
        while self._outer:
            self._close()
        return whole

    def add(self, text: str) -> None:
        """Add characters to the text of the group."""
        self.flush()
        if self.group.text is not None and not self.group.silent:
            self.group.text.add(text)

    def add_character(self, text: str) -> None:
        """Add a character that a control word stands for, unless it only stands in for one in Unicode."""
        if self._skip:
            self._skip -= 1
        else:
            self.add(text)

    def add_unicode(self, number: int) -> None:
        """Add a character of Unicode, or half of one; the characters that follow stand in for it."""
        self.add(self.group.charset.character(number))
        self._skip = self.group.fallback

    def end_paragraph(self) -> None:
        """End the paragraph; the end of one whose text is not shown parts words all the same."""
        self.flush()
        self._skip = 0
        if self.group.text is not None:
            self.group.text.end_paragraph()

    def break_line(self) -> None:
        """End the line within a paragraph."""
        self.flush()
        self._skip = 0
        if self.group.text is not None:
            self.group.text.add("\n")

    def add_box(self, text: str) -> None:
        """Add lines that are set apart from the paragraph in which they stand."""
        self.flush()
        if self.group.text is not None:
            self.group.text.add_box(tidy_lines(text))

    def add_reading(self, text: str) -> None:
        """Add the reading of the word before it."""
        self.flush()
        if self.group.text is not None and not self.group.silent:
            self.group.text.add_reading(text)

    def divert(self, done: Callable[[str], None]) -> None:
        """Gather the text of the group apart, and hand it over when the group ends."""
        if self.group.apart >= MAX_APART:
            return
        self.flush()
        self.group.apart += 1
        text = self.group.text = RtfText()
        self.group.silent = False
        self.group.ended = lambda: done(text.text())

    def select_font(self, font: int) -> None:
        """Read bytes from now on in the charset of a font."""
        charset = self.fonts.charset(font)
        if charset is not self.group.charset:
            self.flush()
            self.group.charset = charset

    def flush(self) -> None:
        """Decode the bytes that are waiting; a character may have several, in control words of their own."""
        if self._pending:
            if self.group.text is not None:
                self.group.text.add(self.group.charset.decode(bytes(self._pending)))
            self._pending.clear()

    def _add_bytes(self, data: bytes) -> None:
        self._starred = False
        if self._skip:
            skipped = min(self._skip, len(data))
            self._skip -= skipped
            data = data[skipped:]
        group = self.group
        if group.place == FONTS:
            self.fonts.add_name(self.font_entry, data.decode("latin-1"))
        elif group.text is not None and not group.silent:
            self._pending += data

    def _read_word(self, name: str, number: int | None) -> None:
        if self._starred:
            self._starred = False
            if name not in self._destinations:
                self.tokens.skip_group()
                return
        reader = self._words.get(name)
        if reader is not None:
            reader(self, number)
        elif name.endswith("Pr") and self.group.place == MATHEMATICS:
            self.tokens.skip_group()

    def _read_symbol(self, name: str, data: bytes) -> None:
        self._starred = name == "*" and self.tokens.follows_brace()
        if name in _LITERAL:
            self._add_bytes(data)
        elif name in _PARAGRAPH_ENDS:
            self.end_paragraph()
        elif name in _SYMBOLS:
            self.add_character(_SYMBOLS[name])

    def _open(self) -> None:
        self._skip = 0
        self._starred = False
        if len(self._outer) >= MAX_DEPTH:
            self._deeper += 1
            return
        foreign = self.group.pair and not self.tokens.starts_with(b"\\*\\ud")
        self._outer.append(self.group)
        self.group = self.group.inner()
        if foreign:
            self.tokens.skip_group()

    def _close(self) -> None:
        self._skip = 0
        self._starred = False
        if self._deeper:
            self._deeper -= 1
            return
        if not self._outer:
            return
        group, outer = self.group, self._outer[-1]
        if self._pending and (group.ended or group.text is not outer.text or group.charset is not outer.charset):
            self.flush()
        self.group = self._outer.pop()
        if group.ended is not None:
            group.ended()


def tidy_lines(text: str) -> str:
    """Return text without empty lines and cells, and with one space between words."""
    lines = (
        CELL.join(filter(None, (" ".join(cell.split()) for cell in line.split(CELL)))) for line in text.split("\n")
    )
    return "\n".join(filter(None, lines))
