from __future__ import annotations

import random
from contextlib import suppress

import pytest

from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.ooxml.spreadsheet import extract_xlsx
from cormorant.model.content import PageLink
from tests.clocks import cpu_s
from tests.extract.ooxml.package_writer import OfficePackage
from tests.extract.ooxml.workbook_writer import (
    BOOK,
    FIRST,
    SHEET_NAMES,
    TASK,
    add_sheet,
    book,
    commented,
    mutated,
    number,
    part,
    read,
    text,
    write_book,
)  # fmt: skip

APP = 'xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"' \
    ' xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"'  # fmt: skip


def text_of(*rows: str, **more: object) -> str:
    """The text of a workbook of one sheet, without the line of its name."""
    found = read(book(*rows, **more)).text  # type: ignore[arg-type]
    assert found.startswith("Stock")
    return found.removeprefix("Stock").lstrip("\n")


def test_rows_are_lines_and_cells_stand_apart() -> None:
    assert read(book(text("north") + number(12), text("south"))).text == "Stock\nnorth\t12\nsouth"


def test_runs_of_a_shared_string_join_and_phonetic_runs_are_left_out() -> None:
    item = "<r><rPr><b/></rPr><t>Cormo</t></r><r><t>rant</t></r><rPh sb='0' eb='1'><t>reading</t></rPh><phoneticPr/>"
    assert text_of('<c t="s"><v>1</v></c><c t="s"><v>0</v></c>', strings=("<t>plain</t>", item)) == "Cormorant\tplain"


def test_results_of_formulas_are_read_and_errors_are_not() -> None:
    cells = (
        '<c><f>3+4</f><v>7</v></c><c t="str"><f>A1&amp;B1</f><v>joined</v></c><c t="e"><v>#DIV/0!</v></c>'
        '<c t="b"><v>1</v></c><c t="b"><v>0</v></c><c><f>1+1</f></c>'
    )
    assert text_of(cells) == "7\tjoined\tTRUE\tFALSE"


def test_values_are_displayed_and_raw_forms_follow_the_row_once() -> None:
    cells = number(46_095, 1) + number(0.025, 2) + number(0.025, 2) + text("each")
    assert text_of(cells, codes=("dd.mm.yyyy", "0.00 %")) == "14.03.2026\t2.50 %\t2.50 %\teach\t2026-03-14\t0.025"


def test_text_is_displayed_by_its_format() -> None:
    assert text_of(text("12", 1), codes=('"No. "@',)) == "No. 12"


def test_dates_count_from_1904_where_the_workbook_says_so() -> None:
    package = book(number(0, 1), codes=("yyyy-mm-dd",))
    write_book(package, '<workbookPr date1904="1"/>')
    assert read(package).text == "Stock\n1904-01-01"


def test_a_date_in_iso_form_is_displayed_by_its_format() -> None:
    cells = '<c s="1" t="d"><v>2026-03-14T13:30:00Z</v></c><c t="d"><v>soon</v></c>'
    assert text_of(cells, codes=("d.m.yyyy h:mm",)) == "14.3.2026 13:30\tsoon\t2026-03-14 13:30"


@pytest.mark.parametrize(
    ("heading", "line"),
    [
        ("Worksheets", "3/14/2026\t1,234.50"),
        ("Arbeitsblätter", "14.03.2026\t1.234,50"),
        ("Feuilles de calcul", "14/03/2026\t1 234,50"),
    ],
)
def test_the_language_of_the_program_decides_how_values_look(heading: str, line: str) -> None:
    package = book(number(46_095, 2) + number(1234.5, 1), codes=("#,##0.00", ""))
    package.add(
        "xl/styles.xml",
        part("styleSheet", '<cellXfs><xf numFmtId="0"/><xf numFmtId="4"/><xf numFmtId="14"/></cellXfs>'),
    )
    pairs = (
        f"<HeadingPairs><vt:vector><vt:variant><vt:lpstr>{heading}</vt:lpstr></vt:variant></vt:vector></HeadingPairs>"
    )
    package.add("docProps/app.xml", part("Properties", pairs, APP))
    package.relate("", "extended-properties", "docProps/app.xml")
    assert read(package).text == f"Stock\n{line}\t2026-03-14\t1234.5"


def test_line_ends_in_a_cell_leave_the_row_a_line() -> None:
    assert text_of(text("one\ntwo_x000D_three&#9;four") + text("_x005F_x000D_")) == "one two three four\t_x000D_"


def test_hidden_sheets_are_read() -> None:
    package = book(text("seen"))
    add_sheet(package, "Hidden", f"<sheetData><row>{text('found')}</row></sheetData>", state="hidden")
    add_sheet(package, "Deep", f"<sheetData><row>{text('deeper')}</row></sheetData>", state="veryHidden")
    write_book(package)
    assert read(package).text == "Stock\nseen\n\nHidden\nfound\n\nDeep\ndeeper"


def test_codes_of_headers_and_footers_are_no_text() -> None:
    codes = (
        '<headerFooter><oddHeader>&L&"Arial,Bold"&12Annual&C&K01+033report && notes&RPage &P</oddHeader>'
        "<oddFooter>&C&8 2026 plan&D</oddFooter><evenHeader/><firstHeader>&F</firstHeader></headerFooter>"
    )
    found = text_of(text("cell"), after=codes.replace("&", "&amp;"))
    assert found == "cell\n\nAnnual\nreport & notes\nPage\n2026 plan"


def test_prompts_and_lists_to_choose_from_are_found() -> None:
    checks = (
        '<dataValidations><dataValidation type="list" promptTitle="Choice" prompt="Choose one" errorTitle="No"'
        ' error="Not so"><formula1>"yes,no"</formula1></dataValidation><dataValidation type="list">'
        "<formula1>$A$1:$A$9</formula1></dataValidation></dataValidations>"
    )
    assert text_of(text("cell"), after=checks) == "cell\n\nChoice\nChoose one\nNo\nNot so\nyes\nno"


def test_names_that_a_person_gave_are_found() -> None:
    package = book(text("cell"))
    names = (
        '<definedName name="Vat_rate" comment="of 2026">0.19</definedName>'
        '<definedName name="_xlnm.Print_Area">A1</definedName><definedName name="solver_x" hidden="1">1</definedName>'
    )
    write_book(package, names=names)
    assert read(package).text == "Stock\ncell\n\nVat_rate\nof 2026"


def test_hyperlinks_have_the_text_of_their_cell() -> None:
    links = (
        '<hyperlinks><hyperlink ref="A1:B1" r:id="rId1" tooltip="See there"/>'
        '<hyperlink ref="A9" r:id="rId2" location="top" display="shown"/>'
        '<hyperlink ref="B1" location="Stock!A1"/></hyperlinks>'
    )
    formula = '<c t="str"><f>HYPERLINK("https://host.example/f?a=""b""","Formula")</f><v>Formula</v></c>'
    package = book(text("Link", ref="A1") + text("more", ref="B1"), formula, after=links)
    package.relate(FIRST, "hyperlink", "https://host.example/a", external=True)
    package.relate(FIRST, "hyperlink", "other.xlsx", external=True)
    said = read(package)
    assert said.text == "Stock\nLink\tmore\nFormula\n\nSee there"
    assert said.links == (
        PageLink("https://host.example/f?a=%22b%22", "Formula"),
        PageLink("https://host.example/a", "Link"),
        PageLink("https://host.example/folder/other.xlsx", "shown"),
    )


def test_a_workbook_of_the_strict_kind_is_read() -> None:
    package = book('<c t="s"><v>0</v></c>' + number(0.5, 1), strings=("<t>strict</t>",), codes=("0%",))
    strict = "http://purl.oclc.org/ooxml/spreadsheetml/main"
    package.parts = {
        name: data.replace("http://schemas.openxmlformats.org/spreadsheetml/2006/main", strict)
        for name, data in package.parts.items()
        if isinstance(data, str)
    }
    assert read(package).text == "Stock\nstrict\t50%\t0.5"


def test_elements_with_a_prefix_are_read() -> None:
    package = book()
    rows = "<x:sheetData><x:row><x:c><x:v>7</x:v></x:c></x:row></x:sheetData>"
    sheet = rows + "<x:headerFooter><x:oddHeader>top</x:oddHeader></x:headerFooter>"
    package.add(FIRST, part("x:worksheet", sheet, SHEET_NAMES.replace("xmlns=", "xmlns:x=")))
    assert read(package).text == "Stock\n7\n\ntop"


def test_a_sheet_in_utf_16_is_read() -> None:
    package = book()
    xml = part("worksheet", f"<sheetData><row>{text('größer')}</row></sheetData>").replace("UTF-8", "UTF-16")
    package.add(FIRST, xml.encode("utf-16"))
    assert read(package).text == "Stock\ngrößer"


def test_cells_far_apart_cost_nothing() -> None:
    package = book(text("near", ref="A1"))
    far = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    package.add(FIRST, part("worksheet", f"<dimension ref='A1:XFD1048576'/><sheetData>{far * 3}</sheetData>"))
    assert cpu_s(lambda: read(package)) < 0.5
    assert read(package).text == "Stock\n1\n1\n1"


@pytest.mark.parametrize(
    "cell", ['<c t="s"><v>7</v></c>', '<c t="s"><v>-1</v></c>', '<c t="s"/>', "<c><v/></c>", '<c t="s"><v>x</v></c>']
)
def test_a_cell_that_leads_nowhere_is_empty(cell: str) -> None:
    assert text_of(cell + number(1), strings=("<t>one</t>",)) == "1"


@pytest.mark.parametrize("value", ["1_000x", "n/a", "1e999"])
def test_a_number_that_is_none_is_text_or_nothing(value: str) -> None:
    assert text_of(number(value) + number(5)).endswith("5")


def test_a_sheet_that_is_cut_short_is_read_up_to_there() -> None:
    package = book(text("first"), text("second"))
    xml = package.parts[FIRST]
    assert isinstance(xml, str)
    package.add(FIRST, xml[: xml.index("second") + 3])
    said = read(package)
    assert said.text.startswith("Stock\nfirst")
    assert said.truncated
    assert said.fault == f"A part of it is damaged, or larger than is read: {FIRST}."


def test_a_sheet_whose_part_is_missing_leaves_its_name() -> None:
    package = book(text("here"))
    add_sheet(package, "Gone", "")
    write_book(package)
    del package.parts["xl/worksheets/sheet2.xml"]
    said = read(package)
    assert said.text == "Stock\nhere\n\nGone"
    assert said.truncated


def test_sheets_are_found_without_the_list_of_them() -> None:
    package = book(text("here"))
    package.add(BOOK, part("workbook", ""))
    assert read(package).text == "here"
    package.relationships.pop(BOOK)
    assert "here" in read(package).text


def test_entities_are_refused_in_their_part_alone() -> None:
    package = book(text("here"))
    bad = add_sheet(package, "Bad", "")
    write_book(package)
    package.add(
        bad,
        '<!DOCTYPE w [<!ENTITY a "aaaa">]><worksheet><sheetData><row><c><v>&a;</v></c></row></sheetData></worksheet>',
    )
    said = read(package)
    assert said.text == "Stock\nhere\n\nBad"
    assert said.truncated


def test_a_string_that_is_repeated_without_end_is_cut() -> None:
    package = book('<c t="s"><v>0</v></c>' * 20_000, strings=("<t>" + "a" * 2_000_000 + "</t>",))
    said = read(package)
    assert said.truncated
    assert len(said.text) <= 20 * 1024 * 1024


def test_many_small_strings_take_no_time() -> None:
    package = book(text("here"), strings=("<t>a</t>",) * 100_000)
    assert cpu_s(lambda: read(package)) < 10


def test_what_is_no_workbook_is_refused() -> None:
    with pytest.raises(Unreadable):
        extract_xlsx(b"PK\3\4 no archive", TASK)
    with pytest.raises(Protected):
        extract_xlsx(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), TASK)


def test_damage_anywhere_costs_no_more_than_its_part() -> None:
    chance = random.Random(7)
    whole = commented(("Ann", "<t>comment</t>"))
    add_sheet(whole, "More", f"<sheetData><row>{number(46_095.5, 1)}{text('word')}</row></sheetData><headerFooter/>")
    write_book(whole)
    parts = {name: data.encode() if isinstance(data, str) else data for name, data in whole.parts.items()}
    for _ in range(300):
        package = OfficePackage()
        package.relationships = whole.relationships
        name = chance.choice(list(parts))
        package.parts = {**parts, name: mutated(parts[name], chance)}
        with suppress(Unreadable, Protected):
            read(package)
        with suppress(Unreadable, Protected):
            extract_xlsx(mutated(package.data(), chance), TASK)
