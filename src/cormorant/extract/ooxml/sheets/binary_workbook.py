"""Text of binary Excel workbooks (XLSB): [MS-XLSB]. Drawings, threads and properties are XML as in XLSX."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cormorant.extract.document.cells.cell_formats import MAX_STYLES
from cormorant.extract.document.cells.sheet_text import MAX_CELL, comment_text
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ooxml.extraction import ooxml_extraction
from cormorant.extract.ooxml.relationships import OoxmlPackage
from cormorant.extract.ooxml.sheets.binary_records import BinaryRecords, RecordFields
from cormorant.extract.ooxml.sheets.binary_sheet import BinarySheetReader
from cormorant.extract.ooxml.sheets.string_items import MAX_STRINGS
from cormorant.extract.ooxml.sheets.workbook_state import MAX_NAMES, THREAD_AUTHOR, SheetPart, WorkbookState
from cormorant.model.content import Extraction

_SHARED_STRING, _NAME, _FORMAT, _STYLE, _PROPERTIES, _SHEET = 19, 39, 44, 47, 153, 156
_BEGIN_STYLES, _END_STYLES = 617, 618
_AUTHOR, _BEGIN_COMMENT, _COMMENT_TEXT = 632, 635, 637
_HIDDEN_OR_BUILT_IN: Final = 0x21
_NAME_PLACE: Final = 9


def extract_xlsb(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the text of all sheets, hidden ones too.

    Raises Protected for a workbook behind a password, Unreadable for any other document.
    """
    state = WorkbookState(OoxmlPackage(body))
    package = state.package
    main = package.main_part()
    sheets, names = _read_workbook(state, main)
    _read_styles(state, main)
    _read_strings(state, main)
    for sheet in state.sheets_of(main, sheets):
        state.read_sheet(sheet, BinarySheetReader, _read_comments)
        if state.text.full:
            break
    for name in names:
        state.text.aside(name)
    return ooxml_extraction(package, task, state.text, state.links)


def _records(state: WorkbookState, part: str) -> Iterator[tuple[int, RecordFields]]:
    """Yield the records of a part; damage becomes a fault of the package."""
    records = BinaryRecords(state.read(part))
    for kind, record in records:
        yield kind, RecordFields(record)
    if not records.complete:
        state.package.blame(part)


def _read_workbook(state: WorkbookState, main: str) -> tuple[list[SheetPart], list[str]]:
    """Return the sheets of a workbook, and the names that a person gave to cells; keep its date system."""
    sheets: list[SheetPart] = []
    names: list[str] = []
    for kind, fields in _records(state, main):
        if kind == _PROPERTIES:
            state.formats.from_1904 = bool(fields.u32() & 1)
        elif kind == _SHEET:
            fields.skip(8)
            relationship_id, name = fields.text(), fields.text()
            sheets.append(SheetPart(name, state.package.target(main, relationship_id)))
        elif kind == _NAME and not fields.u32() & _HIDDEN_OR_BUILT_IN and len(names) < MAX_NAMES:
            fields.place = _NAME_PLACE
            names.append(fields.text())
    return sheets, names


def _read_styles(state: WorkbookState, main: str) -> None:
    """Read the format codes and the styles of cells (BrtFmt, BrtXF)."""
    of_cells = False
    for part in state.package.related(main, "styles")[:1]:
        for kind, fields in _records(state, part):
            if kind in (_BEGIN_STYLES, _END_STYLES):
                of_cells = kind == _BEGIN_STYLES
            elif kind == _FORMAT and len(state.formats.codes) < MAX_STYLES:
                state.formats.codes.setdefault(fields.u16(), fields.text())
            elif kind == _STYLE and of_cells and len(state.formats.format_ids) < MAX_STYLES:
                fields.skip(2)
                state.formats.format_ids.append(fields.u16())


def _read_strings(state: WorkbookState, main: str) -> None:
    for part in state.package.related(main, "sharedStrings")[:1]:
        for kind, fields in _records(state, part):
            if kind == _SHARED_STRING and len(state.strings) < MAX_STRINGS:
                fields.skip(1)
                state.strings.append(fields.text()[:MAX_CELL])


def _read_comments(state: WorkbookState, sheet: str) -> None:
    """Read comments (BrtCommentText); those that Excel makes of threads only where the threads are lost."""
    has_threads = bool(state.package.related(sheet, "threadedComment"))
    for part in state.package.related(sheet, "comments"):
        authors: list[str] = []
        is_thread = False
        for kind, fields in _records(state, part):
            if kind == _AUTHOR:
                authors.append(fields.text())
            elif kind == _BEGIN_COMMENT:
                number = fields.u32()
                is_thread = number < len(authors) and authors[number].startswith(THREAD_AUTHOR)
            elif kind == _COMMENT_TEXT and not (is_thread and has_threads):
                fields.skip(1)
                state.text.aside(comment_text(fields.text()))
