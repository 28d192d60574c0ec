"""Formatting of a Word document that changes its text: [MS-DOC] 2.4.6.

deleted revisions      characters that are struck out, and no longer part of the text
symbols                a placeholder stands for a character of another font
pictures, form fields  where in the data stream they lie
ends of rows           the same mark as the end of a cell
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from cormorant.extract.ole.doc.formatted_runs import formatted_runs, modifiers, placed_runs
from cormorant.extract.ole.doc.information import Structure, WordFile
from cormorant.extract.ole.doc.pieces import Piece, PieceTable, PositionIndex
from cormorant.extract.ole.symbol_font import font_symbol

ROW_END: Final = "\x1d"
"""Stands in the text for a cell mark that ends a row."""
DELETED: Final = "\0"
"""Stands in the text for a character that is no longer part of it."""
MAX_CHANGES: Final = 2_000_000
"""Runs of deleted text, symbols and pictures that are heeded."""

_U32: Final = struct.Struct("<I")
_SYMBOL: Final = struct.Struct("<HH")
_DELETED: Final = 0x0800
_DELETED_SHORT: Final = 0x41
_SYMBOL_AT: Final = 0x6A09
_PICTURE_AT: Final = 0x6A03
_FONTS: Final = (0x4A4F, 0x4A51)
_USUAL_FONT: Final = "Symbol"
_NO_TEXT: Final = " "
_ROW_END: Final = 0x2417
# Formatting too long for its page lies in the data stream; of cell marks, only those that end a row have that much.
_ELSEWHERE: Final = 0x6646
_CHARACTER_SIGNS: Final = tuple(struct.pack("<H", code) for code in (_DELETED, _SYMBOL_AT, _PICTURE_AT))
_FONT_SIGNS: Final = tuple(struct.pack("<H", code) for code in _FONTS)
# Characters of fonts that have an encoding of their own.
_OWN_CODE: Final = re.compile("[\uf020-\uf0ff]")
_PARAGRAPH_SIGNS: Final = tuple(struct.pack("<H", code) for code in (_ROW_END, _ELSEWHERE))
_FONT_NAME: Final = 40


class FormattedText(NamedTuple):
    """The text with its formatting applied, still one character for each position.

    `pictures` are places in the data stream by position. `rows`: ends of rows are marked as such.
    """

    text: str
    pictures: dict[int, int]
    rows: bool


class _Change(NamedTuple):
    """New text of some positions: a character for each of them, or one for all."""

    first: int
    last: int
    text: str


def apply_formatting(file: WordFile, table: PieceTable, text: str) -> FormattedText:
    """Return `text` without deleted characters, with symbols and ends of rows; Word 6 and 95 are left as they are."""
    if file.old:
        return FormattedText(text, {}, rows=False)
    changes: list[_Change] = list(_changed_pieces(table))
    pictures: dict[int, int] = {}
    index = PositionIndex(table.pieces)
    fonts = _font_names(file)
    signs = _CHARACTER_SIGNS + (_FONT_SIGNS if _OWN_CODE.search(text) else ())
    for first, last, found, _ in placed_runs(formatted_runs(file, Structure.CHARACTERS, signs), index, len(text)):
        changes += _changes_of_run(text, first, last, found, fonts)
        if _PICTURE_AT in found:
            pictures[first] = _U32.unpack(found[_PICTURE_AT])[0]
        if len(changes) + len(pictures) > MAX_CHANGES:
            break
    paragraphs = formatted_runs(file, Structure.PARAGRAPHS, _PARAGRAPH_SIGNS)
    rows = [
        _Change(last - 1, last, ROW_END)
        for _, last, found, _ in placed_runs(paragraphs, index, len(text))
        if text[last - 1 : last] == "\x07" and (found.get(_ROW_END, b"\0")[0] == 1 or _ELSEWHERE in found)
    ]
    text = _changed(text, sorted(changes + rows))
    return FormattedText(_in_font(text, _USUAL_FONT), pictures, rows=bool(rows))


def _changes_of_run(
    text: str, first: int, last: int, found: dict[int, bytes], fonts: dict[int, str]
) -> Iterator[_Change]:
    if found.get(_DELETED, b"\0")[0] & 1:
        yield _Change(first, last, DELETED)
    elif _SYMBOL_AT in found:
        font, code = _SYMBOL.unpack(found[_SYMBOL_AT])
        yield _Change(first, last, font_symbol(code, fonts.get(font, "")) or _NO_TEXT)
    else:
        numbers = (int.from_bytes(found[code], "little") for code in _FONTS if code in found)
        font_name = next((fonts[number] for number in numbers if number in fonts), _USUAL_FONT)
        if _OWN_CODE.search(text, first, last):
            yield _Change(first, last, _in_font(text[first:last], font_name))


def _in_font(text: str, font: str) -> str:
    """Return text of as many characters, those with a code of their own as the font means them."""
    return text.translate(_font_table(font)) if _OWN_CODE.search(text) else text


@lru_cache(maxsize=64)
def _font_table(font: str) -> dict[int, str]:
    return {code: font_symbol(code, font) or _NO_TEXT for code in range(0xF020, 0xF100)}


def _changed(text: str, changes: list[_Change]) -> str:
    pieces: list[str] = []
    place = 0
    for begin, last, new in changes:
        first = max(begin, place)
        if first < last:
            pieces += (text[place:first], new * (last - first) if len(new) == 1 else new[first - begin :])
            place = last
    pieces.append(text[place:])
    return "".join(pieces)


def _changed_pieces(table: PieceTable) -> Iterator[_Change]:
    """Yield the pieces that were deleted since the document was saved as a whole: [MS-DOC] 2.9.216 and 2.9.217."""
    for piece in table.pieces:
        if piece.modifier and _is_deleted(piece, table.changes):
            yield _Change(piece.first, piece.last, DELETED)


def _is_deleted(piece: Piece, changes: list[bytes]) -> bool:
    number = piece.modifier >> 1
    if piece.modifier & 1:
        found = dict(modifiers(changes[number])) if number < len(changes) else {}
        return bool(found.get(_DELETED, b"\0")[0] & 1)
    return number & 0x7F == _DELETED_SHORT and bool(piece.modifier >> 8 & 1)


def _font_names(file: WordFile) -> dict[int, str]:
    """Return the names of the fonts by number: [MS-DOC] 2.9.286 (SttbfFfn) and 2.9.83 (FFN)."""
    data = file.structure(Structure.FONTS)
    names: dict[int, str] = {}
    place = 4
    for number in range(int.from_bytes(data[:2], "little")):
        if place >= len(data):
            break
        size = data[place] + 1
        name = data[place + _FONT_NAME : place + size]
        names[number] = name[: len(name) & ~1].decode("utf-16-le", "replace").partition("\0")[0]
        place += size
    return names
