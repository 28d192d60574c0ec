"""Tables (ODF 1.3-3 9): a line for each row, its cells apart; values of cells as displayed and as they are.

A repeated row or cell is read once, whatever its count (9.1.3 to 9.1.5).
"""

from __future__ import annotations

import re
from typing import Final

from cormorant.extract.document.text_builder import CELL
from cormorant.extract.document.xml_tree import Element
from cormorant.extract.opendocument.flow import ElementReader, Flow
from cormorant.extract.opendocument.names import clark

_PARAGRAPH: Final = clark("text:p")
_CELLS: Final = frozenset((clark("table:table-cell"), clark("table:covered-table-cell")))
_VALUE_TYPE: Final = clark("office:value-type")
_VALUES: Final = {
    "float": clark("office:value"),
    "percentage": clark("office:value"),
    "currency": clark("office:value"),
    "date": clark("office:date-value"),
    "time": clark("office:time-value"),
    "string": clark("office:string-value"),
    "boolean": clark("office:boolean-value"),
}
_DURATION: Final = re.compile(r"PT(\d{1,9})H(\d{1,2})M(\d{1,2})(?:[.,](\d{1,9}))?S")
_NO_TIME: Final = "T00:00:00"


def cell_text(flow: Flow, cell: Element) -> str:
    """Return the text of a cell, and its value after it where it is written otherwise: `2.50 % 0.025`."""
    shown = _shown(flow, cell)
    kind = cell.get(_VALUE_TYPE)
    if not kind or (shown and kind in ("string", "boolean")):
        return shown
    attribute = _VALUES.get(kind)
    value = _plain(kind, cell.get(attribute) or "") if attribute else ""
    if not value or value in shown.split():
        return shown
    return f"{shown} {value}" if shown else value


def row_cells(flow: Flow, row: Element) -> list[str]:
    """Return the texts of the cells of a row that have any."""
    found = []
    for cell in row:
        if cell.tag in _CELLS and (len(cell) or cell.get(_VALUE_TYPE)):
            text = cell_text(flow, cell)
            if text:
                found.append(text)
    return found


def _shown(flow: Flow, cell: Element) -> str:
    if len(cell) == 1 and cell[0].tag == _PARAGRAPH and not len(cell[0]):
        return " ".join((cell[0].text or "").split())
    return flow.apart(cell) if len(cell) else ""


def _plain(kind: str, value: str) -> str:
    """Return a value as people would search for it: `2026-03-14`, `10:30:00`."""
    if kind == "date":
        return value.removesuffix(_NO_TIME).replace("T", " ")
    if kind == "time":
        match = _DURATION.fullmatch(value)
        return ":".join(part.zfill(2) for part in match.groups()[:3]) if match else ""
    return value


def _row(flow: Flow, row: Element) -> None:
    """Read a row of a table in a text, whose cells may hold pages: those stand on lines of their own."""
    cells = row_cells(flow, row)
    flow.line(("\n" if any("\n" in cell for cell in cells) else CELL).join(cells))


TABLE_READERS: Final[dict[str, ElementReader]] = {"table:table-row": _row}
