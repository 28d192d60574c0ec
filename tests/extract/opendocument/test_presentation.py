from __future__ import annotations

from tests.extract.opendocument.packages import lines, odf, read, text


def box(words: str, more: str = "") -> str:
    return f"<draw:frame {more}><draw:text-box><text:p>{words}</text:p></draw:text-box></draw:frame>"


def page(inner: str, name: str = "page1", master: str = "M") -> str:
    return f'<draw:page draw:name="{name}" draw:master-page-name="{master}">{inner}</draw:page>'


def test_slides_stand_apart_with_their_notes() -> None:
    notes = (
        '<presentation:notes><draw:page-thumbnail/><draw:frame presentation:class="notes"><draw:text-box>'
        "<text:p>say this</text:p></draw:text-box></draw:frame></presentation:notes>"
    )
    body = page(box("Title") + box("Body") + notes) + page(box("Next"), "page2")
    assert lines(text(body, "presentation")) == ["Title", "Body", "say this", "Next"]


def test_a_name_that_a_person_gave_to_a_slide_is_found() -> None:
    body = page("", "Agenda") + page("", "Folie 3") + page("", "Slide12") + page("")
    assert text(body, "presentation") == "Agenda"


def test_an_empty_placeholder_and_its_prompt_are_left_out() -> None:
    prompt = box("Click to add title", 'presentation:class="title" presentation:placeholder="true"')
    assert text(page(prompt + box("real", 'presentation:class="title"')), "presentation") == "real"


def test_a_footer_of_all_slides_is_found_once() -> None:
    declared = (
        '<presentation:footer-decl presentation:name="f">Confidential</presentation:footer-decl>'
        '<presentation:date-time-decl presentation:source="current-date">now</presentation:date-time-decl>'
    )
    own = box("Same", 'presentation:class="footer"') + box("3", 'presentation:class="page-number"')
    body = declared + page(box("a") + own) + page(box("b") + own)
    assert lines(text(body, "presentation")) == ["a", "b", "Confidential", "Same"]


def test_fixed_text_of_a_master_page_in_use_is_found_and_its_prompts_are_not() -> None:
    masters = (
        '<style:master-page style:name="M">' + box("Click to edit Master title style", 'presentation:class="title"')
        + box("&lt;number&gt;", 'presentation:class="page-number"') + box("ACME GmbH")
        + '<draw:frame presentation:class="footer"><draw:text-box><text:p><presentation:footer>&lt;footer&gt;'
        "</presentation:footer></text:p></draw:text-box></draw:frame><presentation:notes>" + box("Click to move")
        + "</presentation:notes></style:master-page>"
        '<style:master-page style:name="N">' + box("unused") + "</style:master-page>"
    )  # fmt: skip
    assert read(odf(page(box("a")), "presentation", masters=masters)).text == "a\n\nACME GmbH"


def test_a_table_on_a_slide_and_a_drawing_page_are_read() -> None:
    table = (
        "<draw:frame><table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell>"
        "<table:table-cell><text:p>y</text:p></table:table-cell></table:table-row></table:table><draw:image/></draw:frame>"
    )
    assert text(page(table), "presentation") == "x\ty"
    assert text(page("<draw:ellipse><text:p>round</text:p></draw:ellipse>"), "drawing") == "round"
