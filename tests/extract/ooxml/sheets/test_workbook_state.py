from __future__ import annotations

from tests.extract.ooxml.workbook_writer import (
    DRAWING_NAMES,
    FIRST,
    THREADS,
    add_sheet,
    book,
    commented,
    part,
    read,
    text,
    write_book,
)

VML = 'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:x="urn:schemas-microsoft-com:office:excel"'
CHART = (
    "<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    "<c:ser><c:tx><c:strRef><c:strCache><c:pt><c:v>Last year</c:v></c:pt></c:strCache></c:strRef></c:tx>"
    "<c:cat><c:strRef><c:strCache><c:pt><c:v>June</c:v></c:pt><c:pt><c:v>July</c:v></c:pt></c:strCache></c:strRef>"
    "</c:cat></c:ser></c:chart>"
)
DRAWING = "xl/drawings/drawing1.xml"


def test_a_sheet_that_is_a_chart_has_its_words() -> None:
    package = book(text("cell"))
    sheet = add_sheet(package, "Curve", "<sheetPr/>", kind="chartsheet")
    write_book(package)
    chart = package.add("xl/charts/chart1.xml", part("c:chartSpace", CHART, DRAWING_NAMES))
    frame = f'<a:graphic><a:graphicData><c:chart r:id="{package.relate(DRAWING, "chart", chart)}"/></a:graphicData>'
    drawing = f"<xdr:graphicFrame>{frame}</a:graphic></xdr:graphicFrame>"
    package.relate(sheet, "drawing", package.add(DRAWING, part("xdr:wsDr", drawing, DRAWING_NAMES)))
    said = read(package)
    assert said.text == "Stock\ncell\n\nCurve\nSales\nLast year\nJune\nJuly"
    assert not said.truncated


def test_a_text_box_and_a_picture_are_found_after_the_rows() -> None:
    package = book(text("cell"))
    shapes = (
        '<xdr:sp><xdr:nvSpPr><xdr:cNvPr id="2" name="TextBox 1"/></xdr:nvSpPr><xdr:txBody><a:p><a:r><a:t>boxed</a:t>'
        "</a:r></a:p></xdr:txBody></xdr:sp><xdr:pic><xdr:nvPicPr>"
        '<xdr:cNvPr id="3" name="Picture 2" descr="A cormorant"/></xdr:nvPicPr></xdr:pic>'
    )
    package.relate(FIRST, "drawing", package.add(DRAWING, part("xdr:wsDr", shapes, DRAWING_NAMES)))
    assert read(package).text == "Stock\ncell\nboxed\nA cormorant"


def test_words_on_buttons_are_found_and_shapes_of_comments_are_not() -> None:
    package = book(text("cell"))
    shapes = (
        "<v:shape alt='Picture 1'><v:textbox><div><font>Press</font> <b>me</b><br></div></v:textbox>"
        "<x:ClientData ObjectType='Button'/></v:shape>"
        "<v:shape><v:textbox><div>drawn note</div></v:textbox><x:ClientData ObjectType='Note'/></v:shape>"
    )
    package.relate(FIRST, "vmlDrawing", package.add("xl/drawings/vml1.vml", f"<xml {VML}>{shapes}</xml>"))
    said = read(package)
    assert said.text == "Stock\ncell\nPress me"
    assert not said.truncated


def test_words_that_stand_in_both_drawings_are_found_once() -> None:
    package = book(text("cell"))
    shape = "<xdr:sp><xdr:txBody><a:p><a:r><a:t>Press me</a:t></a:r></a:p></xdr:txBody></xdr:sp>"
    button = "<v:shape><v:textbox>Press me</v:textbox></v:shape>"
    package.relate(FIRST, "drawing", package.add(DRAWING, part("xdr:wsDr", shape, DRAWING_NAMES)))
    package.relate(FIRST, "vmlDrawing", package.add("xl/drawings/vml1.vml", f"<xml {VML}>{button}</xml>"))
    assert read(package).text == "Stock\ncell\nPress me"


def test_comments_follow_all_sheets() -> None:
    assert read(commented(("Ann", "<r><t>Check </t></r><r><t>this</t></r>"))).text == "Stock\ncell\n\nCheck this"


def test_a_thread_is_found_once() -> None:
    package = commented(("tc={1}", "<t>[Threaded comment] Comment: why</t>"), ("Ann", "<t>old</t>"))
    assert "why" in read(package).text
    texts = "".join(f"<threadedComment><text>{each}</text></threadedComment>" for each in ("why", "because"))
    package.relate(FIRST, THREADS, package.add("xl/threadedComments/t1.xml", part("ThreadedComments", texts)))
    assert read(package).text == "Stock\ncell\n\nwhy\nbecause\nold"
