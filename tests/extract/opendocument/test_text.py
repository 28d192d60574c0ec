from __future__ import annotations

import pytest

from tests.extract.opendocument.packages import flat, odf, read, text

RUBY = "<text:ruby><text:ruby-base>base</text:ruby-base><text:ruby-text>read</text:ruby-text></text:ruby>"


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("one<text:span>two</text:span>three", "onetwothree"),
        ("one<text:tab/>two", "one\ttwo"),
        ("one<text:line-break/>two", "one\ntwo"),
        ('one<text:s text:c="4"/>two', "one two"),
        ('one<text:s text:c="99999999999"/>two', "one two"),
        ("one\n   two", "one two"),
        ("one<text:soft-page-break/>two", "onetwo"),
        ('one<text:bookmark text:name="unseen"/>two', "onetwo"),
        ("soft\u00adhyphen", "softhyphen"),
        (RUBY + "s", "base(read)s"),
        ("page <text:page-number>&lt;number&gt;</text:page-number>", "page"),
        ("of <text:page-count>7</text:page-count>", "of 7"),
        ("<text:sheet-name>???</text:sheet-name>end", "end"),
        ('<text:hidden-text text:string-value="secret" text:is-hidden="true"/>', "secret"),
        ('<text:script script="x">code</text:script>after', "after"),
        ("<text:placeholder>&lt;Name&gt;</text:placeholder>Ann", "Ann"),
        ("<text:unheard-of>kept</text:unheard-of>", "kept"),
    ],
)  # fmt: skip
def test_a_paragraph_reads_as_displayed(inner: str, expected: str) -> None:
    assert text(f"<text:p>{inner}</text:p>") == expected


LIST = (
    '<text:drop-down><text:label text:value="tea"/><text:label text:value="milk" text:current-selected="true"/>'
    "{}</text:drop-down>"
)


@pytest.mark.parametrize(("displayed", "expected"), [("", "with milk."), ("cream", "with cream.")])
def test_the_chosen_entry_of_a_list_is_text(displayed: str, expected: str) -> None:
    assert text(f"<text:p>with {LIST.format(displayed)}.</text:p>") == expected


def mark(kind: str, *parameters: tuple[str, str], name: str = "field:fieldmark") -> str:
    inner = "".join(f'<field:param field:name="{each}" field:value="{value}"/>' for each, value in parameters)
    return f'<text:p>a <{name} field:type="vnd.oasis.opendocument.field.{kind}">{inner}</{name}> b</text:p>'


@pytest.mark.parametrize(
    ("chosen", "expected"), [("1", "a milk b"), ("0", "a tea b"), ("2", "a b"), ("-1", "a b"), ("9" * 30, "a b")]
)
def test_the_choice_in_a_form_of_word_is_text(chosen: str, expected: str) -> None:
    old = [("ListEntry", "tea"), ("ListEntry", "milk"), ("Result", chosen)]
    new = [(f"Dropdown_{name}".replace("Result", "Selected"), value) for name, value in old]
    assert text(mark("FORMDROPDOWN", *old, name="field:fieldmark-start")) == expected
    assert text(mark("FORMDROPDOWN", *new)) == expected
    assert text(mark("FORMTEXT", *new)) == "a b"


def test_paragraphs_and_headings_stand_on_lines_of_their_own() -> None:
    assert text("<text:h text:outline-level='1'>Head</text:h>\n<text:section><text:p>in</text:p></text:section>") == (
        "Head\nin"
    )


def test_a_note_is_found_once_after_the_body_and_its_number_not() -> None:
    body = (
        "<text:p>word<text:note><text:note-citation>17</text:note-citation><text:note-body><text:p>noted</text:p>"
        "</text:note-body></text:note> more</text:p><text:p>end</text:p>"
    )
    assert text(body) == "word more\nend\n\nnoted"


def test_a_comment_has_its_author_and_no_date() -> None:
    body = (
        "<text:p>here<office:annotation><dc:creator>Ann</dc:creator><dc:date>2020-01-01</dc:date>"
        "<text:list><text:list-item><text:p>why</text:p></text:list-item></text:list></office:annotation> on</text:p>"
    )
    assert text(body) == "here on\n\nAnn: why"


def test_deleted_text_is_left_out_and_inserted_text_kept() -> None:
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion>"
        '</text:changed-region></text:tracked-changes><text:p>a<text:change text:change-id="1"/>'
        "b<text:change-start/>new<text:change-end/></text:p>"
    )
    assert text(body) == "abnew"


def test_an_index_is_kept_and_its_templates_are_not() -> None:
    body = (
        "<text:table-of-content><text:table-of-content-source><text:index-title-template>Template"
        "</text:index-title-template></text:table-of-content-source><text:index-body><text:index-title>"
        "<text:p>Contents</text:p></text:index-title><text:p>One<text:tab/>3</text:p></text:index-body>"
        "</text:table-of-content>"
    )
    assert text(body) == "Contents\nOne\t3"


def test_links_lead_beside_the_package_and_not_into_it() -> None:
    body = (
        '<text:p><text:a xlink:href="../other.odt">next <text:span>one</text:span></text:a> '
        '<text:a xlink:href="https://x.example/">far</text:a><text:a xlink:href="#Chapter">inside</text:a></text:p>'
    )
    packed, loose = read(odf(body)), read(flat(body))
    assert [(link.address, link.text) for link in packed.links] == [
        ("https://h.example/dir/other.odt", "next one"),
        ("https://x.example/", "far"),
    ]
    assert packed.text == "next one farinside"
    assert loose.links[0].address == "https://h.example/other.odt"


def test_cells_of_a_table_stand_apart_and_nested_tables_are_read() -> None:
    inner = (
        "<table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell><table:table-cell>"
        "<text:p>y</text:p></table:table-cell></table:table-row></table:table>"
    )
    body = (
        "<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>a</text:p>"
        "</table:table-cell><table:covered-table-cell/><table:table-cell><text:p>b</text:p></table:table-cell>"
        "</table:table-row></table:table-header-rows><table:table-row><table:table-cell><text:p>c</text:p>"
        f"{inner}</table:table-cell><table:table-cell><text:p>d</text:p></table:table-cell></table:table-row>"
        "</table:table>"
    )
    assert text(body) == "a\tb\nc\nx\ty\nd"


def test_text_deeper_than_any_document_is_found_all_the_same() -> None:
    body = "<text:section>" * 300 + "<text:p>deep</text:p><text:p>down</text:p>" + "</text:section>" * 300
    said = read(odf(body))
    assert said.text.split() == ["deep", "down"]


@pytest.mark.parametrize(
    ("opened", "closed"),
    [
        ("<table:table-row><table:table-cell>", "</table:table-cell></table:table-row>"),
        ("<text:p><draw:frame>", "</draw:frame></text:p>"),
        ("<text:list><text:list-item>", "</text:list-item></text:list>"),
        ("<office:annotation><text:note><text:note-body>", "</text:note-body></text:note></office:annotation>"),
        ('<text:p><text:a xlink:href="x">', "</text:a></text:p>"),
    ],
)
def test_elements_nested_by_a_hostile_hand_overflow_nothing(opened: str, closed: str) -> None:
    assert "end" in text(opened * 400 + "<text:p>mid</text:p>" + closed * 400 + "<text:p>end</text:p>")
