"""A sheet of an XLSB workbook: [MS-XLSB], worksheets and chart sheets."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Final

from cormorant.extract.document.cells.rk_number import rk_number
from cormorant.extract.document.cells.sheet_text import MAX_CELL, RowText, header_text
from cormorant.extract.ooxml.sheets.binary_records import BinaryRecords, RecordFields
from cormorant.extract.ooxml.sheets.workbook_state import WorkbookState

MAX_KEPT: Final = 200_000
"""Texts of cells that are kept for the hyperlinks upon them."""

_CELL: Final = struct.Struct("<II")
_STYLE: Final = struct.Struct("<I")
_DOUBLE: Final = struct.Struct("<d")
_ROW, _LINK, _HEADERS, _VALIDATION = 0, 494, 479, 64
_RK, _BOOLEAN, _NUMBER, _TEXT, _SHARED, _RICH_TEXT = 2, 4, 5, 6, 7, 62
_TEXT_FORMULA, _NUMBER_FORMULA, _BOOLEAN_FORMULA = 8, 9, 10
# The same values without a column, which is that of the cell before and one.
_SHORT: Final = {13: _RK, 15: _BOOLEAN, 16: _NUMBER, 17: _TEXT, 18: _SHARED}
_TEXT_TOKEN: Final = 0x17
_LIST: Final = 3
_CALL: Final = b"\x67\x01"


class BinarySheetReader:
    """Reads one sheet into the text of its workbook."""

    def __init__(self, state: WorkbookState, part: str) -> None:
        """Hold the part that is to be read."""
        self._state = state
        self._part = part
        self._rows = RowText(state.text)
        self._row = self._column = -1
        self._texts: dict[tuple[int, int], str] = {}
        self._values: Mapping[int, Callable[[bytes, int, int], str]] = {
            _RK: self._rk, _BOOLEAN: self._boolean, _NUMBER: self._number, _TEXT: self._text, _SHARED: self._shared,
            _RICH_TEXT: self._rich_text, _TEXT_FORMULA: self._formula, _NUMBER_FORMULA: self._number,
            _BOOLEAN_FORMULA: self._boolean,
        }  # fmt: skip
        self._others: Mapping[int, Callable[[RecordFields], None]] = {
            _ROW: self._on_row, _LINK: self._on_link, _HEADERS: self._on_headers, _VALIDATION: self._on_validation
        }  # fmt: skip

    def read(self) -> None:
        """Read rows, hyperlinks, prompts, headers and footers."""
        records = BinaryRecords(self._state.read(self._part))
        damaged = False
        for kind, record in records:
            try:
                self._handle(kind, record)
            except (struct.error, IndexError):
                damaged = True
            if self._state.text.full:
                break
        self._rows.end()
        if damaged or not records.complete:
            self._state.package.blame(self._part)

    def _handle(self, kind: int, record: bytes) -> None:
        value = self._values.get(kind)
        if value is not None:
            self._column, style = _CELL.unpack_from(record)
            self._keep(value(record, 8, style & 0xFFFFFF))
        elif kind in _SHORT:
            self._column += 1
            self._keep(self._values[_SHORT[kind]](record, 4, _STYLE.unpack_from(record)[0] & 0xFFFFFF))
        elif kind in self._others:
            self._others[kind](RecordFields(record))

    def _keep(self, shown: str) -> None:
        if shown and len(self._texts) < MAX_KEPT:
            self._texts[self._row, self._column] = shown

    def _add_number(self, number: float, style: int) -> str:
        shown, raw = self._state.formats.of_style(style).words(number)
        self._rows.add(shown, raw)
        return shown

    def _add_text(self, text: str, style: int) -> str:
        shown = self._state.formats.of_style(style).display_text(text[:MAX_CELL])
        self._rows.add(shown)
        return shown

    def _rk(self, record: bytes, place: int, style: int) -> str:
        return self._add_number(rk_number(_STYLE.unpack_from(record, place)[0]), style)

    def _number(self, record: bytes, place: int, style: int) -> str:
        return self._add_number(_DOUBLE.unpack_from(record, place)[0], style)

    def _boolean(self, record: bytes, place: int, style: int) -> str:  # noqa: ARG002
        self._rows.add("TRUE" if record[place] else "FALSE")
        return ""

    def _text(self, record: bytes, place: int, style: int) -> str:
        return self._add_text(RecordFields(record, place).text(), style)

    def _rich_text(self, record: bytes, place: int, style: int) -> str:
        return self._add_text(RecordFields(record, place + 1).text(), style)

    def _shared(self, record: bytes, place: int, style: int) -> str:
        number = _STYLE.unpack_from(record, place)[0]
        return self._add_text(self._state.strings[number], style) if number < len(self._state.strings) else ""

    def _formula(self, record: bytes, place: int, style: int) -> str:
        """Read the text that is the result of a formula, and the address when it calls HYPERLINK with one."""
        fields = RecordFields(record, place)
        shown = self._add_text(fields.text(), style)
        fields.skip(2)
        size = fields.u32()
        formula = record[fields.place : fields.place + size]
        if formula[:1] == bytes((_TEXT_TOKEN,)) and _CALL in formula:
            self._state.links.append((_token_text(formula), shown))
        return shown

    def _on_row(self, fields: RecordFields) -> None:
        self._rows.end()
        self._row, self._column = fields.u32(), -1

    def _on_link(self, fields: RecordFields) -> None:
        """Read a hyperlink (BrtHLink)."""
        row, _, column, _ = (fields.u32() for _ in range(4))
        relationship_id, location, tooltip, display = (fields.text() for _ in range(4))
        self._state.text.aside(tooltip)
        target = self._state.external_target(self._part, relationship_id, location)
        if target:
            self._state.links.append((target, self._texts.get((row, column)) or display))

    def _on_headers(self, fields: RecordFields) -> None:
        fields.skip(2)
        for _ in range(6):
            self._state.text.aside(header_text(fields.text()))

    def _on_validation(self, fields: RecordFields) -> None:
        """Read the error message and the prompt for what is typed, and a list to choose from (BrtDVal)."""
        kind = fields.u32() & 0xF
        fields.skip(16 * fields.u32())
        for _ in range(4):
            self._state.text.aside(fields.text())
        size = fields.u32()
        formula = fields.data[fields.place : fields.place + size]
        if kind == _LIST and formula[:1] == bytes((_TEXT_TOKEN,)):
            self._state.text.aside(_token_text(formula).replace("\0", "\n").replace(",", "\n"))


def _token_text(formula: bytes) -> str:
    """Return the text of a PtgStr token at the beginning of a formula."""
    fields = RecordFields(formula, 1)
    return fields.characters(fields.u16())
