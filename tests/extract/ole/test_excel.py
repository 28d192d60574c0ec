from __future__ import annotations

import random
import struct
from contextlib import suppress

import pytest

from cormorant.extract.detect.compound_file import CompoundFile
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.ole.compound_writer import Tree, write_compound
from cormorant.extract.ole.excel import extract_xls, xls_embedded_files
from cormorant.model.content import PageLink
from tests.clocks import cpu_s
from tests.extract.ole.biff_writer import (
    CHART,
    CONTINUE,
    END,
    GLOBALS,
    TASK,
    at,
    bof,
    characters,
    formula,
    label,
    locked,
    long,
    number,
    read,
    read_stream,
    record,
    room,
    shared,
    sheet,
    short,
    stream,
    table,
    text_box,
)
from tests.extract.ooxml.sealed_documents import XOR, made_elsewhere

XOR_FILE_PASS = b"\x2f\0\6\0\0\0\x59\xb3\x0a\x9a"
TEXT_RESULT = bytes(6) + b"\xff\xff"
WORD = "Привет"
MARCH_14 = struct.pack("<d", 46_095)


def test_rows_are_lines_and_cells_stand_apart() -> None:
    said = read(shared(0, 1), number(0, 12), shared(1, 0), strings=table("south", "nörth €"))
    assert said.text == "Stock\nnörth €\t12\nsouth"
    assert not said.truncated


def test_numbers_of_all_kinds_are_read() -> None:
    packed = record(0x027E, at(0), struct.pack("<i", 250 << 2 | 3))
    many = record(0xBD, struct.pack("<HH", 0, 1), struct.pack("<HiHi", 0, -7 << 2 | 2, 0, 0x3FF00000), b"\2\0")
    whole = record(0x027E, at(0, 4), struct.pack("<I", 0x40590000 | 1))
    assert read(packed, many, whole).text == "Stock\n2.5\t-7\t1\t1"


def test_values_are_displayed_and_raw_forms_follow_the_row() -> None:
    cells = number(0, 46_095, 1), number(0, 0.025, 2), label(0, "12", 3, 3)
    said = read(*cells, codes=("dd.mm.yyyy", "0.00 %", '"No. "@'))
    assert said.text == "Stock\n14.03.2026\t2.50 %\tNo. 12\t2026-03-14\t0.025"


def test_dates_count_from_1904_where_the_workbook_says_so() -> None:
    said = read(number(0, 0, 1), codes=("yyyy-mm-dd",), before=record(0x22, b"\1\0"))
    assert said.text == "Stock\n1904-01-01"


def test_the_country_of_the_program_decides_how_values_look() -> None:
    styles = record(0xE0, struct.pack("<HH", 0, 14), bytes(16)) + record(0xE0, struct.pack("<HH", 0, 4), bytes(16))
    said = read(number(0, 46_095), number(0, 1234.5, 1), before=record(0x8C, struct.pack("<HH", 49, 49)) + styles)
    assert said.text == "Stock\n14.03.2026\t1.234,50\t2026-03-14\t1234.5"


def test_results_of_formulas_are_read_and_errors_are_not() -> None:
    said = read(
        formula(0, struct.pack("<d", 7)),
        formula(0, TEXT_RESULT),
        record(0x04BC, bytes(8)),
        record(0x0207, long("joined")),
        formula(0, b"\1\0\1" + bytes(3) + b"\xff\xff"),
        formula(0, b"\2\0\7" + bytes(3) + b"\xff\xff"),
        formula(0, b"\3" + bytes(5) + b"\xff\xff"),
        record(0x0205, at(0), b"\0\0"),
        record(0x0205, at(0), b"\7\1"),
    )
    assert said.text == "Stock\n7\tjoined\tTRUE\tFALSE"


def test_a_text_goes_on_in_the_next_record_in_characters_of_another_width() -> None:
    first = record(0xFC, struct.pack("<II", 3, 3), struct.pack("<H", 9), b"\0Cormo")
    second = record(CONTINUE, b"\1" + "rant".encode("utf-16-le"), struct.pack("<H", 4), b"\1", "€".encode("utf-16-le"))
    third = record(CONTINUE, b"\0uro", long("last"))
    said = read(shared(0, 0), shared(0, 1), shared(0, 2), strings=first + second + third)
    assert said.text == "Stock\nCormorant\t€uro\tlast"


def test_a_text_begins_where_a_record_does() -> None:
    strings = record(0xFC, struct.pack("<II", 2, 2), long("one")) + record(CONTINUE, long("two"))
    assert read(shared(0, 0), shared(0, 1), strings=strings).text == "Stock\none\ttwo"


def test_runs_and_phonetic_text_of_a_string_are_passed_over() -> None:
    rich = struct.pack("<HBHI", 4, 0x0C, 2, 6) + b"rich" + bytes(8) + b"kana.."
    half = struct.pack("<HBH", 4, 0x08, 3) + b"bold" + bytes(5)
    strings = record(0xFC, struct.pack("<II", 3, 3), rich, half) + record(CONTINUE, bytes(7), long("next"))
    assert read(shared(0, 0), shared(0, 1), shared(0, 2), strings=strings).text == "Stock\nrich\tbold\tnext"


def test_a_cell_with_runs_of_its_own_is_read() -> None:
    runs = record(0xD6, at(0), long("rich"), b"\1\0", bytes(4))
    assert read(runs, label(1, "plain")).text == "Stock\nrich\nplain"


def test_a_long_result_goes_on_in_the_next_record() -> None:
    text = record(0x0207, struct.pack("<H", 9), b"\0Cormo") + record(CONTINUE, b"\1" + "rant".encode("utf-16-le"))
    assert read(formula(0, TEXT_RESULT), text).text == "Stock\nCormorant"


def test_cells_around_a_chart_are_kept_and_its_words_are_found() -> None:
    chart = (
        bof(CHART)
        + record(0x100D, b"\0\0", short("Sales"))
        + record(0x0204, at(0), long("June"))
        + record(0x0204, at(1), long("June"))
        + number(0, 99)
        + END
    )
    said = read(label(0, "before"), chart, label(1, "after"))
    assert said.text == "Stock\nbefore\nSales\nJune\nafter"


def test_sheets_that_are_charts_and_hidden_ones_are_read_and_modules_are_not() -> None:
    sheets = {
        "Curve": bof(CHART) + record(0x100D, b"\0\0", short("Sales")) + END,
        "Hidden €": sheet(label(0, "found")),
        "Module1": bof(6) + label(0, "code") + END,
    }
    assert read_stream(stream(sheets)).text == "Curve\nSales\n\nHidden €\nfound\n\nModule1"


def test_a_text_box_stands_after_the_rows_and_a_comment_after_the_sheets() -> None:
    sheets = {
        "One": sheet(label(0, "cell"), text_box("boxed €"), text_box("Check this", 0x19)),
        "Two": sheet(label(0, "more")),
    }
    assert read_stream(stream(sheets)).text == "One\ncell\nboxed €\n\nTwo\nmore\n\nCheck this"


def test_an_alternative_text_is_found() -> None:
    text = "A cormorant\0".encode("utf-16-le")
    table_ = struct.pack("<HHI", 0x13, 0xF00B, 6 + len(text)) + struct.pack("<HI", 0x8381, len(text)) + text
    drawing = struct.pack("<HHI", 0xF, 0xF004, len(table_)) + table_
    said = read(label(0, "cell"), record(0xEC, drawing[:20]), record(0x5D, bytes(8)), record(0xEC, drawing[20:]))
    assert said.text == "Stock\ncell\nA cormorant"


def test_headers_prompts_and_names_follow_the_sheets() -> None:
    lengths = struct.pack("<HHHH", 3, 0, 0, 0)
    names = b"".join(
        record(0x18, struct.pack("<HBBHHHI", flags, 0, len(name), 0, 0, 0, 0), characters(name))
        for flags, name in ((0, "Vat_rate"), (0x20, "\x06"), (1, "hidden_one"), (0, "_xlnm.Print_Area"))
    )
    check = struct.pack("<I", 0x83) + long("Choice") + long("\0") + long("Choose one") + long("Not so")
    said = read(
        label(0, "cell"),
        record(0x14, long('&L&"Arial,Bold"&12Annual&RPage &P')),
        record(0x15, long("&Cfoot && more")),
        record(0x089C, bytes(38), lengths, long("&Le")),
        record(0x01BE, check, struct.pack("<HH", 9, 0), b"\x17", short("yes\0no")),
        before=names,
    )
    asides = "Annual\nPage\nfoot & more\ne\nChoice\nChoose one\nNot so\nyes\nno\nVat_rate"
    assert said.text == f"Stock\ncell\n\n{asides}"


def link(row: int, moniker: bytes, flags: int, name: str = "") -> bytes:
    """A hyperlink on the first cell of a row."""
    about = struct.pack("<HHHH", row, row, 0, 0) + bytes(16) + struct.pack("<II", 2, flags | (0x10 if name else 0))
    raw = (name + "\0").encode("utf-16-le")
    return record(0x01B8, about, struct.pack("<I", len(raw) // 2) + raw if name else b"", moniker)


def test_hyperlinks_have_the_text_of_their_cell() -> None:
    url = "https://host.example/a\0".encode("utf-16-le")
    web = bytes.fromhex("e0c9ea79f9bace118c8200aa004ba90b") + struct.pack("<I", len(url)) + url
    path = "sub\\größe.xls".encode("utf-16-le")
    file = bytes.fromhex("0303000000000000c000000000000046") + struct.pack("<HI", 1, 8) + b"SUB.XLS\0" + bytes(24)
    file += struct.pack("<IIH", 6 + len(path), len(path), 3) + path
    tokens = b"\x17" + short("https://host.example/f") + b"\x17" + short("Formula") + b"\x42\2\x67\1"
    said = read(
        label(0, "Link"),
        formula(1, TEXT_RESULT, tokens),
        record(0x0207, long("Formula")),
        link(0, web, 0x03),
        link(9, file, 0x01, "shown"),
        link(2, struct.pack("<I", 3) + "A1\0".encode("utf-16-le"), 0x08),
    )
    assert said.text == "Stock\nLink\nFormula"
    assert said.links == (
        PageLink("https://host.example/f", "Formula"),
        PageLink("https://host.example/a", "Link"),
        PageLink("https://host.example/sub/gr%C3%B6%C3%9Fe.xls", "shown"),
    )


def old_workbook(kind: int, code_page: int, name: bytes, *records: bytes) -> bytes:
    """A stream of BIFF5, whose texts are bytes of a code page."""
    before = bof(GLOBALS, 0x0500) + record(0x42, struct.pack("<H", code_page))
    styles = record(0x041E, struct.pack("<HB", 164, 10), b"dd.mm.yyyy") + record(0xE0, struct.pack("<HH", 0, 164))
    listed = record(0x85, struct.pack("<IHB", 0, 0, len(name)), name)
    return before + styles + listed + END + bof(kind, 0x0500) + b"".join(records) + END


def test_texts_of_excel_95_are_in_its_code_page() -> None:
    cyrillic = WORD.encode("cp1251")
    data = old_workbook(
        0x10,
        1251,
        cyrillic,
        record(0x0204, at(0), struct.pack("<H", 6), cyrillic),
        record(0x0203, at(0, 1), MARCH_14),
        record(0x14, b"\6", cyrillic),
        record(0x1C, at(0), struct.pack("<H", 6), cyrillic, cyrillic),
    )
    assert read_stream(data, "Book").text == f"{WORD}\n{WORD}\t14.03.2026\t2026-03-14\n\n{WORD}"


@pytest.mark.parametrize("kind", [0x0009, 0x0209, 0x0409])
def test_sheets_of_the_first_versions_are_read(kind: int) -> None:
    attributes = struct.pack("<HH", 0, 0) + b"\0\1\0"
    data = (
        record(kind, struct.pack("<HHH", 2, 0x10, 0))
        + record(0x1E, b"\7General")
        + record(0x1E, b"\4" + b"0.0%")
        + record(0x04, attributes, b"\5north")
        + record(0x02, attributes, struct.pack("<H", 2))
        + record(0x03, attributes, struct.pack("<d", 0.5))
        + END
    )
    assert extract_xls(data, TASK).text == "north\t200.0%\t50.0%\t2\t0.5"


def test_a_sheet_of_excel_4_in_a_workspace_has_its_name() -> None:
    inner = record(0x0409, struct.pack("<HHH", 4, 0x10, 0)) + record(0x0204, at(0), b"\4\0", b"cell") + END
    data = record(0x0409, struct.pack("<HHH", 4, 0x100, 0)) + record(0x8F, bytes(4), b"\5Stock") + inner + END
    assert extract_xls(data, TASK).text == "Stock\ncell"


def test_sheets_of_a_workspace_have_formats_of_their_own() -> None:
    def sheet_of(name: bytes, code: bytes) -> bytes:
        formats = record(0x041E, b"\0\0", bytes((len(code),)), code) + record(0x0443, b"\0\0", bytes(10))
        cells = record(0x0203, at(0), struct.pack("<d", 0.5)) + record(0x0207, b"\1\0x")
        head = record(0x0409, struct.pack("<HHH", 4, 0x10, 0))
        return record(0x8F, bytes(4), bytes((len(name),)), name) + head + formats + cells + END

    page = record(0x42, struct.pack("<H", 0x8000))
    data = (
        record(0x0409, struct.pack("<HHH", 4, 0x100, 0)) + page + sheet_of(b"One", b"0%") + sheet_of(b"Tw\x9a", b"0.00")
    )
    assert extract_xls(data + END, TASK).text == "One\n50%\t0.5\n\nTw\u00f6\n0.50\t0.5"


def test_a_workbook_is_found_beside_documents_of_other_kinds() -> None:
    data = stream({"Stock": sheet(label(0, "cell"))})
    tree: Tree = {"MBD001": {"WordDocument": b"x" * 600}, "Workbook": data, "Book": b"\x09\x08 old"}
    assert extract_xls(write_compound(tree), TASK).text == "Stock\ncell"


def test_an_embedded_document_is_yielded() -> None:
    inner = {"WordDocument": b"x" * 600}
    body = write_compound({"MBD001": inner, "_VBA_PROJECT_CUR": inner, "Workbook": stream({"Stock": sheet()})})
    found = list(xls_embedded_files(body, TASK))
    assert [each.mime for each in found] == ["application/msword"]


def test_a_workbook_behind_a_password_is_protected() -> None:
    data = stream({"Stock": sheet(label(0, "secret"))}, before=room())
    with pytest.raises(Protected):
        read_stream(locked(data, "something else"))
    for about in (bytes(6), b"\0\0" + bytes(4), b"\1\0\2\0\2\0" + bytes(100), b"\1\0\x63\0\1\0" + bytes(60), b""):
        with pytest.raises(Protected):
            read_stream(bof(GLOBALS) + record(0x2F, about) + END)


def test_the_password_that_excel_knows_itself_opens_a_workbook() -> None:
    cells = (label(row, f"cell {row}") for row in range(200))
    data = stream({"Stock": sheet(*cells)}, before=room())
    assert read_stream(locked(data, "VelvetSweatshop")).text == read_stream(data).text


def test_obfuscation_with_that_password_is_undone() -> None:
    body = made_elsewhere(XOR)
    assert extract_xls(body, TASK).text == "Stock\ncell 0\ncell 1"
    with pytest.raises(Protected):
        extract_xls(body.replace(XOR_FILE_PASS, XOR_FILE_PASS[:-1] + b"\x9b"), TASK)


def test_an_obfuscated_record_that_is_cut_short_ends_the_workbook() -> None:
    body = made_elsewhere(XOR)
    file = CompoundFile(body).root.read("Workbook") or b""
    for size in (len(file) - 1, len(file) - 40):
        assert read_stream(file[:size]).truncated


@pytest.mark.parametrize("body", [b"", b"PK\3\4", b"\x09\x08", b"plain text that goes on", write_compound({"x": b"y"})])
def test_what_is_no_workbook_is_refused(body: bytes) -> None:
    with pytest.raises(Unreadable):
        extract_xls(body, TASK)


def test_a_workbook_that_is_cut_short_is_read_up_to_there() -> None:
    said = read_stream(stream({"Stock": sheet(label(0, "first"), label(1, "second"))})[:-20])
    assert said.text == "Stock\nfirst"
    assert said.truncated
    assert said.fault


def test_a_workbook_whose_sheet_does_not_end_keeps_the_next() -> None:
    broken = bof() + label(0, "open")
    said = read_stream(stream({"One": broken, "Two": sheet(label(0, "found"))}))
    assert said.text == "One\nopen\n\nTwo\nfound"
    assert said.truncated


def test_a_sheet_that_is_missing_leaves_its_name() -> None:
    said = read_stream(stream({"One": sheet(label(0, "cell")), "Two": b""}))
    assert said.text == "One\ncell\n\nTwo"
    assert said.truncated


def test_charts_in_charts_without_end_are_survived() -> None:
    assert read(bof(CHART) * 10_000, label(0, "cell")).truncated


def test_counts_and_lengths_are_claims() -> None:
    strings = record(0xFC, struct.pack("<II", 0xFFFFFFFF, 0x7FFFFFFF), long("one"))
    said = read(shared(0, 0), shared(0, 7), record(0x0204, at(1), b"\xff\xff\0word"), strings=strings)
    assert said.text == "Stock\none\nword"
    assert said.truncated


def test_records_without_number_take_no_time() -> None:
    assert cpu_s(lambda: read(record(0x0203) * 300_000)) < 10


def test_damage_anywhere_is_survived() -> None:
    chance = random.Random(9)
    chart = bof(CHART) + record(0x100D, b"\0\0", short("Sales")) + END
    cells = shared(0, 0), number(0, 46_095.5, 1), formula(1, TEXT_RESULT), record(0x0207, long("joined"))
    objects = text_box("boxed"), record(0x14, long("&Lx")), link(0, bytes(60), 0xFF), record(0x01BE, bytes(40))
    body = sheet(*cells, chart, *objects)
    data = stream({"One": body, "Two": body}, strings=table("one", "zwö €"), codes=("d.m.yyyy",))
    whole = write_compound({"Workbook": data, "MBD1": {"Package": b"PK"}})
    for _ in range(300):
        with suppress(Unreadable, Protected):
            read_stream(mutated(data, chance))
        body = mutated(whole, chance)
        with suppress(Unreadable, Protected):
            extract_xls(body, TASK)
        with suppress(Unreadable, Protected):
            list(xls_embedded_files(body, TASK))


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Some bytes changed, and sometimes the end cut off."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed[: chance.randrange(len(changed))] if chance.random() < 0.2 else changed)
