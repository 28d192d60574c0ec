"""Sheets of a spreadsheet (ODF 1.3-3 3.7 and 9.1), a row at a time: a sheet can hold a million of them.

A sheet is its name, its rows, the texts of shapes and charts on it; hidden sheets, rows and columns too.
"""

from __future__ import annotations

from typing import Final

from cormorant.extract.document.text_builder import CELL
from cormorant.extract.document.xml_tree import Element, iterate_events
from cormorant.extract.opendocument.flow import Flow
from cormorant.extract.opendocument.names import clark, value_of
from cormorant.extract.opendocument.odf_package import DAMAGED
from cormorant.extract.opendocument.styles import pages_of_styles
from cormorant.extract.opendocument.table import row_cells

MAX_SHEETS: Final = 10_000

_BODY: Final = clark("office:spreadsheet")
_TABLE: Final = clark("table:table")
_ROW: Final = clark("table:table-row")
_STYLE: Final = clark("style:style")
_SIDES: Final = frozenset(clark(name) for name in ("office:forms", "table:shapes", "table:title", "table:desc"))
_KEPT: Final = frozenset(clark(name) for name in ("office:meta", "office:master-styles"))
_VALIDATIONS: Final = clark("table:content-validations")
_DEFINED: Final = clark("table:named-expressions")
_NAMES: Final = (_TABLE, _ROW, _STYLE, _VALIDATIONS, _DEFINED, *_SIDES, *_KEPT)
_BY_PROGRAM: Final = ("_", "Excel_BuiltIn")
_OF_OTHERS: Final = "'file:"
"""Prefix of the name of a sheet that caches another document."""


class SheetsReader:
    """Reader of the sheets of one document."""

    def __init__(self, flow: Flow) -> None:
        """Read into `flow`."""
        self.pages: set[str] = set()
        """Names of the master pages that sheets are printed on."""
        self.kept: dict[str, Element] = {}
        """Metadata and master pages of a document that is one XML file, by their names."""
        self._flow = flow
        self._sheet: Element | None = None
        self._count = 0

    def read(self) -> None:
        """Read all sheets. Raises Unreadable for XML that declares entities, or when there is nothing to read."""
        for event, element in iterate_events(self._flow.package.content, *_NAMES):
            if event == "start":
                self._begin(element)
            elif event == "end":
                self._end(element)
            else:
                self._flow.package.note_fault(DAMAGED)
            if self._flow.out.full:
                break
            if self._count > MAX_SHEETS:
                self._flow.package.note_fault(f"Only its first {MAX_SHEETS:,} sheets were read.")
                break

    def _begin(self, element: Element) -> None:
        name = value_of(element, "table:name")
        if element.tag == _TABLE and _is_in(element, _BODY) and not name.startswith(_OF_OTHERS):
            self._sheet = element
            self._count += 1
            self._flow.out.blank_line()
            self._flow.line(name)

    def _end(self, element: Element) -> None:
        tag = element.tag
        if tag == _ROW and self._sheet is not None and self._owns(element):
            cells = (" ".join(cell.split("\n")) for cell in row_cells(self._flow, element))
            self._flow.line(CELL.join(cells))
            _free(element)
        elif tag in _SIDES and self._sheet is not None and element.getparent() is self._sheet:
            self._flow.line(self._flow.apart_whole(element))
            _free(element)
        elif tag == _STYLE:
            self.pages |= pages_of_styles((element,))
        elif tag in _KEPT:
            self.kept[tag] = element
        elif element is self._sheet:
            self._sheet = None
            _free(element)
        elif tag == _VALIDATIONS:
            self._flow.out.aside(self._flow.apart(element))
        elif tag == _DEFINED:
            self._add_names(element)

    def _add_names(self, expressions: Element) -> None:
        """Add the names that people gave to ranges and formulas (ODF 1.3-3 9.4.12)."""
        for each in expressions:
            name = value_of(each, "table:name")
            if not name.startswith(_BY_PROGRAM):
                self._flow.out.aside(name)

    def _owns(self, row: Element) -> bool:
        """Return whether a row is the sheet's own, and not of a table within it; groups of rows may be nested."""
        return next(row.iterancestors(_TABLE, clark("office:document")), None) is self._sheet


def _is_in(element: Element, tag: str) -> bool:
    parent = element.getparent()
    return parent is not None and parent.tag == tag


def _free(element: Element) -> None:
    """Let go of an element and of those before it, which were read."""
    element.clear()
    while element.getprevious() is not None:
        del element.getparent()[0]
