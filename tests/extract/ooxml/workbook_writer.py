"""Small XLSX and XLSB workbooks, written by hand part by part."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from html import escape

from cormorant.extract.job import ExtractionTask
from cormorant.extract.ooxml.binary_workbook import extract_xlsb
from cormorant.extract.ooxml.spreadsheet import extract_xlsx
from cormorant.model.content import Extraction
from tests.extract.ooxml.package_writer import OFFICE, OfficePackage

TASK = ExtractionTask("", "https://host.example/folder/figures.xlsx")
SHEET_NAMES = f'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="{OFFICE}"'
DRAWING_NAMES = (
    'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    f' xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:r="{OFFICE}"'
)
BOOK = "xl/workbook.xml"
BINARY_BOOK = "xl/workbook.bin"
FIRST = "xl/worksheets/sheet1.xml"
THREADS = "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"


def part(name: str, content: str, names: str = SHEET_NAMES) -> str:
    """Return an XML part whose root has this name."""
    return f'<?xml version="1.0" encoding="UTF-8"?><{name} {names}>{content}</{name}>'


def book(*rows: str, after: str = "", codes: Sequence[str] = (), strings: Sequence[str] = ()) -> OfficePackage:
    """Return a workbook of one sheet, `Stock`; a row is the XML of its cells.

    `after` is the XML behind the rows, `codes` are number formats for the styles 1 and up, `strings` the XML of shared
    string items.
    """
    package = OfficePackage()
    lines = "".join(f'<row r="{number}">{cells}</row>' for number, cells in enumerate(rows, 1))
    add_sheet(package, "Stock", f"<sheetData>{lines}</sheetData>{after}")
    numbers = "".join(
        f'<numFmt numFmtId="{164 + number}" formatCode="{escape(code)}"/>' for number, code in enumerate(codes)
    )
    styles = "".join(f'<xf numFmtId="{number}"/>' for number in (0, *range(164, 164 + len(codes))))
    package.add("xl/styles.xml", part("styleSheet", f"<numFmts>{numbers}</numFmts><cellXfs>{styles}</cellXfs>"))
    package.add("xl/sharedStrings.xml", part("sst", "".join(f"<si>{each}</si>" for each in strings)))
    package.relate(BOOK, "styles", "xl/styles.xml")
    package.relate(BOOK, "sharedStrings", "xl/sharedStrings.xml")
    package.relate("", "officeDocument", BOOK)
    write_book(package)
    return package


def add_sheet(package: OfficePackage, name: str, content: str, *, kind: str = "worksheet", state: str = "") -> str:
    """Add a sheet and return the name of its part; `write_book` is to be called afterwards."""
    number = len([each for each in package.parts if each.startswith("xl/worksheets/sheet")]) + 1
    target = package.add(f"xl/worksheets/sheet{number}.xml", part(kind, content))
    identity = package.relate(BOOK, kind, target)
    hidden = f' state="{state}"' if state else ""
    package.types[f"#sheet{number}"] = f'<sheet name="{name}" sheetId="{number}" r:id="{identity}"{hidden}/>'
    return target


def write_book(package: OfficePackage, before: str = "", names: str = "") -> None:
    """Write the part that lists the sheets; `before` stands before them, `names` are defined ones."""
    sheets = "".join(xml for key, xml in package.types.items() if key.startswith("#sheet"))
    names = f"<definedNames>{names}</definedNames>" if names else ""
    package.add(BOOK, part("workbook", f"{before}<sheets>{sheets}</sheets>{names}"))


def read(package: OfficePackage) -> Extraction:
    """Return what the reader of XLSX says of a workbook."""
    return extract_xlsx(_data(package), TASK)


def _data(package: OfficePackage) -> bytes:
    package.types = {name: mime for name, mime in package.types.items() if not name.startswith("#")}
    return package.data()


def number(value: float | str, style: int = 0, ref: str = "") -> str:
    """Return a cell with a number."""
    return f'<c r="{ref}" s="{style}"><v>{value}</v></c>'


def text(value: str, style: int = 0, ref: str = "") -> str:
    """Return a cell with an inline string."""
    return f'<c r="{ref}" s="{style}" t="inlineStr"><is><t>{value}</t></is></c>'


def commented(*comments: tuple[str, str]) -> OfficePackage:
    """Return a workbook with comments, each of an author and the XML of its text."""
    package = book(text("cell"))
    authors = "".join(f"<author>{author}</author>" for author, _ in comments)
    texts = "".join(
        f'<comment ref="A1" authorId="{place}"><text>{xml}</text></comment>' for place, (_, xml) in enumerate(comments)
    )
    content = f"<authors>{authors}</authors><commentList>{texts}</commentList>"
    package.relate(FIRST, "comments", package.add("xl/comments1.xml", part("comments", content)))
    return package


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Return data with some bytes changed, and sometimes the end cut off."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed[: chance.randrange(len(changed))] if chance.random() < 0.3 else changed)


def record(kind: int, data: bytes = b"") -> bytes:
    """Return a record of a binary part: [MS-XLSB]."""
    head = bytes((kind,)) if kind < 0x80 else bytes((kind & 0x7F | 0x80, kind >> 7))
    size, sizes = len(data), bytearray()
    while True:
        sizes.append(size & 0x7F | (0x80 if size > 0x7F else 0))
        size >>= 7
        if not size:
            return head + bytes(sizes) + data


def wide(value: str) -> bytes:
    """Return a text after its length in characters."""
    raw = value.encode("utf-16-le")
    return struct.pack("<I", len(raw) // 2) + raw


def binary_cell(kind: int, column: int, value: bytes, style: int = 0) -> bytes:
    """Return a cell of a binary sheet."""
    return record(kind, struct.pack("<II", column, style) + value)


def binary_row(number: int, *cells: bytes) -> bytes:
    """Return a row of a binary sheet."""
    return record(0, struct.pack("<I", number) + bytes(12)) + b"".join(cells)


def binary_book(
    *records: bytes, codes: Sequence[str] = (), strings: Sequence[str] = (), names: bytes = b""
) -> OfficePackage:
    """Return an XLSB workbook of one sheet, `Stock`, with these records."""
    package = OfficePackage()
    sheet = package.add("xl/worksheets/sheet1.bin", b"".join(records))
    identity = package.relate(BINARY_BOOK, "worksheet", sheet)
    listed = record(156, struct.pack("<II", 2, 1) + wide(identity) + wide("Stock"))
    package.add(BINARY_BOOK, record(153, bytes(8)) + listed + names)
    formats = b"".join(record(44, struct.pack("<H", 164 + place) + wide(code)) for place, code in enumerate(codes))
    styles = b"".join(
        record(47, struct.pack("<HH", 0, each) + bytes(12)) for each in (0, *range(164, 164 + len(codes)))
    )
    package.add(
        "xl/styles.bin",
        formats + record(626) + record(47, bytes(16)) + record(627) + record(617) + styles + record(618),
    )
    package.add("xl/sharedStrings.bin", b"".join(record(19, b"\0" + wide(each)) for each in strings))
    package.relate(BINARY_BOOK, "styles", "xl/styles.bin")
    package.relate(BINARY_BOOK, "sharedStrings", "xl/sharedStrings.bin")
    package.relate("", "officeDocument", BINARY_BOOK)
    return package


def read_binary(package: OfficePackage) -> Extraction:
    """Return what the reader of XLSB says of a workbook."""
    return extract_xlsb(package.data(), TASK)
