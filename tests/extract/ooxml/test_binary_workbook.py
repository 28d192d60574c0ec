from __future__ import annotations

import random
import struct
from contextlib import suppress

import pytest

from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.ooxml.binary_workbook import extract_xlsb
from cormorant.model.content import PageLink
from tests.extract.ooxml.package_writer import OfficePackage
from tests.extract.ooxml.workbook_writer import (
    BINARY_BOOK,
    TASK,
    THREADS,
    binary_book,
    binary_cell,
    binary_row,
    mutated,
    part,
    read_binary,
    record,
    wide,
)

FIRST = "xl/worksheets/sheet1.bin"
RK, ERROR, BOOLEAN, REAL, TEXT, SHARED, FORMULA_TEXT, RICH = 2, 3, 4, 5, 6, 7, 8, 62


def cell(kind: int, value: bytes, style: int = 0, column: int = 0) -> bytes:
    return binary_cell(kind, column, value, style)


def text_cell(value: str, column: int = 0) -> bytes:
    return cell(TEXT, wide(value), column=column)


def text_of(*records: bytes) -> str:
    return read_binary(binary_book(*records)).text


def test_cells_of_all_kinds_are_read() -> None:
    said = read_binary(
        binary_book(
            binary_row(
                0,
                cell(SHARED, struct.pack("<I", 1)),
                cell(RK, struct.pack("<i", 7 << 2 | 2)),
                cell(RK, struct.pack("<i", 250 << 2 | 3)),
                cell(REAL, struct.pack("<d", 46_095), 1),
                cell(BOOLEAN, b"\1"),
                cell(ERROR, b"\x07"),
                cell(SHARED, struct.pack("<I", 99)),
            ),
            binary_row(1, text_cell("own"), cell(RICH, b"\1" + wide("rich") + bytes(8))),
            codes=("dd.mm.yyyy",),
            strings=("zero", "one"),
        )
    )
    assert said.text == "Stock\none\t7\t2.5\t14.03.2026\tTRUE\t2026-03-14\nown\trich"
    assert not said.truncated


def test_cells_without_a_column_are_read() -> None:
    short = record(18, struct.pack("<II", 0, 0)) + record(13, struct.pack("<Ii", 0, 5 << 2 | 2))
    assert read_binary(binary_book(binary_row(0), short, strings=("one",))).text == "Stock\none\t5"


def test_results_of_formulas_are_read() -> None:
    number = cell(9, struct.pack("<d", 0.5) + bytes(6))
    truth = cell(10, b"\0" + bytes(6))
    words = cell(FORMULA_TEXT, wide("joined") + bytes(6))
    assert text_of(binary_row(0, number, truth, words)) == "Stock\n0.5\tFALSE\tjoined"


def test_dates_count_from_1904_where_the_workbook_says_so() -> None:
    package = binary_book(binary_row(0, cell(REAL, bytes(8), 1)), codes=("yyyy-mm-dd",))
    data = package.parts[BINARY_BOOK]
    assert isinstance(data, bytes)
    package.parts[BINARY_BOOK] = data.replace(record(153, bytes(8)), record(153, b"\1" + bytes(7)))
    assert read_binary(package).text == "Stock\n1904-01-01"


def test_hyperlinks_have_the_text_of_their_cell() -> None:
    address = "https://host.example/f"
    token = b"\x17" + struct.pack("<H", len(address)) + address.encode("utf-16-le")
    formula = token + b"\x42\x02\x67\x01"
    shown = cell(FORMULA_TEXT, wide("Formula") + bytes(2) + struct.pack("<I", len(formula)) + formula)
    links = [
        record(494, struct.pack("<IIII", 0, 0, 0, 0) + wide("rId1") + wide("") + wide("See there") + wide("display")),
        record(494, struct.pack("<IIII", 9, 9, 0, 0) + wide("rId1") + wide("") + wide("") + wide("display")),
        record(494, struct.pack("<IIII", 1, 1, 0, 0) + wide("") + wide("Stock!A1") + wide("") + wide("inside")),
    ]
    package = binary_book(binary_row(0, text_cell("Link")), binary_row(1, shown), *links)
    package.relate(FIRST, "hyperlink", "https://host.example/a", external=True)
    said = read_binary(package)
    assert said.text == "Stock\nLink\nFormula\n\nSee there"
    assert said.links == (PageLink(address, "Formula"), PageLink("https://host.example/a", "Link"))


def test_headers_prompts_and_names_follow_the_sheets() -> None:
    nothing = struct.pack("<I", 0xFFFFFFFF)
    headers = record(479, b"\0\0" + wide("&CAnnual &P") + wide("&Lfoot") + nothing * 4)
    choices = "yes,no"
    formula = b"\x17" + struct.pack("<H", len(choices)) + choices.encode("utf-16-le")
    texts = wide("No") + wide("Not so") + wide("Choice") + nothing
    check = struct.pack("<II", 3, 1) + bytes(16) + texts + struct.pack("<I", len(formula)) + formula
    names = b"".join(
        record(39, struct.pack("<IBI", flags, 0, 0xFFFFFFFF) + wide(name) + bytes(8))
        for flags, name in ((0, "Vat_rate"), (0x20, "Print_Area"), (1, "hidden_one"))
    )
    said = read_binary(binary_book(binary_row(0, text_cell("cell")), headers, record(64, check), names=names))
    assert said.text == "Stock\ncell\n\nAnnual\nfoot\nNo\nNot so\nChoice\nyes\nno\nVat_rate"


def test_comments_are_read_and_threads_once() -> None:
    package = binary_book(binary_row(0, text_cell("cell")))
    authors = record(632, wide("Ann")) + record(632, wide("tc={1}"))
    comments = b"".join(
        record(635, struct.pack("<I", author) + bytes(32)) + record(637, b"\0" + wide(text))
        for author, text in ((0, "Check this"), (1, "[Threaded comment] why"))
    )
    package.relate(FIRST, "comments", package.add("xl/comments1.bin", authors + comments))
    assert "why" in read_binary(package).text
    thread = part("ThreadedComments", "<threadedComment><text>why</text></threadedComment>")
    package.relate(FIRST, THREADS, package.add("xl/threadedComments/t1.xml", thread))
    assert read_binary(package).text == "Stock\ncell\n\nwhy\nCheck this"


def test_a_sheet_that_is_cut_short_is_read_up_to_there() -> None:
    package = binary_book(binary_row(0, text_cell("first"), text_cell("second")))
    data = package.parts[FIRST]
    assert isinstance(data, bytes)
    package.parts[FIRST] = data[:-4]
    said = read_binary(package)
    assert said.text.startswith("Stock\nfirst")
    assert said.truncated


@pytest.mark.parametrize("size", [b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff", b"\xff"])
def test_a_record_that_claims_too_much_ends_its_part(size: bytes) -> None:
    package = binary_book(binary_row(0, text_cell("first")))
    data = package.parts[FIRST]
    assert isinstance(data, bytes)
    package.parts[FIRST] = data + b"\x06" + size + b"rest"
    said = read_binary(package)
    assert said.text.startswith("Stock\nfirst")
    assert said.truncated


def test_a_text_that_claims_too_much_is_what_is_there() -> None:
    long = struct.pack("<I", 0x7FFFFFFF) + "there".encode("utf-16-le")
    assert text_of(binary_row(0, cell(TEXT, long))) == "Stock\nthere"


def test_damage_anywhere_is_survived() -> None:
    chance = random.Random(8)
    rows = binary_row(0, text_cell("word"), cell(REAL, struct.pack("<d", 46_095.5), 1), cell(SHARED, bytes(4)))
    link = record(494, bytes(16) + wide("rId1") + wide("a") + wide("b") + wide("c"))
    whole = binary_book(rows, link, record(479, bytes(2) + wide("&Lx") * 6), codes=("d.m.yyyy",), strings=("one",))
    for _ in range(300):
        package = OfficePackage()
        package.relationships = whole.relationships
        name = chance.choice(list(whole.parts))
        data = whole.parts[name]
        assert isinstance(data, bytes)
        package.parts = {**whole.parts, name: mutated(data, chance)}
        with suppress(Unreadable, Protected):
            read_binary(package)
        with suppress(Unreadable, Protected):
            extract_xlsb(mutated(package.data(), chance), TASK)
