"""A workbook while it is read, shared by its sheets, and the parts that stand beside a sheet in both of its forms.

sheet --drawing--> text boxes, charts, pictures       --comments--> comments of Excel 2016 and before
      --vmlDrawing--> buttons of forms                --threadedComment--> comments with answers
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from cormorant.extract.document.alt_text import human_text
from cormorant.extract.document.cells.cell_formats import CellFormats
from cormorant.extract.document.cells.locale_data import ENGLISH, LocaleData, locale_of_heading, locale_of_tag
from cormorant.extract.document.text_builder import TextBuilder
from cormorant.extract.document.xml_tree import Element, attribute, local_name, parse_xml
from cormorant.extract.errors import Unreadable
from cormorant.extract.ooxml.drawings.drawing_part import drawing_text
from cormorant.extract.ooxml.properties import document_properties
from cormorant.extract.ooxml.relationships import MAX_TREE, OoxmlPackage

MAX_SHEET: Final = 128 * 1024 * 1024
"""Bytes of a sheet that are read."""
MAX_NAMES: Final = 20_000
"""Defined names of a workbook that are read."""
MAX_SHEETS: Final = 10_000
"""Sheets of a workbook that are read."""
SHEET_KINDS: Final = ("worksheet", "chartsheet", "dialogsheet", "xlMacrosheet", "xlIntlMacrosheet")
"""Kinds of relationships that lead from a workbook to its sheets."""
THREAD_AUTHOR: Final = "tc="
"""Begins the author of a comment that Excel makes of a thread, for versions that know no threads."""

_FOLDERS: Final = ("xl/worksheets/", "xl/chartsheets/")


class SheetPart(NamedTuple):
    """A sheet of a workbook: its name, "" when it is lost, and its part."""

    name: str
    part: str


class SheetReader(Protocol):
    """A reader of one sheet, made for the state of its workbook and the name of its part."""

    def read(self) -> None:
        """Read the sheet into the text of its workbook."""
        ...


class WorkbookState:
    """A workbook that is being read: its text and links so far, its styles and shared strings."""

    def __init__(self, package: OoxmlPackage) -> None:
        """Begin without text."""
        self.package = package
        self.text = TextBuilder()
        self.links: list[tuple[str, str]] = []
        self.formats = CellFormats()
        self.formats.locale = _locale(package)
        self.strings: list[str] = []

    def read(self, part: str) -> bytes:
        """Return at most MAX_SHEET bytes of a part, of a damaged one those before the damage; damage is a fault."""
        data = self.package.zip.read_start(part, MAX_SHEET)
        if data is None:
            self.package.blame(part)
            return self.package.zip.read_damaged(part)
        if len(data) == MAX_SHEET:
            self.package.blame(part)
        return data

    def sheets_of(self, main: str, named: list[SheetPart]) -> list[SheetPart]:
        """Return the sheets in their order: those that the workbook names, else all that it refers to, else all."""
        if any(sheet.part for sheet in named):
            return named[:MAX_SHEETS]
        parts = self.package.related(main, *SHEET_KINDS)
        lost = (name for name in self.package.zip.names if name.lower().startswith(_FOLDERS) and "_rels" not in name)
        return [SheetPart("", part) for part in parts or lost][:MAX_SHEETS]

    def begin_sheet(self, sheet: SheetPart) -> bool:
        """Write the name of a sheet; return whether it has a part, the loss of which is a fault."""
        self.text.end_paragraph()
        self.text.add("\n")
        self.text.line(sheet.name)
        if not sheet.part:
            self.package.blame(f"sheet {sheet.name}")
        return bool(sheet.part)

    def read_sheet(
        self,
        sheet: SheetPart,
        reader: Callable[[WorkbookState, str], SheetReader],
        read_comments: Callable[[WorkbookState, str], None],
    ) -> None:
        """Read a sheet and the parts beside it. Both callables take the state and the part of the sheet."""
        if not self.begin_sheet(sheet):
            return
        try:
            reader(self, sheet.part).read()
            self.read_beside(sheet.part)
            read_comments(self, sheet.part)
        except Unreadable:
            self.package.blame(sheet.part)

    def external_target(self, part: str, relationship_id: str, location: str = "") -> str:
        """Return the address that a hyperlink on a sheet leads to, "" for a place in the workbook."""
        found = self.package.relationships(part).get(relationship_id) if relationship_id else None
        if found is None or not found.external:
            return ""
        return f"{found.target}#{location}" if location and "#" not in found.target else found.target

    def read_beside(self, part: str) -> None:
        """Read drawings, buttons and threads of a sheet. Comments of the older kind depend on the workbook's form."""
        lines: dict[str, None] = {}
        for drawing in self.package.related(part, "drawing"):
            found, links = drawing_text(self.package, drawing)
            lines |= dict.fromkeys(found)
            self.links += links
        for drawing in self.package.related(part, "vmlDrawing"):
            lines |= dict.fromkeys(_button_texts(self.package, drawing))
        for line in lines:
            self.text.line(line)
        for thread in self.package.related(part, "threadedComment"):
            root = self.package.xml(thread)
            for each in root.iter("{*}text") if root is not None else ():
                self.text.aside(each.text or "")


def _locale(package: OoxmlPackage) -> LocaleData:
    """Return the language of the program that saved a workbook, by how it calls worksheets."""
    part = next(iter(package.related("", "extended-properties", "extendedProperties")), "")
    root = package.xml(part) if part else None
    for pairs in root.iter("{*}HeadingPairs") if root is not None else ():
        heading = next((each.text or "" for each in pairs.iter("{*}lpstr")), "")
        known = locale_of_heading(heading)
        if known is not None:
            return known
    return locale_of_tag(document_properties(package).language) or ENGLISH


def _button_texts(package: OoxmlPackage, part: str) -> list[str]:
    """Return the words on the shapes of a VML drawing, which is often not well-formed; comments have their own part."""
    try:
        data = (package.zip.read(part) or b"")[:MAX_TREE]
        root = parse_xml(data.replace(b"<br>", b"<br/>"))
    except Unreadable:
        package.blame(part)
        return []
    found: list[str] = []
    for shape in root.iter("{urn:schemas-microsoft-com:vml}*") if root is not None else ():
        if local_name(shape) in ("shape", "rect", "roundrect", "oval", "line") and not _is_comment(shape):
            found += (" ".join(" ".join(box.itertext()).split()) for box in shape.iter("{*}textbox"))
            found.append(human_text(attribute(shape, "alt")))
    return [text for text in found if text]


def _is_comment(shape: Element) -> bool:
    return any(attribute(data, "ObjectType") == "Note" for data in shape.iter("{*}ClientData"))
