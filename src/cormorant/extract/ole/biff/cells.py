"""Cells of an XLS file: [MS-XLS] 2.4, and the records that older versions had for them.

Values are passed on as they are read: numbers with their style, and texts.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Final

from cormorant.extract.document.cells.cell_formats import CellFormats
from cormorant.extract.document.cells.rk_number import rk_number
from cormorant.extract.document.cells.sheet_text import RowText
from cormorant.extract.document.text_builder import TextBuilder
from cormorant.extract.ole.biff.links import formula_link
from cormorant.extract.ole.biff.records import BiffRecord, BiffStream, TextPieces, long_text, short_text

MAX_KEPT: Final = 200_000
"""Texts of cells that are kept for the hyperlinks upon them."""

_CELL: Final = struct.Struct("<HHH")
_TEXT_CELL: Final = struct.Struct("<HHHI")
_NUMBER_CELL: Final = struct.Struct("<HHHd")
_RK: Final = struct.Struct("<HI")
_U16: Final = struct.Struct("<H")
_DOUBLE: Final = struct.Struct("<d")
_NO_NUMBER: Final = 0xFFFF
_FORMULA: Final = 0x0006
_NEW_KINDS: Final = 0x0080
_TEXT, _BOOLEAN = 0, 1


class BiffCells:
    """Reads the records of cells into the rows of a text.

    `version`, `codec` ("" for Unicode) and `strings` (the shared ones) are set by its owner as they become known.
    """

    def __init__(self, stream: BiffStream, text: TextBuilder, formats: CellFormats, *, keep_texts: bool) -> None:
        """Read from `stream` into `text`; `keep_texts` when hyperlinks will ask for the texts of cells."""
        self.version = 8
        self.codec = ""
        self.strings: list[str] = []
        self.links: list[tuple[str, str]] = []
        self._stream = stream
        self._data = stream.data
        self._formats = formats
        self._rows = RowText(text)
        self._row = -1
        self._keep_texts = keep_texts
        self._texts: dict[tuple[int, int], str] = {}
        self._awaited: tuple[int, int, int] | None = None
        self._link = ""
        self.handlers: Mapping[int, Callable[[BiffRecord], None]] = {
            0x0002: self._on_integer, 0x0003: self._on_old_number, 0x0203: self._on_number, 0x0004: self._on_label,
            0x0204: self._on_label, 0x00D6: self._on_label, 0x0005: self._on_boolean, 0x0205: self._on_boolean,
            0x0006: self._on_formula, 0x0206: self._on_formula, 0x0406: self._on_formula, 0x0007: self._on_string,
            0x0207: self._on_string, 0x027E: self._on_rk, 0x00BD: self._on_many_rk, 0x00FD: self._on_shared_string,
        }  # fmt: skip

    def end_row(self) -> None:
        """End the row, before a line that is none."""
        self._rows.end()
        self._row = -1

    def end_sheet(self) -> None:
        """End the last row of a sheet."""
        self.end_row()
        self._awaited = None
        self._texts.clear()

    def text_at(self, row: int, column: int) -> str:
        """Return the text of a cell of this sheet, "" when it has none."""
        return self._texts.get((row, column), "")

    def _to_row(self, row: int) -> None:
        if row != self._row:
            self._rows.end()
            self._row = row

    def _add_number(self, row: int, style: int, number: float) -> None:
        self._to_row(row)
        number_format = self._formats.of_style(style) if style >= 0 else self._formats.of_id(~style)
        self._rows.add(*number_format.words(number))

    def _add_text(self, row: int, column: int, style: int, text: str) -> None:
        self._to_row(row)
        if style >= 0:
            text = self._formats.of_style(style).display_text(text)
        self._rows.add(text)
        if self._keep_texts and len(self._texts) < MAX_KEPT:
            self._texts[row, column] = text

    def _is_old(self, record: BiffRecord) -> bool:
        """Return whether a record has the form of BIFF2, as newer files may too; FORMULA reuses its old number."""
        return record.kind < _NEW_KINDS and (record.kind != _FORMULA or self.version < 5)

    def _cell(self, record: BiffRecord) -> tuple[int, int, int, int]:
        """Return row, column, style and the place of the value.

        BIFF2 has attributes in place of a style, among them the number of a format, here below zero.
        """
        row, column, style = _CELL.unpack_from(self._data, record.start)
        if self._is_old(record):
            return row, column, ~(self._data[record.start + 5] & 0x3F), record.start + 7
        return row, column, style, record.start + 6

    def _on_number(self, record: BiffRecord) -> None:
        row, _, style, number = _NUMBER_CELL.unpack_from(self._data, record.start)
        self._add_number(row, style, number)

    def _on_old_number(self, record: BiffRecord) -> None:
        row, _, style, place = self._cell(record)
        self._add_number(row, style, _DOUBLE.unpack_from(self._data, place)[0])

    def _on_integer(self, record: BiffRecord) -> None:
        row, _, style, place = self._cell(record)
        self._add_number(row, style, _U16.unpack_from(self._data, place)[0])

    def _on_rk(self, record: BiffRecord) -> None:
        row, _, style, rk = _TEXT_CELL.unpack_from(self._data, record.start)
        self._add_number(row, style, rk_number(rk))

    def _on_many_rk(self, record: BiffRecord) -> None:
        row = _U16.unpack_from(self._data, record.start)[0]
        count = (record.size - 6) // _RK.size
        for place in range(record.start + 4, record.start + 4 + count * _RK.size, _RK.size):
            style, rk = _RK.unpack_from(self._data, place)
            self._add_number(row, style, rk_number(rk))

    def _on_shared_string(self, record: BiffRecord) -> None:
        row, column, style, number = _TEXT_CELL.unpack_from(self._data, record.start)
        if number < len(self.strings):
            self._add_text(row, column, style, self.strings[number])

    def _on_label(self, record: BiffRecord) -> None:
        row, column, style, place = self._cell(record)
        body = self._stream.body(record)
        read = short_text if style < 0 else long_text
        self._add_text(row, column, style, read(body, place - record.start, self.codec)[0])

    def _on_boolean(self, record: BiffRecord) -> None:
        row, _, _, place = self._cell(record)
        value, is_error = self._data[place : place + 2]
        if not is_error:
            self._to_row(row)
            self._rows.add("TRUE" if value else "FALSE")

    def _on_formula(self, record: BiffRecord) -> None:
        row, column, style, place = self._cell(record)
        self._link = "" if style < 0 or self.version < 5 else formula_link(self._stream.body(record), self.codec)
        if self._link:
            self.links.append((self._link, ""))
        if _U16.unpack_from(self._data, place + 6)[0] != _NO_NUMBER:
            self._add_number(row, style, _DOUBLE.unpack_from(self._data, place)[0])
            return
        kind = self._data[place]
        self._awaited = (row, column, style) if kind == _TEXT else None
        if kind == _BOOLEAN:
            self._to_row(row)
            self._rows.add("TRUE" if self._data[place + 2] else "FALSE")

    def _on_string(self, record: BiffRecord) -> None:
        """Read the text that is the result of the formula before it."""
        pieces = self._stream.continued(record)
        if len(pieces) == 1:
            read = short_text if self._is_old(record) else long_text
            text = read(pieces[0], 0, self.codec)[0]
        elif self.codec:
            text = long_text(b"".join(pieces), 0, self.codec)[0]
        else:
            text = TextPieces(pieces).plain_text()
        if self._awaited:
            self._add_text(*self._awaited, text)
            if self._link:
                self.links[-1] = (self._link, text)
        self._awaited = None
