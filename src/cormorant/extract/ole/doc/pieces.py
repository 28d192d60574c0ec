"""The text of a Word document, put together of its pieces: [MS-DOC] 2.4.1 and 2.8.35.

A character is addressed by its position (CP, a count of UTF-16 units) in the text, and by its byte in the stream. The
text that is made here has one character for each position, so that positions are places in it.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

from cormorant.extract.ole.code_pages import unit_text
from cormorant.extract.ole.doc.information import Structure, WordFile
from cormorant.extract.sanitize import MAX_TEXT

MAX_POSITIONS: Final = MAX_TEXT + MAX_TEXT // 2
"""Characters of a document that are put together; some of them are marks, or deleted."""
MAX_PIECES: Final = 1_000_000

_PROPERTIES, _PIECE_TABLE = 1, 2
_U16: Final = struct.Struct("<H")
_U32: Final = struct.Struct("<I")
_PIECE: Final = struct.Struct("<2xIH")
_BYTES: Final = 0x40000000


class Piece(NamedTuple):
    """A run of characters: positions `first` to `last` (exclusive) lie from byte `start`, `width` bytes each.

    `modifier` is what was changed in all of it since the document was saved as a whole ([MS-DOC] 2.9.215), else 0.
    """

    first: int
    last: int
    start: int
    width: int
    modifier: int = 0


class PieceTable(NamedTuple):
    """The pieces of a document in the order of their positions, and the lists of changes that they refer to."""

    pieces: list[Piece]
    changes: list[bytes]
    damaged: bool = False


def read_pieces(file: WordFile) -> PieceTable:
    """Return the pieces of a document; when their table is damaged, the text that the block names as one piece."""
    if file.in_pieces:
        table = _read_table(file.structure(Structure.PIECES), 1 if file.old else 0)
        if table.pieces:
            return table
    size = min(file.end, len(file.text)) - file.start
    if size <= 0:
        return PieceTable([], [], damaged=True)
    wide = not file.old and _is_wide(file.text[file.start : file.start + size])
    count = size // 2 if wide else size
    return PieceTable([Piece(0, min(count, MAX_POSITIONS), file.start, 2 if wide else 1)], [], damaged=file.in_pieces)


def _is_wide(data: bytes) -> bool:
    return data[1::2].count(0) * 4 > len(data)


def _read_table(data: bytes, width: int) -> PieceTable:
    changes: list[bytes] = []
    place = 0
    while place + 3 <= len(data) and data[place] == _PROPERTIES:
        size = _U16.unpack_from(data, place + 1)[0]
        changes.append(data[place + 3 : place + 3 + size])
        place += 3 + size
    if place + 5 > len(data) or data[place] != _PIECE_TABLE:
        return PieceTable([], changes, damaged=True)
    size = _U32.unpack_from(data, place + 1)[0]
    table = data[place + 5 : place + 5 + size]
    damaged = len(table) < size
    count = min(max(0, len(table) - 4) // 12, MAX_PIECES)
    positions = struct.unpack_from(f"<{count + 1}I", table) if count else (0,)
    pieces: list[Piece] = []
    total = 0
    described = table[(count + 1) * 4 : (count + 1) * 4 + count * 8]
    for place, (start, modifier) in enumerate(_PIECE.iter_unpack(described)):
        length = positions[place + 1] - positions[place]
        if length < 0 or total + length > MAX_POSITIONS:
            return PieceTable(pieces, changes, damaged=True)
        narrow = width or bool(start & _BYTES)
        begin = start if width else (start & (_BYTES - 1)) >> 1 if narrow else start & (_BYTES - 1)
        pieces.append(Piece(total, total + length, begin, 1 if narrow else 2, modifier))
        total += length
    return PieceTable(pieces, changes, damaged)


def read_text(file: WordFile, table: PieceTable) -> tuple[str, bool]:
    """Return the text of all pieces, one character for each position, and whether some of it is missing.

    Characters that lie beyond the end of the stream are NUL.
    """
    found: list[str] = []
    missing = False
    for piece in table.pieces:
        length = piece.last - piece.first
        data = file.text[piece.start : piece.start + length * piece.width]
        text = data.decode("latin-1" if file.old else "cp1252", "replace") if piece.width == 1 else unit_text(data)
        missing |= len(text) < length
        found.append(text.ljust(length, "\0"))
    return "".join(found), missing


class PositionIndex:
    """Finds the positions of bytes of the stream: the pieces by where they begin in it."""

    def __init__(self, pieces: list[Piece]) -> None:
        """Order the pieces by their bytes."""
        self._pieces = sorted((piece for piece in pieces if piece.first < piece.last), key=lambda piece: piece.start)
        self._starts = [piece.start for piece in self._pieces]

    def positions(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges of positions whose characters begin at bytes from `start` to `end` (exclusive)."""
        place = max(0, bisect_right(self._starts, start) - 1)
        while place < len(self._pieces) and self._starts[place] < end:
            piece = self._pieces[place]
            first = piece.first + max(0, -(-(start - piece.start) // piece.width))
            last = min(piece.last, piece.first + -(-(end - piece.start) // piece.width))
            if first < last:
                yield first, last
            place += 1
