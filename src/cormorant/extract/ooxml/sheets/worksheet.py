"""A sheet of an XLSX workbook: ECMA-376-1 18.3.1. Its rows are read as a stream, the rest of it as a tree."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from cormorant.extract.document.cells.date_format import serial_of
from cormorant.extract.document.cells.number_format import NumberFormat
from cormorant.extract.document.cells.sheet_text import RowText, header_text
from cormorant.extract.document.xml_tree import ChildStream, Element, attribute, parse_part
from cormorant.extract.ooxml.escapes import decode_escapes
from cormorant.extract.ooxml.relationships import MAX_TREE
from cormorant.extract.ooxml.sheets.string_items import rich_text
from cormorant.extract.ooxml.sheets.workbook_state import WorkbookState

MAX_ROWS: Final = 2_000_000
"""Rows of a sheet that are read; Excel takes 1,048,576."""
MAX_ROW_MARKUP: Final = 16 * 1024 * 1024
"""Bytes of XML that one row may take."""

_ROWS_BEGIN: Final = re.compile(rb"<(?:\w+:)?sheetData(?:\s[^>]*)?(?<!/)>")
_ROWS: Final = b"sheetData"
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")
_ROWS_END: Final = b"sheetData>"
_HYPERLINK: Final = re.compile(r'=?\s*HYPERLINK\(\s*"((?:[^"]|"")+)"', re.IGNORECASE)
_PROMPTS: Final = ("promptTitle", "prompt", "errorTitle", "error")
_MAX_VALIDATIONS: Final = 20_000
_MAX_LINKS: Final = 200_000


class WorksheetReader:
    """Reads one sheet into the text of its workbook."""

    def __init__(self, state: WorkbookState, part: str) -> None:
        """Hold the part that is to be read."""
        self._state = state
        self._part = part
        self._rows = RowText(state.text)
        self._formats: dict[str | None, NumberFormat] = {}
        self._linked: dict[str, tuple[str, str]] = {}
        """Address and text of the hyperlinks by the first of their cells."""

    def read(self) -> None:
        """Read rows, hyperlinks, prompts, headers and footers."""
        data = self._state.read(self._part)
        root, complete = parse_part(_without_rows(data))
        if root is not None:
            self._read_rest(root)
        complete = self._read_rows(data) and complete
        self._state.links += self._linked.values()
        if not complete:
            self._state.package.blame(self._part)

    def _read_rows(self, data: bytes) -> bool:
        """Read the rows, and return whether they came to their end. A sheet that is a chart has none."""
        if _ROWS not in data and not data.startswith(_WIDE):
            return True
        rows = ChildStream(data, "sheetData", MAX_ROW_MARKUP)
        for number, row in enumerate(rows):
            self._read_row(row)
            if self._state.text.full:
                return True
            if number >= MAX_ROWS:
                return False
        return rows.complete

    def _read_rest(self, root: Element) -> None:
        for element in root.iter("{*}hyperlink"):
            if len(self._linked) < _MAX_LINKS:
                self._add_link(element)
        for _, element in zip(range(_MAX_VALIDATIONS), root.iter("{*}dataValidation"), strict=False):
            self._add_validation(element)
        for element in root.iter("{*}headerFooter"):
            for code in element:
                self._state.text.aside(header_text(decode_escapes(code.text or "")))

    def _add_link(self, element: Element) -> None:
        self._state.text.aside(attribute(element, "tooltip"))
        target = self._state.external_target(self._part, attribute(element, "id"), attribute(element, "location"))
        if target:
            cell = attribute(element, "ref").partition(":")[0]
            self._linked.setdefault(cell, (target, attribute(element, "display")))

    def _add_validation(self, element: Element) -> None:
        """Add the prompt and the error message for what is typed, and a list to choose from: 18.3.1.32."""
        for name in _PROMPTS:
            self._state.text.aside(decode_escapes(attribute(element, name)))
        formula = "".join(next(element.iter("{*}formula1"), element).itertext()).strip()
        if attribute(element, "type") == "list" and formula.startswith('"'):
            self._state.text.aside(formula.strip('"').replace('""', '"').replace(",", "\n"))

    def _read_row(self, row: Element) -> None:
        namespace = row.tag.rpartition("}")[0]
        value_tag, formula_tag, inline_tag = (f"{namespace}}}{name}" for name in ("v", "f", "is"))
        for cell in row:
            value = formula = None
            for child in cell:
                tag = child.tag
                if tag == value_tag:
                    value = child.text
                elif tag == formula_tag:
                    formula = child.text
                elif tag == inline_tag:
                    value = rich_text(child)
            if value:
                shown, raw = self._words(cell.get("t"), value, cell.get("s"))
                self._rows.add(shown, raw)
                if formula or self._linked:
                    self._keep_link(cell, formula, shown)
        self._rows.end()

    def _keep_link(self, cell: Element, formula: str | None, shown: str) -> None:
        """Give a hyperlink the text of its cell; a formula may make one too."""
        reference = cell.get("r", "")
        linked = self._linked.get(reference)
        if linked:
            self._linked[reference] = (linked[0], shown)
        target = hyperlink_of_formula(formula) if formula else ""
        if target:
            self._state.links.append((target, shown))

    def _words(self, kind: str | None, value: str, style: str | None) -> tuple[str, str]:
        """Return a value as displayed, and its raw form where that is another: 18.18.11."""
        if kind is None or kind == "n":
            try:
                return self._format(style).words(float(value))
            except ValueError:
                return value, ""
        if kind == "s":
            return self._format(style).display_text(self._shared(value)), ""
        if kind == "b":
            return "TRUE" if value.strip() in ("1", "true") else "FALSE", ""
        if kind == "e":
            return "", ""
        if kind == "d":
            return self._date(value, style)
        return self._format(style).display_text(decode_escapes(value) if kind == "str" else value), ""

    def _shared(self, value: str) -> str:
        number = int(value) if value.isdecimal() and len(value) < 10 else -1
        return self._state.strings[number] if 0 <= number < len(self._state.strings) else ""

    def _date(self, value: str, style: str | None) -> tuple[str, str]:
        try:
            moment = datetime.fromisoformat(value.removesuffix("Z"))
        except ValueError:
            return value, ""
        serial = serial_of(moment, from_1904=self._state.formats.from_1904)
        return self._format(style).words(serial)

    def _format(self, style: str | None) -> NumberFormat:
        made = self._formats.get(style)
        if made is None:
            number = int(style) if style and style.isdecimal() and len(style) < 10 else 0
            made = self._formats[style] = self._state.formats.of_style(number)
        return made


def hyperlink_of_formula(formula: str) -> str:
    """Return the address that a formula calls HYPERLINK with, "" for other formulas."""
    match = _HYPERLINK.match(formula)
    return match[1].replace('""', '"') if match else ""


def _without_rows(data: bytes) -> bytes:
    """Return the XML of a sheet without its rows, as much of it as makes a tree."""
    begin = _ROWS_BEGIN.search(data, 0, MAX_TREE)
    if begin is None:
        return data[:MAX_TREE]
    end = data.rfind(_ROWS_END, begin.end())
    if end < 0:
        return data[: begin.end()]
    return (data[: begin.end()] + data[data.rfind(b"<", begin.start(), end) :])[:MAX_TREE]
