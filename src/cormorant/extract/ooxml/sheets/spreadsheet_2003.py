"""Workbooks of Excel 2003 that are one XML file (`urn:schemas-microsoft-com:office:spreadsheet`).

    ss:Styles       number formats, by code or by name ("Short Date")
    ss:Worksheet    name, rows; comments, headers and prompts after all sheets
    o:DocumentProperties

It is read as a stream: a sheet has no bounds, and only one row of it is a tree at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from cormorant.extract.document.cells.date_format import serial_of
from cormorant.extract.document.cells.locale_data import ENGLISH
from cormorant.extract.document.cells.number_format import GENERAL, NumberFormat
from cormorant.extract.document.cells.sheet_text import MAX_CELL, RowText, comment_text, header_text
from cormorant.extract.document.links import page_links
from cormorant.extract.document.text_builder import TextBuilder
from cormorant.extract.document.xml_tree import Element, attribute, iterate_events, local_name
from cormorant.extract.errors import Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ooxml.package_builder import PackageBuilder
from cormorant.extract.ooxml.properties import document_properties
from cormorant.extract.ooxml.properties_2003 import CUSTOM, STANDARD, add_properties
from cormorant.extract.ooxml.relationships import OoxmlPackage
from cormorant.extract.ooxml.sheets.workbook_state import MAX_NAMES
from cormorant.extract.ooxml.sheets.worksheet import hyperlink_of_formula
from cormorant.extract.sanitize import title_or_name
from cormorant.model.content import Extraction

MAX_STYLES: Final = 5_000
"""Styles of a workbook whose number formats are read; cells of further ones are shown as General."""
MAX_LINKS: Final = 200_000

_SHEET: Final = "{urn:schemas-microsoft-com:office:spreadsheet}"
_EXCEL: Final = "{urn:schemas-microsoft-com:office:excel}"
_OFFICE: Final = "{urn:schemas-microsoft-com:office:office}"
_DAMAGED: Final = "Some of it is damaged or missing."
_NAMED: Final = {
    "General Number": GENERAL, "General Date": f"{ENGLISH.short_date} h:mm", "Long Date": "dddd, mmmm d, yyyy",
    "Medium Date": "d-mmm-yy", "Short Date": ENGLISH.short_date, "Long Time": "h:mm:ss AM/PM",
    "Medium Time": "h:mm AM/PM", "Short Time": "h:mm", "Currency": '"$"#,##0.00_);("$"#,##0.00)',
    "Euro Currency": '"€"#,##0.00_);("€"#,##0.00)', "Fixed": "0.00", "Standard": "#,##0.00", "Percent": "0.00%",
    "Scientific": "0.00E+00", "Yes/No": '"Yes";"Yes";"No"', "True/False": '"True";"True";"False"',
    "On/Off": '"On";"On";"Off"',
}  # fmt: skip
_BUILT_IN: Final = ("_", "Print_Area", "Print_Titles")
_PROMPTS: Final = ("InputTitle", "InputMessage", "ErrorTitle", "ErrorMessage")


def extract_excel_2003(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the text of all sheets, hidden ones too.

    Raises Unreadable for any other document, or one that declares entities.
    """
    reader = _WorkbookReader()
    complete = reader.read(body)
    text = reader.text.text()
    if not text and not (complete and reader.found):
        raise Unreadable("it has no sheet that could be read: it is cut short, or no workbook")
    about = document_properties(OoxmlPackage(reader.properties.package()))
    links, seen = page_links(task.address, reader.links)
    return Extraction(
        text=text,
        title=title_or_name(about.title, task.address, task.file_name),
        links=links,
        attributes=about.attributes,
        links_seen=seen,
        truncated=not complete or reader.text.full,
        fault="" if complete else _DAMAGED,
    )


class _WorkbookReader:
    def __init__(self) -> None:
        self.text = TextBuilder()
        self.links: list[tuple[str, str]] = []
        self.properties = PackageBuilder()
        self.found = False
        self._rows = RowText(self.text)
        self._from_1904 = False
        self._codes: dict[str, str] = {}
        self._formats: dict[str, NumberFormat] = {}
        self._names: list[str] = []
        self._ends: Mapping[str, Callable[[Element], None]] = {
            _SHEET + "Style": self._on_style, _SHEET + "Row": self._on_row, _SHEET + "NamedRange": self._on_name,
            _EXCEL + "Header": self._on_header, _EXCEL + "Footer": self._on_header,
            _EXCEL + "DataValidation": self._on_validation, _EXCEL + "Date1904": self._on_date_system,
            _OFFICE + STANDARD: self._on_properties, _OFFICE + CUSTOM: self._on_properties,
        }  # fmt: skip

    def read(self, body: bytes) -> bool:
        """Read the workbook, and return whether it came to its end."""
        sheet = _SHEET + "Worksheet"
        for event, element in iterate_events(body, sheet, *self._ends):
            if event == "loss":
                return False
            if event == "start":
                if element.tag == sheet:
                    self._begin_sheet(element)
                continue
            if element.tag in self._ends:
                self._ends[element.tag](element)
            _free(element)
            if self.text.full:
                break
        for name in self._names:
            self.text.aside(name)
        return True

    def _begin_sheet(self, sheet: Element) -> None:
        self.found = True
        self.text.end_paragraph()
        self.text.add("\n")
        self.text.line(attribute(sheet, "Name"))

    def _on_style(self, style: Element) -> None:
        code = next((attribute(each, "Format") for each in style if local_name(each) == "NumberFormat"), None)
        inherited = self._codes.get(attribute(style, "Parent"), GENERAL)
        if len(self._codes) < MAX_STYLES:
            self._codes[attribute(style, "ID")] = inherited if code is None else _NAMED.get(code, code or GENERAL)

    def _on_row(self, row: Element) -> None:
        style = attribute(row, "StyleID")
        for cell in row:
            if local_name(cell) == "Cell":
                self._read_cell(cell, attribute(cell, "StyleID") or style)
        self._rows.end()

    def _read_cell(self, cell: Element, style: str) -> None:
        shown = ""
        for child in cell:
            name = local_name(child)
            if name == "Data":
                shown, raw = self._words(child, style)
                self._rows.add(shown, raw)
            elif name == "Comment":
                self.text.aside(comment_text("".join(child.itertext())))
        self.text.aside(attribute(cell, "HRefScreenTip"))
        target = attribute(cell, "HRef") or hyperlink_of_formula(attribute(cell, "Formula"))
        if target and len(self.links) < MAX_LINKS:
            self.links.append((target, shown))

    def _words(self, data: Element, style: str) -> tuple[str, str]:
        """Return a value as displayed, and its raw form where that is another."""
        kind, value = attribute(data, "Type"), "".join(data.itertext())[:MAX_CELL]
        if kind == "Error":
            return "", ""
        if kind == "Boolean":
            return "TRUE" if value.strip() == "1" else "FALSE", ""
        try:
            if kind == "Number":
                return self._format(style).words(float(value))
            if kind == "DateTime":
                moment = datetime.fromisoformat(value.strip().removesuffix("Z")).replace(tzinfo=None)
                return self._format(style).words(serial_of(moment, from_1904=self._from_1904))
        except (ValueError, OverflowError):
            return value, ""
        return self._format(style).display_text(value), ""

    def _format(self, style: str) -> NumberFormat:
        made = self._formats.get(style)
        if made is None:
            made = NumberFormat(self._codes.get(style, GENERAL), from_1904=self._from_1904)
            if len(self._formats) < MAX_STYLES:
                self._formats[style] = made
        return made

    def _on_name(self, name: Element) -> None:
        text = attribute(name, "Name")
        if attribute(name, "Hidden") != "1" and not text.startswith(_BUILT_IN) and len(self._names) < MAX_NAMES:
            self._names.append(text)

    def _on_header(self, header: Element) -> None:
        self.text.aside(header_text(attribute(header, "Data")))

    def _on_validation(self, validation: Element) -> None:
        """Add the prompt and the error message for what is typed, and a list to choose from."""
        fields = {local_name(each): each.text or "" for each in validation}
        for name in _PROMPTS:
            self.text.aside(fields.get(name, ""))
        value = fields.get("Value", "").strip()
        if fields.get("Type") == "List" and value.startswith('"'):
            self.text.aside(value.strip('"').replace('""', '"').replace(",", "\n"))

    def _on_date_system(self, _: Element) -> None:
        self._from_1904 = True

    def _on_properties(self, element: Element) -> None:
        add_properties(self.properties, element)


def _free(element: Element) -> None:
    """Free an element that was read, and those before it."""
    element.clear()
    while element.getprevious() is not None:
        del element.getparent()[0]
