from __future__ import annotations

import tracemalloc

import pytest

from cormorant.extract.detect.media_types import EXCEL_2003
from cormorant.extract.errors import Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ooxml.sheets.spreadsheet_2003 import extract_excel_2003
from cormorant.model.content import Extraction, PageLink

TASK = ExtractionTask(EXCEL_2003, "https://host.example/folder/figures.xml")
NAMESPACES = (
    'xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"'
    ' xmlns:x="urn:schemas-microsoft-com:office:excel" xmlns:o="urn:schemas-microsoft-com:office:office"'
    ' xmlns:html="http://www.w3.org/TR/REC-html40"'
)


def workbook(rows: str, *, before: str = "", behind: str = "") -> bytes:
    """Return a workbook of one sheet, `Stock`."""
    return (
        f'<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook {NAMESPACES}>{before}'
        f'<Worksheet ss:Name="Stock"><Table>{rows}</Table>{behind}</Worksheet></Workbook>'
    ).encode()


def read(rows: str, *, before: str = "", behind: str = "") -> Extraction:
    """Return what the reader says of a workbook of one sheet."""
    return extract_excel_2003(workbook(rows, before=before, behind=behind), TASK)


def cell(value: str, kind: str = "String", attributes: str = "") -> str:
    """Return a cell."""
    return f'<Cell {attributes}><Data ss:Type="{kind}">{value}</Data></Cell>'


def row(*cells: str, attributes: str = "") -> str:
    """Return a row."""
    return f"<Row {attributes}>{''.join(cells)}</Row>"


def styles(*formats: str) -> str:
    """Return styles `s0`, `s1` ... with number formats."""
    made = (f'<Style ss:ID="s{n}"><NumberFormat ss:Format="{code}"/></Style>' for n, code in enumerate(formats))
    return f"<Styles>{''.join(made)}</Styles>"


def test_rows_are_lines_and_cells_stand_apart() -> None:
    rich = '<Cell><ss:Data ss:Type="String" xmlns="http://www.w3.org/TR/REC-html40"><B>bo</B>ld</ss:Data></Cell>'
    last = row(cell("two&#10;lines"), cell("1", "Boolean"))
    said = read(row(cell("north"), cell("12", "Number"), rich) + row() + last)
    assert said.text == "Stock\nnorth\t12\tbold\ntwo lines\tTRUE"
    assert not said.truncated


def test_values_are_displayed_by_codes_and_by_names() -> None:
    formats = styles("0.0", "Percent", "Short Date", "Yes/No", "Standard", "dd\\.mm\\.yyyy")
    cells = (
        cell("2.25", "Number", 'ss:StyleID="s0"'),
        cell("0.5", "Number", 'ss:StyleID="s1"'),
        cell("2026-03-14T00:00:00.000", "DateTime", 'ss:StyleID="s2"'),
        cell("1", "Number", 'ss:StyleID="s3"'),
        cell("7341.5", "Number", 'ss:StyleID="s4"'),
        cell("2026-03-15T00:00:00.000", "DateTime", 'ss:StyleID="s5"'),
        cell("#N/A", "Error"),
    )
    assert read(row(*cells), before=formats).text == (
        "Stock\n2.3\t50.00%\t3/14/2026\tYes\t7,341.50\t15.03.2026\t2.25\t0.5\t2026-03-14\t1\t7341.5\t2026-03-15"
    )


def test_styles_are_inherited_from_rows_and_parents() -> None:
    parent = '<Style ss:ID="a"><NumberFormat ss:Format="0.00"/></Style>'
    formats = f'<Styles>{parent}<Style ss:ID="b" ss:Parent="a"/></Styles>'
    assert read(row(cell("1", "Number"), attributes='ss:StyleID="b"'), before=formats).text == "Stock\n1.00\t1"


def test_dates_may_count_from_1904() -> None:
    before = "<x:ExcelWorkbook><x:Date1904/></x:ExcelWorkbook>" + styles("yyyy-mm-dd")
    cells = cell("0", "Number", 'ss:StyleID="s0"'), cell("1904-01-02T00:00:00.000", "DateTime", 'ss:StyleID="s0"')
    assert read(row(*cells), before=before).text == "Stock\n1904-01-01\t1904-01-02"


def test_links_take_the_text_of_their_cells() -> None:
    formula = 'ss:Formula=\'=HYPERLINK("http://b.example/","b")\''
    cells = cell("plan", attributes='ss:HRef="plan.html" x:HRefScreenTip="the plan"'), cell("b", attributes=formula)
    said = read(row(*cells))
    assert said.links == (PageLink("https://host.example/folder/plan.html", "plan"), PageLink("http://b.example/", "b"))
    assert said.text == "Stock\nplan\tb\n\nthe plan"


def test_comments_headers_prompts_and_names_stand_after_the_sheets() -> None:
    remark = '<Comment ss:Author="M"><ss:Data>a <html:B>remark</html:B></ss:Data></Comment>'
    note = f'<Cell><Data ss:Type="String">x</Data>{remark}</Cell>'
    behind = (
        '<x:WorksheetOptions><x:PageSetup><x:Header x:Data="&amp;LHead&amp;RPage &amp;P"/>'
        '<x:Footer x:Data="&amp;CFoot"/></x:PageSetup></x:WorksheetOptions>'
        "<x:DataValidation><x:Type>List</x:Type><x:Value>&quot;ebb,flow&quot;</x:Value><x:InputMessage>Choose</x:InputMessage></x:DataValidation>"
    )
    names = "".join(f'<NamedRange ss:Name="{name}"/>' for name in ("Depths", "Print_Area", 'H" ss:Hidden="1'))
    assert read(row(note), before=f"<Names>{names}</Names>", behind=behind).text == (
        "Stock\nx\n\na remark\nHead\nPage\nFoot\nChoose\nebb\nflow\nDepths"
    )


def test_properties_become_title_and_attributes() -> None:
    about = "<o:DocumentProperties><o:Title>Tides</o:Title><o:Author>Mara</o:Author></o:DocumentProperties>"
    said = read(row(cell("x")), before=about)
    assert said.title == "Tides"
    assert said.attributes == {"Author": "Mara"}


def test_a_workbook_that_is_cut_short_is_read_up_to_there() -> None:
    body = workbook(row(cell("first")) + row(cell("second")))
    said = extract_excel_2003(body[: body.index(b"second")], TASK)
    assert said.text.startswith("Stock\nfirst")
    assert said.truncated
    assert said.fault


@pytest.mark.parametrize("body", [b"", b"<Workbook/>", b"<!DOCTYPE a [<!ENTITY b 'c'>]>" + workbook("")])
def test_what_is_no_workbook_is_refused(body: bytes) -> None:
    with pytest.raises(Unreadable):
        extract_excel_2003(body, TASK)


@pytest.mark.parametrize(
    ("kind", "value"), [("Number", "many"), ("DateTime", "someday"), ("DateTime", "0001-13-01"), ("?", "x")]
)
def test_values_that_are_none_are_read_as_text(kind: str, value: str) -> None:
    assert read(row(cell(value, kind))).text == f"Stock\n{value}"


def test_a_sheet_of_many_rows_takes_little_memory() -> None:
    body = workbook("".join(row(cell(f"row {number}"), cell(str(number), "Number")) for number in range(20_000)))
    tracemalloc.start()
    try:
        assert extract_excel_2003(body, TASK).text.endswith("row 19999\t19999")
        assert tracemalloc.get_traced_memory()[1] < 12_000_000
    finally:
        tracemalloc.stop()
