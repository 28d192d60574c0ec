"""Workbooks by openpyxl, xlsxwriter and xlwt."""

# mypy: disable-error-code="import-not-found, import-untyped"
from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any, Final

_LINK: Final = "https://example.org/quokkalinktarget"
_DAY: Final = date(2026, 3, 14)
_COMMON: Final = (
    "body", "neighbouring cells", "line break", "percent as displayed", "percent as stored", "date as displayed",
    "date as stored", "number as displayed", "number as stored", "sheet name", "hidden sheet", "header", "footer",
)  # fmt: skip
_NOTED: Final = (
    "comment", "link text", "link target", "validation prompt", "validation error", "defined name", "chart title",
    "chart axis", "property title", "property subject", "property author", "property keywords", "property description",
    "property category", "custom property",
)  # fmt: skip


def with_openpyxl(path: Path) -> tuple[str, ...]:
    """Write a workbook with a chart, a comment and a validation."""
    from openpyxl import Workbook
    from openpyxl.chart import BarChart, Reference
    from openpyxl.comments import Comment
    from openpyxl.packaging.custom import StringProperty
    from openpyxl.workbook.defined_name import DefinedName
    from openpyxl.worksheet.datavalidation import DataValidation

    book = Workbook()
    sheet = book.active
    sheet.title = "quokkasheetname"
    sheet.append(["quokkabody", "quokkacellone", "quokkacelltwo", "quokkabreakone\nquokkabreaktwo"])
    sheet.append([0.7325, _DAY, 7341.58, "quokkalinktext"])
    for cell, shown in (("A2", "0.00%"), ("B2", "dd\\.mm\\.yyyy"), ("C2", "#,##0.00")):
        sheet[cell].number_format = shown
    sheet["D2"].hyperlink = _LINK
    sheet["A1"].comment = Comment("quokkacomment", "Commentator")
    check = DataValidation(
        type="whole", formula1="1", formula2="9", prompt="quokkavalidation", error="quokkavalidationerror"
    )
    sheet.add_data_validation(check)
    check.add("F1")
    sheet.oddHeader.center.text, sheet.oddFooter.left.text = "quokkaheader", "quokkafooter &P"
    chart = BarChart()
    chart.title, chart.x_axis.title = "quokkacharttitle", "quokkachartaxis"
    chart.add_data(Reference(sheet, min_col=1, min_row=2, max_row=2))
    sheet.add_chart(chart, "H2")
    other = book.create_sheet("other")
    other["A1"], other.sheet_state = "quokkahiddensheet", "hidden"
    book.defined_names["quokkadefinedname"] = DefinedName("quokkadefinedname", attr_text="quokkasheetname!$A$1")
    about = book.properties
    about.title, about.subject, about.creator = "quokkatitle", "quokkasubject", "Quokkaauthor"
    about.keywords, about.description, about.category = "quokkakeyword", "quokkadescription", "quokkacategory"
    book.custom_doc_props.append(StringProperty(name="Department", value="quokkacustom"))
    book.save(path)
    return (*_COMMON, *_NOTED)


def with_xlsxwriter(path: Path) -> tuple[str, ...]:
    """Write a workbook with a text box and its alt text besides."""
    import xlsxwriter

    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("quokkasheetname")
    sheet.write_row(0, 0, ["quokkabody", "quokkacellone", "quokkacelltwo", "quokkabreakone\nquokkabreaktwo"])
    sheet.write_rich_string("E1", "quok", book.add_format({"bold": True}), "kapie", "ces")
    sheet.write_number("A2", 0.7325, book.add_format({"num_format": "0.00%"}))
    sheet.write_datetime("B2", _DAY, book.add_format({"num_format": "dd\\.mm\\.yyyy"}))
    sheet.write_number("C2", 7341.58, book.add_format({"num_format": "#,##0.00"}))
    sheet.write_url("D2", _LINK, string="quokkalinktext")
    sheet.write_formula("E2", '=IF(1,"quokkaformularesult","quokkaformulacode")', None, "quokkaformularesult")
    sheet.write_comment("A1", "quokkacomment")
    check = {"validate": "integer", "criteria": "between", "minimum": 1, "maximum": 9}
    check |= {"input_message": "quokkavalidation", "error_message": "quokkavalidationerror"}
    sheet.data_validation("F1", check)
    sheet.set_header("&Cquokkaheader")
    sheet.set_footer("&Lquokkafooter &P")
    sheet.insert_textbox("H20", "quokkatextbox", {"description": "quokkaalttext"})
    _add_chart(book, sheet)
    other = book.add_worksheet("other")
    other.write("A1", "quokkahiddensheet")
    other.hide()
    book.define_name("quokkadefinedname", "=quokkasheetname!$A$1")
    book.set_properties({"title": "quokkatitle", "subject": "quokkasubject", "author": "Quokkaauthor",
                         "keywords": "quokkakeyword", "comments": "quokkadescription", "category": "quokkacategory",
                         "company": "Quokkacompany"})  # fmt: skip
    book.set_custom_property("Department", "quokkacustom")
    book.close()
    more = (
        "word in pieces",
        "formula result",
        "formula code",
        "text box",
        "alt text",
        "chart series",
        "property company",
    )
    return (*_COMMON, *_NOTED, *more)


def _add_chart(book: Any, sheet: Any) -> None:
    chart = book.add_chart({"type": "column"})
    chart.add_series({"name": "quokkachartseries", "values": "=quokkasheetname!$A$2:$A$2"})
    chart.set_title({"name": "quokkacharttitle"})
    chart.set_x_axis({"name": "quokkachartaxis"})
    sheet.insert_chart("H2", chart)


def with_xlsxwriter_from_1904(path: Path) -> tuple[str, ...]:
    """Write a workbook whose days are counted from 1904, with a day in the format that Excel takes by itself."""
    import xlsxwriter

    book = xlsxwriter.Workbook(str(path), {"date_1904": True})
    sheet = book.add_worksheet("quokkasheetname")
    sheet.write("A1", "quokkabody")
    sheet.write_datetime("B1", _DAY, book.add_format({"num_format": "dd\\.mm\\.yyyy"}))
    sheet.write_datetime("A2", date(2027, 11, 23), book.add_format({"num_format": 14}))
    book.close()
    return "body", "sheet name", "date as displayed", "date as stored", "built-in date as stored"


def with_default_password(path: Path) -> tuple[str, ...]:
    """Write a workbook that is encrypted with the word that Excel tries by itself: [MS-OFFCRYPTO] 2.4.2.3."""
    from io import BytesIO

    import xlsxwriter
    from msoffcrypto.format.ooxml import OOXMLFile

    plain = BytesIO()
    book = xlsxwriter.Workbook(plain)
    book.add_worksheet("quokkasheetname").write("A1", "quokkabody")
    book.close()
    with path.open("wb") as out:
        OOXMLFile(plain).encrypt("VelvetSweatshop", out)
    return "body", "sheet name"


def with_xlwt(path: Path) -> tuple[str, ...]:
    """Write a workbook of Excel 97."""
    import xlwt

    book = xlwt.Workbook()
    sheet = book.add_sheet("quokkasheetname")
    for column, word in enumerate(("quokkabody", "quokkacellone", "quokkacelltwo", "quokkabreakone\nquokkabreaktwo")):
        sheet.write(0, column, word)
    sheet.write(1, 0, 0.7325, xlwt.easyxf(num_format_str="0.00%"))
    sheet.write(1, 1, _DAY, xlwt.easyxf(num_format_str="dd\\.mm\\.yyyy"))
    sheet.write(1, 2, 7341.58, xlwt.easyxf(num_format_str="#,##0.00"))
    sheet.write(1, 3, xlwt.Formula(f'HYPERLINK("{_LINK}";"quokkalinktext")'))
    sheet.write_rich_text(1, 4, ("quok", ("kapie", xlwt.easyfont("bold true")), "ces"))
    sheet.header_str, sheet.footer_str = b"&Cquokkaheader", b"&Lquokkafooter"
    other = book.add_sheet("other")
    other.write(0, 0, "quokkahiddensheet")
    other.visibility = 1
    book.save(str(path))
    return (*_COMMON, "word in pieces")
