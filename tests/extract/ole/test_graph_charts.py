"""Charts of Microsoft Graph in documents: [MS-OGRAPH], as Graph 97 writes them."""

from __future__ import annotations

import struct

import pytest

from cormorant.extract.detect.compound_file import CompoundFile
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.compound_writer import Tree, write_compound
from cormorant.extract.ole.embedded import ole_embedded_files
from cormorant.extract.ole.excel import extract_xls, graph_lines
from cormorant.extract.ole.powerpoint import extract_ppt
from cormorant.extract.ole.word import extract_doc
from cormorant.extract.rtf.reader import rtf_embedded_files
from tests.extract.ole.biff_writer import END, record, sheet, short, stream
from tests.extract.ole.binary_documents import (
    Page,
    characters,
    powerpoint_document,
    record as ppt_record,
    shape,
    slide,
    word_document,
)
from tests.extract.ooxml.package_writer import WORD, paragraph, read_word, word

TASK = ExtractionTask("", "https://example.org/a")
GRAPH = bytes.fromhex("0308020000000000c000000000000046")
WANTED = ["2003\t2004", "Tech Partners\t4175\t3406", "Einnahmen für Öl\t7614", "Subcontracts"]


def start(kind: int) -> bytes:
    """Return the beginning of a substream of Graph 97."""
    return record(0x0809, struct.pack("<HHHH", 0x0680, kind, 0x26B4, 0x07CD), bytes(8))


def label(row: int, text: str) -> bytes:
    """Return a text of the data sheet, in its first column."""
    return record(4, struct.pack("<HH3x", row, 0), short(text))


def number(row: int, column: int, value: float) -> bytes:
    """Return a number of the data sheet."""
    return record(3, struct.pack("<HH3xd", row, column, value))


def series(text: str) -> bytes:
    """Return the name of a series or a title."""
    return record(0x100D, b"\0\0", bytes((len(text), 1)), text.encode("utf-16-le"))


def chart() -> bytes:
    """Return the stream of a chart: a data sheet, two series and a title."""
    cells = (
        number(0, 1, 2003), number(0, 2, 2004), label(1, "Tech Partners"), number(1, 1, 4175), number(1, 2, 3406),
        label(2, "Einnahmen für Öl"), number(2, 1, 7614),
    )  # fmt: skip
    names = series("Tech Partners"), series("Subcontracts")
    head = start(5) + record(0x42, struct.pack("<H", 1200)) + record(0x85, struct.pack("<IH", 0x40, 2), b"\0\0") + END
    return head + start(0x8000) + b"".join(cells) + b"".join(names) + END


def graph(data: bytes | None = None) -> bytes:
    """Return the OLE file of a chart."""
    return write_compound({"Workbook": chart() if data is None else data}, GRAPH)


def classed(body: bytes, name: str) -> bytes:
    """Return an OLE file in which a storage has the class of charts."""
    place = body.index(name.encode("utf-16-le").ljust(64, b"\0"))
    return body[: place + 80] + GRAPH + body[place + 96 :]


def test_the_data_sheet_and_the_titles_of_a_chart_are_read() -> None:
    assert graph_lines(CompoundFile(graph()).root) == WANTED


def test_other_objects_and_broken_charts_say_nothing() -> None:
    assert graph_lines(CompoundFile(write_compound({"Workbook": chart()})).root) == []
    for data in (b"", b"nothing", chart()[:10]):
        assert graph_lines(CompoundFile(graph(data)).root) == []
    for size in range(0, len(chart()), 7):
        graph_lines(CompoundFile(graph(chart()[:size])).root)


def test_a_chart_is_text_of_its_document_and_no_file() -> None:
    pool: Tree = {"ObjectPool": {"_1234567890": {"Workbook": chart()}}}
    body = classed(word_document(["text\r"], streams=pool), "_1234567890")
    assert extract_doc(body, TASK).text.split("\n") == ["text", "", *WANTED]
    assert list(ole_embedded_files(body, TASK)) == []


def test_charts_on_slides_and_sheets_are_read() -> None:
    show = powerpoint_document([Page(slide(shape(characters("Slide"))))], objects=[ppt_record(0x1011, graph())])
    assert extract_ppt(show, TASK).text.split("\n") == ["Slide", "", *WANTED]
    book: Tree = {"Workbook": stream({"Stock": sheet()}), "MBD0012AB34": {"Workbook": chart()}}
    assert extract_xls(classed(write_compound(book), "MBD0012AB34"), TASK).text.split("\n") == ["Stock", "", *WANTED]


@pytest.mark.parametrize("folder", ["word/embeddings", "Word/Embeddings"])
def test_charts_in_documents_of_word_2007_are_read(folder: str) -> None:
    package = word(paragraph("body"))
    package.relate(WORD, "oleObject", package.add(f"{folder}/oleObject1.bin", graph()))
    assert read_word(package).text.split("\n") == ["body", "", *WANTED]


def test_a_chart_in_rich_text_is_a_workbook_of_its_own() -> None:
    made = rb"{\rtf1 {\object\objemb{\*\objdata " + (b"\1\5\0\0\2\0\0\0" + graph()).hex().encode() + b"}}}"
    (file,) = rtf_embedded_files(made, TASK)
    assert extract_xls(file.body, TASK).text.split("\n")[:3] == WANTED[:3]
