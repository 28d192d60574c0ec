from __future__ import annotations

import base64

import pytest

from cormorant.extract.detect.media_types import WORD_2003
from cormorant.extract.errors import Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ooxml.wrapped_document import extract_flat
from cormorant.model.content import Extraction, PageLink

TASK = ExtractionTask(WORD_2003, "https://host.example/folder/report.xml")
NAMESPACES = (
    'xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml" xmlns:v="urn:schemas-microsoft-com:vml"'
    ' xmlns:wx="http://schemas.microsoft.com/office/word/2003/auxHint"'
    ' xmlns:aml="http://schemas.microsoft.com/aml/2001/core" xmlns:o="urn:schemas-microsoft-com:office:office"'
    ' xmlns:dt="uuid:C2F41010-65B3-11d1-A29F-00AA00C14882"'
)


def document(body: str, before: str = "") -> bytes:
    """Return a document of Word 2003."""
    return (
        '<?xml version="1.0"?><?mso-application progid="Word.Document"?>'
        f"<w:wordDocument {NAMESPACES}>{before}<w:body><wx:sect>{body}</wx:sect></w:body></w:wordDocument>"
    ).encode()


def read(body: str, before: str = "") -> Extraction:
    """Return what the reader says of a document."""
    return extract_flat(document(body, before), TASK)


def run(text: str) -> str:
    """Return a run."""
    return f'<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*content: str, properties: str = "") -> str:
    """Return a paragraph of runs and other elements."""
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(content)}</w:p>"


def annotation(kind: str, content: str) -> str:
    """Return an annotation by Mara."""
    return (
        f'<aml:annotation aml:id="0" w:type="Word.{kind}" aml:author="Mara"><aml:content>{content}</aml:content>'
        "</aml:annotation>"
    )


def test_paragraphs_and_tables_are_read_and_pictures_are_not() -> None:
    cell = "<w:tc><w:tcPr/>{}</w:tc>"
    table = f"<w:tbl><w:tr>{cell.format(paragraph(run('north')))}{cell.format(paragraph(run('south')))}</w:tr></w:tbl>"
    noise = base64.encodebytes(b"noise" * 100).decode()
    picture = f'<w:r><w:pict><w:binData w:name="wordml://1.png">{noise}</w:binData></w:pict></w:r>'
    inside = f"<w:txbxContent>{paragraph(run('boxed'))}</w:txbxContent>"
    box = f"<w:r><w:pict><v:shape><v:textbox>{inside}</v:textbox></v:shape></w:pict></w:r>"
    text = read(paragraph(run("a word in pie"), run("ces"), picture) + table + paragraph(box)).text
    assert text == "a word in pieces\nnorth\tsouth\nboxed"


def test_notes_comments_headers_and_footers_stand_after_the_body() -> None:
    note = f"<w:r><w:footnote>{paragraph(run('a note'))}</w:footnote></w:r>"
    last = f"<w:r><w:endnote>{paragraph(run('an endnote'))}</w:endnote></w:r>"
    comment = f"<w:r>{annotation('Comment', paragraph(run('a remark')))}</w:r>"
    margins = f"<w:hdr w:type='odd'>{paragraph(run('a header'))}</w:hdr><w:ftr>{paragraph(run('a footer'))}</w:ftr>"
    body = paragraph(run("one"), note, run("two"), comment, last) + f"<w:sectPr>{margins}</w:sectPr>"
    assert read(body).text == "one two\n\na header\na footer\na note\nan endnote\nMara: a remark"


def test_tracked_changes_are_read_as_they_would_be_accepted() -> None:
    gone = annotation("Deletion", "<w:r><w:delText>gone</w:delText></w:r>")
    joined = f"<w:rPr>{annotation('Deletion', '')}</w:rPr>"
    body = paragraph(run("kept "), gone, annotation("Insertion", run("new"))) + paragraph(run("on"), properties=joined)
    assert read(body + paragraph(run("ward"))).text == "kept new\nonward"


def test_numbers_of_lists_are_those_that_word_displayed() -> None:
    numbered = '<w:listPr><w:ilvl w:val="0"/><w:ilfo w:val="1"/><wx:t wx:val="{}"/></w:listPr>'
    body = paragraph(run("first"), properties=numbered.format("1.a)"))
    assert read(body + paragraph(run("dot"), properties=numbered.format("·"))).text == "1.a) first\ndot"


def test_links_are_followed_from_the_body_and_from_notes() -> None:
    link = '<w:hlink w:dest="{}" w:bookmark="{}">{}</w:hlink>'
    note = f"<w:r><w:footnote>{paragraph(link.format('../map.html', '', run('map')))}</w:footnote></w:r>"
    body = paragraph(link.format("http://a.example/x?a=1&amp;b=2", "part", run("a place")), note)
    inside = paragraph(link.format("", "top", run("up")))
    assert read(body + inside).links == (
        PageLink("http://a.example/x?a=1&b=2", "a place"),
        PageLink("https://host.example/map.html", "map"),
    )


def test_properties_become_title_and_attributes() -> None:
    about = (
        "<o:DocumentProperties><o:Title>Tides &amp; winds</o:Title><o:Author>Mara</o:Author>"
        "<o:Company>Coast</o:Company><o:Keywords>ebb, flow</o:Keywords></o:DocumentProperties>"
        "<o:CustomDocumentProperties>"
        '<o:Checked_x0020_by dt:dt="string">Ola</o:Checked_x0020_by><o:Depth dt:dt="float">2.5</o:Depth>'
        "</o:CustomDocumentProperties>"
    )
    said = read(paragraph(run("x")), about)
    assert said.title == "Tides & winds"
    assert said.attributes == {
        "Author": "Mara", "Company": "Coast", "Keywords": ("ebb", "flow"), "Checked by": "Ola", "Depth": 2.5,
    }  # fmt: skip


def test_the_first_paragraph_of_the_style_of_titles_is_the_title() -> None:
    styles = '<w:styles><w:style w:styleId="T"><w:name w:val="Title"/></w:style></w:styles>'
    assert read(paragraph(run("The coast"), properties='<w:pStyle w:val="T"/>'), styles).title == "The coast"


def test_a_document_that_is_cut_short_is_read_up_to_there() -> None:
    body = document(paragraph(run("first")) + paragraph(run("second")))
    said = extract_flat(body[: body.index(b"second")], TASK)
    assert said.text == "first"
    assert said.truncated


@pytest.mark.parametrize(
    "body",
    [
        b"",
        document("").replace(b"w:body", b"w:docPr"),
        b"<!DOCTYPE w [<!ENTITY a 'b'>]>" + document(paragraph(run("x"))),
    ],
)
def test_what_is_no_document_is_refused(body: bytes) -> None:
    with pytest.raises(Unreadable):
        extract_flat(body, TASK)


def test_elements_may_lie_deep_in_each_other() -> None:
    depth = 20_000
    read("<w:p>" * depth + annotation("Comment", "x") + "</w:p>" * depth)
