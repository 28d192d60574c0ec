"""Groups of RTF while they are open, and the texts that they write to."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from cormorant.extract.rtf.charsets import FontCharset
from cormorant.extract.rtf.fields import RtfField

MAX_LABEL: Final = 200
"""Pieces of text by which a link is named."""

_PARAGRAPH: Final = "\n"
_HALF: Final = re.compile("[\ud800-\udfff]")


class RtfText:
    """A text while it grows: that of the body, of a note, of a box. Boxes follow the paragraph that they stand in."""

    def __init__(self) -> None:
        """Start an empty text."""
        self.pieces: list[str] = []
        self.size = 0
        self._boxes: list[str] = []

    def add(self, text: str) -> None:
        """Add characters."""
        self.pieces.append(text)
        self.size += len(text)

    def add_box(self, text: str) -> None:
        """Add lines that follow the paragraph."""
        if text:
            self._boxes.append(text)
            self.size += len(text)
            self.pieces.append(" ")

    def add_reading(self, text: str) -> None:
        """Add the reading of a word, which follows the paragraph and tears no word apart."""
        if text:
            self._boxes.append(text)
            self.size += len(text)

    def end_paragraph(self) -> None:
        """End the paragraph."""
        self.pieces.append(_PARAGRAPH)
        if self._boxes:
            self.pieces.append(_PARAGRAPH.join([*self._boxes, ""]))
            self._boxes.clear()

    def text(self) -> str:
        """Return the text; surrogate pairs are joined."""
        return _joined(_PARAGRAPH.join(["".join(self.pieces), *self._boxes]))

    def label(self, start: int) -> str:
        """Return the text from the piece of number `start` on, up to the limit of a link's name."""
        return _joined("".join(self.pieces[start : start + MAX_LABEL]))


def _joined(text: str) -> str:
    if _HALF.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class RtfGroup:
    """The state that a group changes until it ends."""

    __slots__ = ("apart", "charset", "ended", "fallback", "field", "pair", "place", "silent", "text")

    def __init__(self) -> None:
        """Start as a document does."""
        self.charset = FontCharset()
        self.fallback = 1
        """Characters that stand for one in Unicode, for those who do not know it (`uc`)."""
        self.silent = False
        """Whether its text is not shown: deleted text, the bytes of a picture."""
        self.pair = False
        """Whether its groups hold the same text in two charsets (`upr`)."""
        self.text: RtfText | None = None
        """Where its text goes, None for nowhere."""
        self.place = ""
        """The part of the document in which it stands, as far as words mean something else there."""
        self.field: RtfField | None = None
        self.apart = 0
        """How many texts that are gathered apart lie around it."""
        self.ended: Callable[[], None] | None = None
        """The action at its end."""

    def inner(self) -> RtfGroup:
        """Return a group that begins in this one."""
        group = RtfGroup.__new__(RtfGroup)
        group.charset, group.fallback, group.silent, group.pair = self.charset, self.fallback, self.silent, False
        group.text, group.place, group.field, group.ended = self.text, self.place, self.field, None
        group.apart = self.apart
        return group
