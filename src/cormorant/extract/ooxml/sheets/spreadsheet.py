"""Text of spreadsheets in Office Open XML: XLSX, XLSM, XLTX, XLTM (ECMA-376-1 18), and of XLSB.

workbook     names of sheets, date system, defined names
styles       number formats, by which cells are displayed
sheets       name, rows, drawings; comments, headers and prompts after all sheets
"""

from __future__ import annotations

from typing import Final

from cormorant.extract.document.cells.cell_formats import MAX_STYLES
from cormorant.extract.document.cells.sheet_text import comment_text
from cormorant.extract.document.xml_tree import Element, attribute
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ooxml.extraction import ooxml_extraction
from cormorant.extract.ooxml.relationships import OoxmlPackage
from cormorant.extract.ooxml.sheets.string_items import rich_text, shared_strings
from cormorant.extract.ooxml.sheets.workbook_state import MAX_NAMES, THREAD_AUTHOR, SheetPart, WorkbookState
from cormorant.extract.ooxml.sheets.worksheet import WorksheetReader
from cormorant.model.content import Extraction

_TRUE: Final = ("1", "true")
_BUILT_IN: Final = "_xlnm."


def extract_xlsx(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the text of all sheets, hidden ones too.

    Raises Protected for a workbook behind a password, Unreadable for any other document.
    """
    state = WorkbookState(OoxmlPackage(body))
    package = state.package
    main = package.main_part()
    workbook = package.xml(main)
    state.formats.from_1904 = workbook is not None and any(
        attribute(each, "date1904") in _TRUE for each in workbook.iter("{*}workbookPr")
    )
    _read_styles(state, main)
    _read_strings(state, main)
    for sheet in state.sheets_of(main, _sheets(package, main, workbook)):
        state.read_sheet(sheet, WorksheetReader, _read_comments)
        if state.text.full:
            break
    for name in _defined_names(workbook):
        state.text.aside(name)
    return ooxml_extraction(package, task, state.text, state.links)


def _sheets(package: OoxmlPackage, main: str, workbook: Element | None) -> list[SheetPart]:
    if workbook is None:
        return []
    named = (each for sheets in workbook.iter("{*}sheets") for each in sheets.iter("{*}sheet"))
    return [SheetPart(attribute(each, "name"), package.target(main, attribute(each, "id"))) for each in named]


def _defined_names(workbook: Element | None) -> list[str]:
    """Return the names that a person gave to cells, with their comments: 18.2.5."""
    found: list[str] = []
    for each in workbook.iter("{*}definedName") if workbook is not None else ():
        name = attribute(each, "name")
        if len(found) < MAX_NAMES and attribute(each, "hidden") not in _TRUE and not name.startswith(_BUILT_IN):
            found += (name, attribute(each, "comment"))
    return found


def _read_styles(state: WorkbookState, main: str) -> None:
    """Read the format codes and the styles of cells: 18.8.31, 18.8.10."""
    for part in state.package.related(main, "styles")[:1]:
        root = state.package.xml(part)
        if root is None:
            return
        for each in root.iter("{*}numFmt"):
            if len(state.formats.codes) < MAX_STYLES:
                state.formats.codes.setdefault(_number(each, "numFmtId"), attribute(each, "formatCode"))
        for styles in root.iter("{*}cellXfs"):
            state.formats.format_ids += [_number(each, "numFmtId") for each in styles.iter("{*}xf")][:MAX_STYLES]


def _number(element: Element, name: str) -> int:
    text = attribute(element, name)
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def _read_strings(state: WorkbookState, main: str) -> None:
    for part in state.package.related(main, "sharedStrings")[:1]:
        state.strings, complete = shared_strings(state.read(part))
        if not complete:
            state.package.blame(part)


def _read_comments(state: WorkbookState, sheet: str) -> None:
    """Read comments: 18.7.6; those that Excel makes of threads, for older versions, only where the threads are lost."""
    has_threads = bool(state.package.related(sheet, "threadedComment"))
    for part in state.package.related(sheet, "comments"):
        root = state.package.xml(part)
        if root is None:
            continue
        authors = [each.text or "" for each in root.iter("{*}author")]
        for comment in root.iter("{*}comment"):
            author = authors[_number(comment, "authorId")] if _number(comment, "authorId") < len(authors) else ""
            if not (has_threads and author.startswith(THREAD_AUTHOR)):
                state.text.aside(comment_text("".join(rich_text(each) for each in comment.iter("{*}text"))))
