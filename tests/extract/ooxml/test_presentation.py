from __future__ import annotations

import pytest

from cormorant.extract.errors import Unreadable
from cormorant.extract.ooxml.presentation import extract_pptx
from tests.extract.ooxml.package_writer import (
    SHOW,
    TASK,
    OfficePackage,
    drawn,
    read_show,
    root,
    shape,
    show,
    slide_part,
    zipped,
)

SLIDE = "ppt/slides/slide1.xml"


def test_slides_come_in_the_order_of_the_presentation() -> None:
    package = show(shape("first"), shape("second"), shape("third"))
    entries = "".join(f'<p:sldId id="{number}" r:id="rId{number}"/>' for number in (3, 1, 2))
    package.add(SHOW, root("p:presentation", f"<p:sldIdLst>{entries}</p:sldIdLst>"))
    assert read_show(package).text.split() == ["third", "first", "second"]


def test_the_title_of_a_slide_comes_first_and_that_of_the_first_slide_names_the_document() -> None:
    package = show(shape("body") + shape("The isle", placeholder="ctrTitle"), shape("Later", placeholder="title"))
    said = read_show(package)
    assert said.text.split("\n")[:2] == ["The isle", "body"]
    assert said.title == "The isle"


def test_the_title_of_the_properties_counts_unless_a_program_made_it_up() -> None:
    package = show(shape("The isle", placeholder="title"))
    core = '<p xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{}</dc:title></p>'
    package.add("docProps/core.xml", core.format("Annual meeting"))
    assert read_show(package).title == "Annual meeting"
    package.add("docProps/core.xml", core.format("PowerPoint Presentation"))
    assert read_show(package).title == "The isle"


def test_numbers_and_days_of_slides_are_no_text_and_footers_come_last() -> None:
    slide = (
        shape("7", placeholder="sldNum") + shape("1.1.2020", placeholder="dt") + shape("Observatory", placeholder="ftr")
    )
    assert read_show(show(slide + shape("body"), slide)).text == "body\n\nObservatory"


def test_notes_are_read_after_their_slide() -> None:
    package = show(shape("one"), shape("two"))
    notes = shape("Say this.", placeholder="body") + shape("3", placeholder="sldNum") + shape("Talk", placeholder="hdr")
    package.relate(SLIDE, "notesSlide", package.add("ppt/notesSlides/n1.xml", slide_part("p:notes", notes)))
    lines = [line for line in read_show(package).text.split("\n") if line]
    assert lines == ["one", "Say this.", "two", "Talk"]


def test_comments_of_both_kinds_are_read_with_their_authors_and_replies() -> None:
    package = show(shape("body"))
    authors = root("p:cmAuthorLst", '<p:cmAuthor id="0" name="Ada"/>')
    package.relate(SHOW, "commentAuthors", package.add("ppt/commentAuthors.xml", authors))
    persons = root("p188:authorLst", '<p188:author id="{B}" name="Ben"/>')
    kind = "http://schemas.microsoft.com/office/2018/10/relationships/{}"
    package.relate(SHOW, kind.format("authors"), package.add("ppt/authors.xml", persons))
    old = root("p:cmLst", '<p:cm authorId="0"><p:text>Is this so?</p:text></p:cm>')
    package.relate(SLIDE, "comments", package.add("ppt/comments/c1.xml", old))
    reply = f'<p188:reply authorId="{{C}}"><p188:txBody>{drawn("Thanks")}</p188:txBody></p188:reply>'
    thread = f"<p188:replyLst>{reply}</p188:replyLst><p188:txBody>{drawn('It is')}</p188:txBody>"
    new = root("p188:cmLst", f'<p188:cm authorId="{{B}}">{thread}</p188:cm>')
    package.relate(SLIDE, kind.format("comments"), package.add("ppt/comments/c2.xml", new))
    assert read_show(package).text.split("\n") == ["body", "Ada: Is this so?", "Ben: It is", "Thanks"]


def with_template() -> OfficePackage:
    package = show(shape("body"), shape("more"))
    layout = shape("Click to add text", placeholder="body") + shape("Confidential")
    master = shape("Click to edit Master title style", placeholder="title") + shape("Skarvholm")
    package.add("ppt/slideLayouts/l1.xml", slide_part("p:sldLayout", layout))
    package.relate(
        "ppt/slideLayouts/l1.xml",
        "slideMaster",
        package.add("ppt/slideMasters/m1.xml", slide_part("p:sldMaster", master)),
    )
    for slide in (SLIDE, "ppt/slides/slide2.xml"):
        package.relate(slide, "slideLayout", "ppt/slideLayouts/l1.xml")
    return package


def test_words_on_a_layout_or_master_are_read_once_and_prompts_are_not() -> None:
    assert read_show(with_template()).text.replace("\n\n", "\n").split("\n") == [
        "body",
        "more",
        "Confidential",
        "Skarvholm",
    ]


def test_a_slide_that_hides_its_master_does_not_show_its_words() -> None:
    package = with_template()
    for number in (1, 2):
        name = f"ppt/slides/slide{number}.xml"
        package.add(name, str(package.parts[name]).replace("<p:sld ", '<p:sld showMasterSp="0" '))
    assert "Skarvholm" not in read_show(package).text


def test_hidden_slides_are_read() -> None:
    package = show(shape("seen"), shape("hidden"))
    name = "ppt/slides/slide2.xml"
    package.add(name, str(package.parts[name]).replace("<p:sld ", '<p:sld show="0" '))
    assert read_show(package).text.split() == ["seen", "hidden"]


def test_sections_are_read_by_their_names_unless_a_program_made_them_up() -> None:
    package = show(shape("body"))
    names = "".join(f'<q:section xmlns:q="urn:q" name="{name}"/>' for name in ("Default Section", "Budget"))
    sections = f"<p:extLst><p:ext>{names}</p:ext></p:extLst>"
    package.add(SHOW, str(package.parts[SHOW]).replace("</p:presentation>", sections + "</p:presentation>"))
    assert read_show(package).text == "body\n\nBudget"


def test_a_damaged_slide_costs_its_own_text() -> None:
    package = show(shape("first"), shape("second"), shape("third"))
    broken = str(package.parts["ppt/slides/slide2.xml"])
    package.add("ppt/slides/slide2.xml", broken[: broken.index("second")])
    said = read_show(package)
    assert said.text.split() == ["first", "third"]
    assert said.truncated
    assert said.fault == "A part of it is damaged, or larger than is read: ppt/slides/slide2.xml."


def test_slides_are_found_without_the_list_of_slides() -> None:
    package = show(shape("first"), shape("second"))
    package.add(SHOW, "<p:presentation")
    said = read_show(package)
    assert said.text.split() == ["first", "second"]
    assert said.truncated


def test_a_title_with_a_formula_is_a_title() -> None:
    title = shape("E=mc", placeholder="title")
    forms = f"<mc:Choice>{title}</mc:Choice><mc:Fallback>{title}</mc:Fallback>"
    slide = f"{shape('body')}<mc:AlternateContent>{forms}</mc:AlternateContent>"
    assert read_show(show(slide)).text == "E=mc\nbody"


def test_a_template_or_slide_that_refers_to_itself_is_read_once() -> None:
    package = with_template()
    package.relate("ppt/slideLayouts/l1.xml", "slideLayout", "ppt/slideLayouts/l1.xml")
    package.relate("ppt/slideMasters/m1.xml", "slideMaster", "ppt/slideMasters/m1.xml")
    package.relate(SLIDE, "notesSlide", SLIDE)
    assert read_show(package).text.count("Skarvholm") == 1


@pytest.mark.parametrize("body", [b"", zipped({"ppt/presentation.xml": "<"}), zipped({"a": "b"})])
def test_what_is_no_presentation_is_unreadable(body: bytes) -> None:
    with pytest.raises(Unreadable):
        extract_pptx(body, TASK)
