from __future__ import annotations

import pytest

from tests.extract.opendocument.packages import NAMES, content, flat, odf, read, text

CHART = (
    "<chart:chart><chart:title><text:p>Sales <text:span>2026</text:span></text:p></chart:title><chart:subtitle>"
    "<text:p>by region</text:p></chart:subtitle><chart:plot-area><chart:axis><chart:title><text:p>Euro</text:p>"
    "</chart:title></chart:axis></chart:plot-area><table:table><table:table-row><table:table-cell><text:p>North"
    "</text:p><draw:g><svg:desc>Sheet1.$A$1</svg:desc></draw:g></table:table-cell><table:table-cell"
    ' office:value-type="float" office:value="7"><text:p>7</text:p></table:table-cell></table:table-row>'
    "</table:table></chart:chart>"
)
FORMULA = (
    "<math:math><math:semantics><math:mrow><math:mi>E</math:mi><math:mo>=</math:mo><math:mi>m</math:mi>"
    "<math:mo>\u2062</math:mo><math:msup><math:mi>c</math:mi><math:mn>2</math:mn></math:msup></math:mrow>"
    "<math:annotation>E = m c^2</math:annotation></math:semantics></math:math>"
)


def test_a_text_box_follows_the_paragraph_it_stands_in() -> None:
    body = (
        '<text:p>before<draw:frame draw:name="Frame1"><draw:text-box><text:p>in</text:p><text:p>box</text:p>'
        "</draw:text-box></draw:frame>after</text:p><text:p>end</text:p>"
    )
    assert text(body) == "before after\nin\nbox\nend"


def test_words_in_shapes_and_groups_are_found_once() -> None:
    body = (
        "<text:p>x</text:p><draw:g><draw:custom-shape><text:p>one</text:p><draw:enhanced-geometry/>"
        "</draw:custom-shape><draw:g><draw:rect><text:p>two</text:p></draw:rect></draw:g></draw:g>"
    )
    assert text(body) == "x\none\ntwo"


@pytest.mark.parametrize(
    ("said", "expected"),
    [("A heron at dawn", "A heron at dawn"), ("heron.jpg", ""), ("Picture 7", ""), ("", "")],
)
def test_alternative_text_counts_when_a_person_wrote_it(said: str, expected: str) -> None:
    body = f'<text:p><draw:frame draw:name="Image3"><draw:image/><svg:desc>{said}</svg:desc></draw:frame></text:p>'
    assert text(body) == expected


def test_a_picture_that_is_a_link_is_one() -> None:
    body = (
        '<text:p><draw:a xlink:href="https://x.example/"><draw:frame><draw:image/><svg:title>Our map</svg:title>'
        "</draw:frame></draw:a></text:p>"
    )
    said = read(odf(body))
    assert [(link.address, link.text) for link in said.links] == [("https://x.example/", "Our map")]


def test_a_chart_is_titles_axes_and_labels_and_no_numbers() -> None:
    chart = '<draw:object xlink:href="./Object 1"><text:p/></draw:object><draw:image/>'
    body = f"<text:p><draw:frame>{chart}</draw:frame></text:p>"
    parts = {"Object 1/content.xml": content(CHART, "chart")}
    assert text(body * 2, **parts) == "Sales 2026\nby region\nEuro\nNorth"
    assert read(odf(CHART, "chart")).text == "Sales 2026\nby region\nEuro\nNorth"


def test_a_formula_is_its_symbols() -> None:
    body = '<text:p>so <draw:frame><draw:object xlink:href="./Object%202"/></draw:frame></text:p>'
    part = FORMULA.replace("<math:math>", f"<math:math {NAMES}>")
    assert text(body, **{"Object 2/content.xml": part}) == "so\nE = m c 2"
    loose = read(flat(f"<text:p><draw:frame><draw:object>{FORMULA}</draw:object></draw:frame></text:p>"))
    assert loose.text == "E = m c 2"


@pytest.mark.parametrize("reference", ["./Object 9", "", "../../etc/passwd", "http://127.0.0.1/x", "/", "./", "#a"])
def test_an_object_that_is_not_there_is_passed_over(reference: str) -> None:
    assert text(f'<text:p>x<draw:frame><draw:object xlink:href="{reference}"/></draw:frame></text:p>') == "x"


def test_an_object_that_holds_itself_is_read_once() -> None:
    inner = content(f'{CHART}<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>', "chart")
    body = '<text:p><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>'
    assert text(body, **{"Object 1/content.xml": inner}).count("by region") == 1


def test_form_controls_are_read_where_they_stand_with_label_and_value() -> None:
    forms = (
        '<office:forms><form:form><form:text xml:id="c1" form:name="hid1" form:current-value="Jane"/>'
        '<form:button form:id="c2" form:label="Send" form:value="v"/><form:listbox xml:id="c3">'
        '<form:option form:label="Red"/><form:option form:label="Blue"/></form:listbox>'
        '<form:password xml:id="c4" form:value="hunter2"/><form:hidden xml:id="c5" form:value="tok"/>'
        '<form:checkbox xml:id="c6" form:label="Agree" form:value="on"/></form:form></office:forms>'
    )
    body = forms + (
        '<text:p>Name <draw:control draw:control="c1"/></text:p><text:p>Colour <draw:control draw:control="c3"/>'
        "</text:p>"
        '<text:p><draw:control draw:control="c4"/><draw:control draw:control="c6"/></text:p>'
    )
    assert text(body).split("\n") == ["Name", "Jane", "Colour", "Red", "Blue", "Agree", "Send"]


def test_files_that_pictures_are_made_of_are_no_text() -> None:
    data = "<office:binary-data>iVBORw0KGgo=</office:binary-data>"
    body = f"<text:p>x<draw:frame><draw:image>{data}</draw:image></draw:frame></text:p>"
    assert read(flat(body)).text == "x"
