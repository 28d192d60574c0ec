"""The file information block (FIB) of a Word document: [MS-DOC] 2.5; Word 6 and 95 have an older one."""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Final

from cormorant.extract.detect.compound_file import Storage
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.ole.code_pages import DEFAULT_CODEC, language_codec

_WORD_97: Final = 0xA5EC
_WORD_6: Final = 0xA5DC
_LAST_OLD: Final = 105
_ENCRYPTED: Final = 0x0100
_SECOND_TABLE: Final = 0x0200
_COMPLEX: Final = 0x0004
_SHORTEST: Final = 0x168
_U16: Final = struct.Struct("<H")
_PAIR: Final = struct.Struct("<II")
_COUNTS: Final = struct.Struct("<8i")


class Part(IntEnum):
    """Parts of the text in the order in which they follow each other: [MS-DOC] 2.3."""

    MAIN = 0
    FOOTNOTES = 1
    HEADERS = 2
    MACROS = 3
    COMMENTS = 4
    ENDNOTES = 5
    TEXT_BOXES = 6
    HEADER_TEXT_BOXES = 7


class Structure(IntEnum):
    """Structures in the table stream that the block leads to, by their place in it: [MS-DOC] 2.5.6."""

    STYLES = 1
    CHARACTERS = 12
    PARAGRAPHS = 13
    FONTS = 15
    PIECES = 33
    ANCHORS = 40
    DRAWINGS = 50
    TEXT_BOXES = 56
    LIST_DEFINITIONS = 73
    LISTS = 74


_PAIRS_97: Final = 0x9A
_COUNTS_97: Final = 0x4C
_COUNTS_OLD: Final = 0x34
_OLD_PLACES: Final = {Structure.CHARACTERS: 0xB8, Structure.PARAGRAPHS: 0xC0, Structure.PIECES: 0x160}


class WordFile:
    """The streams of a Word document, and where in them everything lies.

    `text` is the stream of the text, `table` that of the structures. `old`: written by Word 6 or 95; its characters are
    bytes, `codec` their code page. `counts` are the characters of each Part. The text begins at byte `start` and ends
    before byte `end`, unless it is in pieces.
    """

    def __init__(self, storage: Storage) -> None:
        """Read the block. Raises Protected when the document is encrypted, Unreadable when there is no block."""
        self.storage = storage
        self.text = storage.read("WordDocument") or b""
        if len(self.text) < _SHORTEST:
            raise Unreadable("the stream of its text is missing or cut short")
        mark, version = _U16.unpack_from(self.text, 0)[0], _U16.unpack_from(self.text, 2)[0]
        if mark not in (_WORD_97, _WORD_6):
            raise Unreadable("the stream of its text does not begin as one of Word does")
        flags = _U16.unpack_from(self.text, 10)[0]
        if flags & _ENCRYPTED:
            raise Protected
        self.old = version <= _LAST_OLD
        self.codec = language_codec(_U16.unpack_from(self.text, 6)[0]) if self.old else DEFAULT_CODEC
        self.in_pieces = not self.old or bool(flags & _COMPLEX)
        self.start, self.end = _PAIR.unpack_from(self.text, 0x18)
        counts = _COUNTS.unpack_from(self.text, _COUNTS_OLD if self.old else _COUNTS_97)
        self.counts = [max(0, count) for count in counts]
        self.table = self.text if self.old else self._table_stream(flags)

    def structure(self, which: Structure) -> bytes:
        """Return the bytes of a structure, empty when the document has none, fewer than declared where it was cut."""
        place = _OLD_PLACES.get(which, -1) if self.old else _PAIRS_97 + which * _PAIR.size
        if place < 0 or place + _PAIR.size > len(self.text):
            return b""
        start, size = _PAIR.unpack_from(self.text, place)
        return self.table[start : start + size]

    def beginning_at(self, which: Structure) -> bytes:
        """Return all bytes from the beginning of a structure on: some have parts behind what the block declares."""
        place = _PAIRS_97 + which * _PAIR.size
        if self.old or place + _PAIR.size > len(self.text):
            return b""
        return self.table[_PAIR.unpack_from(self.text, place)[0] :]

    def _table_stream(self, flags: int) -> bytes:
        names = ("1Table", "0Table") if flags & _SECOND_TABLE else ("0Table", "1Table")
        return next((data for name in names if (data := self.storage.read(name))), b"")
