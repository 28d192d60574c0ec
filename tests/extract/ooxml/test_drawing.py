from __future__ import annotations

import pytest

from cormorant.extract.document.alt_text import human_text
from cormorant.extract.ooxml.drawing import drawing_text
from cormorant.extract.ooxml.relationships import OoxmlPackage
from tests.extract.ooxml.package_writer import OfficePackage, drawn, root, shape, zipped

DRAWING = "xl/drawings/drawing1.xml"


def lines_of(content: str, *, parts: dict[str, tuple[str, str]] | None = None) -> list[str]:
    """Return the lines of a drawing; `parts` are further ones by id: their kind and content."""
    package = OfficePackage()
    package.add(DRAWING, root("p:drawing", content))
    for identity, (kind, data) in (parts or {}).items():
        package.relate(DRAWING, kind, package.add(f"xl/parts/{identity}.xml", data), identity=identity)
    return drawing_text(OoxmlPackage(package.data()), DRAWING)[0]


def test_paragraphs_of_shapes_and_groups_are_read_in_order() -> None:
    content = f"{shape('one', 'two')}<p:grpSp>{shape('three')}<p:grpSp>{shape('four')}</p:grpSp></p:grpSp>"
    assert lines_of(content) == ["one", "two", "three", "four"]


def test_runs_join_and_line_breaks_part() -> None:
    runs = "<a:r><a:t>Cormo</a:t></a:r><a:r><a:t>rant</a:t></a:r><a:br/><a:r><a:t>bay_x000B_cliff</a:t></a:r>"
    assert lines_of(f"<p:txBody><a:p>{runs}</a:p></p:txBody>") == ["Cormorant\nbay\ncliff"]


def test_fields_of_slide_numbers_and_dates_are_made_and_others_are_text() -> None:
    field = '<a:fld type="{}"><a:t>{}</a:t></a:fld>'
    content = (
        field.format("slidenum", "7") + field.format("datetime1", "1.1.2020") + field.format("TxLink", "412 pairs")
    )
    assert lines_of(f"<p:txBody><a:p>{content}</a:p></p:txBody>") == ["412 pairs"]


def test_numbered_paragraphs_count() -> None:
    def item(text: str, scheme: str, level: int = 0) -> str:
        return f'<a:p><a:pPr lvl="{level}">{scheme}</a:pPr><a:r><a:t>{text}</a:t></a:r></a:p>'

    number, letter = '<a:buAutoNum type="arabicPeriod"/>', '<a:buAutoNum type="alphaLcParenR" startAt="3"/>'
    body = (
        item("a", number)
        + item("b", letter, 1)
        + item("c", letter, 1)
        + item("d", number)
        + item("e", "")
        + item("f", number)
    )
    assert lines_of(f"<p:txBody>{body}</p:txBody>") == ["1. a", "c) b", "d) c", "2. d", "e", "1. f"]


def test_cells_of_a_table_are_apart() -> None:
    def cell(*texts: str) -> str:
        return f"<a:tc><a:txBody>{''.join(map(drawn, texts))}</a:txBody></a:tc>"

    rows = f"<a:tr>{cell('a')}{cell('b', 'c')}</a:tr><a:tr>{cell()}{cell('d')}</a:tr>"
    assert lines_of(f"<a:graphic><a:tbl>{rows}</a:tbl></a:graphic>") == ["a\tb\nc", "d"]


def test_formulas_in_a_drawing_are_read_once() -> None:
    formula = (
        "<mc:AlternateContent><mc:Choice><m:oMath><m:r><m:t>E=mc</m:t></m:r></m:oMath></mc:Choice>"
        "<mc:Fallback><a:r><a:t>no formula</a:t></a:r></mc:Fallback></mc:AlternateContent>"
    )
    assert lines_of(f"<p:txBody><a:p><a:r><a:t>So </a:t></a:r>{formula}</a:p></p:txBody>") == ["So E=mc"]


def test_of_alternative_contents_the_first_is_read() -> None:
    forms = f"<mc:Choice>{shape('new')}</mc:Choice><mc:Fallback>{shape('old')}</mc:Fallback>"
    assert lines_of(f"<mc:AlternateContent>{forms}</mc:AlternateContent>") == ["new"]
    assert lines_of(f"<mc:AlternateContent><mc:Fallback>{shape('only')}</mc:Fallback></mc:AlternateContent>") == [
        "only"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Picture 1", "Grafik 12", "Image", "Text Box 3", "photo.JPG", "C:\\a b\\scan 1.png", "cid:image001.png@01D5",
        "A picture containing outdoor\n\nDescription automatically generated",
        "Ein Vogel. KI-generierte Inhalte können fehlerhaft sein.", "", "  ",
    ],
)  # fmt: skip
def test_names_that_programs_give_to_pictures_are_no_text(text: str) -> None:
    assert human_text(text) == ""


@pytest.mark.parametrize("text", ["Gannets in flight", "Picture of the lighthouse", "Chart: pairs by year", "Logo"])
def test_descriptions_that_people_write_are(text: str) -> None:
    assert human_text(f" {text} ") == text


def chart_title(text: str) -> str:
    return f"<c:title><c:tx><c:rich>{drawn(text)}</c:rich></c:tx></c:title>"


def chart(labels: str = "", kind: str = "str", code: str = "", category: str = "North") -> list[str]:
    """Return the lines of a chart of one series and one category."""
    name = '<c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>Gannets</c:v></c:pt></c:strCache></c:strRef></c:tx>'
    point = f'<c:pt idx="0"><c:v>{category}</c:v></c:pt>'
    cache = f"<c:{kind}Cache><c:formatCode>{code}</c:formatCode>{point}</c:{kind}Cache>"
    categories = f"<c:cat><c:{kind}Ref><c:f>Sheet1!$A$1</c:f>{cache}</c:{kind}Ref></c:cat>"
    figure = '<c:formatCode>0.0%</c:formatCode><c:pt idx="0"><c:v>0.025</c:v></c:pt>'
    figures = f"<c:val><c:numRef><c:numCache>{figure}</c:numCache></c:numRef></c:val>"
    plot = f"<c:barChart>{labels}<c:ser>{name}{categories}{figures}</c:ser></c:barChart>"
    axis = f"<c:valAx>{chart_title('share')}</c:valAx>"
    content = f"<c:chart>{chart_title('Pairs by year')}<c:plotArea>{plot}{axis}</c:plotArea></c:chart>"
    data = root("c:chartSpace", content)
    return lines_of('<a:graphicData><c:chart r:id="rId1"/></a:graphicData>', parts={"rId1": ("chart", data)})


def test_the_words_of_a_chart_are_its_titles_series_and_categories() -> None:
    assert chart() == ["Pairs by year", "Gannets", "North", "share"]


def test_figures_of_a_chart_are_read_where_they_are_written_beside_it() -> None:
    labels = '<c:dLbls><c:showVal val="{}"/></c:dLbls>'
    assert chart(labels.format(1)) == ["Pairs by year", "Gannets", "North", "2.5%\t0.025", "share"]
    assert chart(labels.format(0)) == ["Pairs by year", "Gannets", "North", "share"]


def test_categories_that_are_numbers_or_days_are_shown_as_in_the_chart() -> None:
    assert "2019" in chart(kind="num", code="General", category="2019")
    days = chart(kind="num", code="dd.mm.yyyy", category="43831")
    assert {"01.01.2020", "2020-01-01"} <= set(days)


def test_a_chart_of_the_newer_kind_is_read() -> None:
    data = root(
        "cx:chartSpace",
        '<cx:chartData><cx:data id="0">'
        '<cx:strDim type="cat"><cx:f>x</cx:f><cx:lvl><cx:pt idx="0">North</cx:pt></cx:lvl></cx:strDim>'
        '<cx:strDim type="entityId"><cx:lvl><cx:pt idx="0">91e2</cx:pt></cx:lvl></cx:strDim>'
        '<cx:numDim type="val"><cx:lvl><cx:pt idx="0">5</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData>'
        "<cx:chart><cx:title><cx:tx><cx:txData><cx:v>Funnel</cx:v></cx:txData></cx:tx></cx:title>"
        "<cx:series><cx:tx><cx:txData><cx:f>y</cx:f><cx:v>Series A</cx:v></cx:txData></cx:tx></cx:series></cx:chart>",
    )
    assert lines_of('<cx:chart r:id="rId1"/>', parts={"rId1": ("chartEx", data)}) == ["North", "Funnel", "Series A"]


def test_shapes_drawn_upon_a_chart_are_read() -> None:
    package = OfficePackage()
    package.add(DRAWING, root("p:drawing", '<c:chart r:id="rId1"/>'))
    package.relate(DRAWING, "chart", package.add("xl/charts/chart1.xml", root("c:chartSpace", "")))
    package.relate(
        "xl/charts/chart1.xml",
        "chartUserShapes",
        package.add("xl/drawings/d2.xml", root("c:userShapes", drawn("peak"))),
    )
    assert drawing_text(OoxmlPackage(package.data()), DRAWING)[0] == ["peak"]


def test_a_diagram_is_read_in_the_order_of_its_outline() -> None:
    def point(identity: int, text: str, kind: str = "node") -> str:
        return f'<dgm:pt modelId="{identity}" type="{kind}"><dgm:t>{drawn(text)}</dgm:t></dgm:pt>'

    def connection(source: int, target: int, order: int, kind: str = "parOf") -> str:
        return f'<dgm:cxn type="{kind}" srcId="{source}" destId="{target}" srcOrd="{order}"/>'

    points = (
        point(0, "", "doc")
        + point(3, "grandchild")
        + point(2, "second")
        + point(1, "first")
        + point(9, "layout", "pres")
    )
    connections = (
        connection(0, 1, 0)
        + connection(0, 2, 1)
        + connection(1, 3, 0)
        + connection(9, 1, 0, "presOf")
        + connection(3, 1, 0)
    )
    data = root("dgm:dataModel", f"<dgm:ptLst>{points}</dgm:ptLst><dgm:cxnLst>{connections}</dgm:cxnLst>")
    found = lines_of('<dgm:relIds r:dm="rId1" r:lo="rId2"/>', parts={"rId1": ("diagramData", data)})
    assert found == ["first", "grandchild", "second"]


def test_links_of_runs_and_shapes_are_kept() -> None:
    package = OfficePackage()
    runs = "".join(f'<a:r><a:rPr><a:hlinkClick r:id="rId1"/></a:rPr><a:t>{text}</a:t></a:r>' for text in ("li", "nk"))
    about = '<p:cNvPr id="1" descr="Plan of the isle"><a:hlinkClick r:id="rId2"/></p:cNvPr>'
    package.add(DRAWING, root("p:drawing", f"<p:txBody><a:p>{runs}</a:p></p:txBody>{about}"))
    package.relate(DRAWING, "hyperlink", "https://a.example/", external=True)
    package.relate(DRAWING, "hyperlink", "https://b.example/", external=True)
    links = drawing_text(OoxmlPackage(package.data()), DRAWING)[1]
    assert links == [("https://a.example/", "link"), ("https://b.example/", "Plan of the isle")]


def test_a_missing_or_damaged_drawing_says_nothing() -> None:
    package = OoxmlPackage(zipped({DRAWING: "<a:p><a:r"}))
    assert drawing_text(package, DRAWING) == ([], [])
    assert package.faults == [DRAWING]
    assert drawing_text(package, "nowhere.xml") == ([], [])
