from __future__ import annotations

import pytest

from tests.clocks import cpu_s
from tests.extract.opendocument.packages import flat, lines, odf, read, text


def sheet(*rows: str, name: str = "Figures", inner: str = "") -> str:
    lines = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    return f'<table:table table:name="{name}">{inner}{lines}</table:table>'


def cell(shown: str, value: str = "", more: str = "") -> str:
    return f"<table:table-cell {value} {more}><text:p>{shown}</text:p></table:table-cell>"


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (cell("word"), "word"),
        (cell("2.50 %", 'office:value-type="percentage" office:value="0.025"'), "2.50 % 0.025"),
        (cell("14.03.2026", 'office:value-type="date" office:date-value="2026-03-14"'), "14.03.2026 2026-03-14"),
        (cell("x", 'office:value-type="date" office:date-value="2026-03-14T00:00:00"'), "x 2026-03-14"),
        (cell("x", 'office:value-type="date" office:date-value="2026-03-14T09:30:00"'), "x 2026-03-14 09:30:00"),
        (cell("9 Uhr", 'office:value-type="time" office:time-value="PT9H05M00S"'), "9 Uhr 09:05:00"),
        (cell("9", 'office:value-type="time" office:time-value="later"'), "9"),
        (cell("1,234.5", 'office:value-type="float" office:value="1234.5"'), "1,234.5 1234.5"),
        (cell("12 €", 'office:value-type="currency" office:value="12"'), "12 €"),
        (cell("WAHR", 'office:value-type="boolean" office:boolean-value="true"'), "WAHR"),
        ('<table:table-cell office:value-type="float" office:value="3"/>', "3"),
        ('<table:table-cell office:value-type="string" office:string-value="said"/>', "said"),
        ("<table:table-cell><text:p>one</text:p><text:p>two</text:p></table:table-cell>", "one two"),
    ],
)
def test_a_value_is_found_as_displayed_and_as_it_is(made: str, expected: str) -> None:
    assert text(sheet(made), "spreadsheet") == f"Figures\n{expected}"


def test_cells_are_parted_and_empty_ones_leave_nothing() -> None:
    body = sheet(cell("a") + '<table:table-cell table:number-columns-repeated="3"/>' + cell("b"), "", cell("c"))
    assert text(body, "spreadsheet") == "Figures\na\tb\nc"


def test_a_cell_of_an_unknown_type_is_read_as_displayed() -> None:
    odd = cell("shown", 'office:value-type="tensor" office:value="7"')
    assert text(sheet(odd, cell("behind")), "spreadsheet") == "Figures\nshown\nbehind"


def test_sheets_hidden_ones_too_stand_apart_under_their_names() -> None:
    style = (
        '<style:style style:name="h" style:family="table"><style:table-properties table:display="false"/></style:style>'
    )
    hidden = sheet(cell("y"), name="Hidden").replace("<table:table ", '<table:table table:style-name="h" ')
    made = text(sheet(cell("x")) + hidden, "spreadsheet", styles=style)
    assert lines(made) == ["Figures", "x", "Hidden", "y"]


def test_a_sheet_without_rows_is_found_by_its_name() -> None:
    assert text(sheet(name="Empty"), "spreadsheet") == "Empty"


def test_repeated_rows_and_cells_are_read_once() -> None:
    huge = "2147483647"
    row = (
        f'<table:table-row table:number-rows-repeated="{huge}">'
        + cell("again", more=f'table:number-columns-repeated="{huge}"')
        + "</table:table-row>"
    )
    assert text(f'<table:table table:name="S">{row}</table:table>', "spreadsheet") == "S\nagain"


def test_rows_in_groups_and_headers_are_read() -> None:
    body = (
        '<table:table table:name="S"><table:table-header-rows><table:table-row>' + cell("head")
        + "</table:table-row></table:table-header-rows><table:table-row-group><table:table-row-group><table:table-row>"
        + cell("deep") + "</table:table-row></table:table-row-group></table:table-row-group></table:table>"
    )  # fmt: skip
    assert text(body, "spreadsheet") == "S\nhead\ndeep"


def test_a_comment_and_the_help_of_a_cell_stand_beside() -> None:
    validations = (
        '<table:content-validations><table:content-validation table:condition="cell-content()&gt;1">'
        '<table:help-message table:title="Hint"><text:p>a number</text:p></table:help-message>'
        "</table:content-validation></table:content-validations>"
    )
    made = (
        "<table:table-cell><office:annotation><dc:creator>Ann</dc:creator><text:p>why</text:p></office:annotation>"
        "<text:p>x</text:p></table:table-cell>"
    )
    assert text(validations + sheet(made), "spreadsheet") == "Figures\nx\n\nHint\na number\nAnn: why"


def test_what_can_be_chosen_in_a_cell_and_names_of_ranges_are_found() -> None:
    validations = (
        "<table:content-validations><table:content-validation"
        " table:condition='of:cell-content-is-in-list(&quot;Red&quot;;&quot;Blue&quot;)'/><table:content-validation"
        " table:condition='of:is-true-formula(&quot;code&quot;)'/></table:content-validations>"
    )
    names = (
        '<table:named-expressions><table:named-range table:name="Budget"/><table:named-range table:name="_xlnm.Area"/>'
        "</table:named-expressions>"
    )
    assert text(validations + sheet(cell("x")) + names, "spreadsheet") == "Figures\nx\n\nRed\nBlue\nBudget"


def test_old_contents_of_cells_and_other_documents_are_left_out() -> None:
    changes = (
        "<table:tracked-changes><table:cell-content-change><table:previous><table:change-track-table-cell>"
        "<text:p>old</text:p></table:change-track-table-cell></table:previous></table:cell-content-change>"
        "</table:tracked-changes>"
    )
    other = sheet(cell("theirs"), name="'file:///x.ods'#$Sheet1")
    assert text(changes + other + sheet(cell("mine")), "spreadsheet") == "Figures\nmine"


def test_shapes_and_charts_on_a_sheet_are_read() -> None:
    chart = (
        "<draw:frame><draw:object><office:document><office:body><office:chart><chart:chart><chart:title>"
        "<text:p>Sales</text:p></chart:title><table:table><table:table-row>" + cell("North")
        + cell("7", 'office:value-type="float" office:value="7"')
        + "</table:table-row></table:table></chart:chart></office:chart></office:body></office:document></draw:object>"
        "</draw:frame>"
    )  # fmt: skip
    shapes = f"<table:shapes>{chart}<draw:rect><text:p>boxed</text:p></draw:rect></table:shapes>"
    body = sheet(cell("x") + f"<table:table-cell>{chart}</table:table-cell>", inner=shapes)
    assert read(flat(body, "spreadsheet")).text == "Figures\nSales\nNorth\nboxed\nx\tSales North"


def test_headers_of_printed_pages_are_found_once() -> None:
    master = (
        '<style:master-page style:name="Default"><style:header><style:region-left><text:p>Left</text:p>'
        "</style:region-left><style:region-right><text:p>Right</text:p></style:region-right></style:header>"
        '<style:header-left style:display="false"><text:p>unused</text:p></style:header-left></style:master-page>'
        '<style:master-page style:name="Other"><style:footer><text:p>spare</text:p></style:footer></style:master-page>'
    )
    made = read(odf(sheet(cell("x")), "spreadsheet", masters=master))
    assert made.text == "Figures\nx\n\nLeft\nRight"
    used = '<style:style style:name="ta" style:family="table" style:master-page-name="Other"/>'
    assert read(flat(sheet(cell("x")), "spreadsheet", masters=master, styles=used)).text.endswith("Right\nspare")


def test_a_flat_spreadsheet_states_its_title() -> None:
    assert read(flat(sheet(cell("x")), "spreadsheet", meta="<dc:title>Numbers</dc:title>")).title == "Numbers"


def test_a_damaged_spreadsheet_is_read_up_to_the_damage() -> None:
    whole = flat(sheet(cell("one"), cell("two"), cell("three")), "spreadsheet")
    said = read(whole[: whole.index(b"three")])
    assert said.text.startswith("Figures\none\ntwo")
    assert said.truncated
    assert said.fault


def test_many_cells_cost_little() -> None:
    many = odf(sheet(*[cell("a") + cell("b") * 9] * 5_000), "spreadsheet")
    assert cpu_s(lambda: read(many), 1) < 4
