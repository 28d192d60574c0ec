from __future__ import annotations

import pytest

from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.ooxml.wordprocessing import extract_docx
from tests.extract.ooxml.package_writer import STRICT, TASK, WORD, paragraph, read_word, root, word, zipped


def test_a_strict_document_is_read_like_a_transitional_one() -> None:
    package = word(paragraph("body"), footnotes=f"<w:footnote>{paragraph('note')}</w:footnote>")
    for name, data in package.parts.items():
        for transitional, strict in STRICT.items():
            data = str(data).replace(transitional, strict)
        package.parts[name] = data
    for name, found in package.relationships.items():
        package.relationships[name] = [
            each.replace(
                "http://schemas.openxmlformats.org/officeDocument/2006/", "http://purl.oclc.org/ooxml/officeDocument/"
            )
            for each in found
        ]
    assert read_word(package).text == "body\n\nnote"


def test_the_main_part_is_found_by_its_relationship() -> None:
    package = word(paragraph("decoy"))
    package.relationships[""] = []
    package.relate(
        "",
        "officeDocument",
        package.add("other/main2.xml", root("w:document", f"<w:body>{paragraph('real')}</w:body>")),
    )
    assert read_word(package).text == "real"


def test_the_title_is_that_of_the_properties_else_the_first_paragraph_in_the_style_of_titles() -> None:
    styles = '<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>'
    body = paragraph("Prose") + paragraph("The ", "Isle", properties='<w:pStyle w:val="Titel"/>')
    assert read_word(word(body, styles=styles)).title == "The Isle"
    assert read_word(word(body)).title == "paper.docx"
    package = word(body, styles=styles)
    core = '<p xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{}</dc:title></p>'
    package.add("docProps/core.xml", core.format("Word Document 1"))
    assert read_word(package).title == "Word Document 1"
    package.add("docProps/core.xml", core.format("Untitled"))
    assert read_word(package).title == "The Isle"


@pytest.mark.parametrize(
    ("name", "data", "found"),
    [
        ("chunk.html", "<html><body><p>from a <b>page</b></p></body></html>", "before\nfrom a page\nafter"),
        ("chunk.txt", b"plain \xe4", "before\nplain ä\nafter"),
        ("chunk.rtf", r"{\rtf1 rich}", "before\nafter"),
    ],
)
def test_imported_parts_in_words_are_read_where_they_stand(name: str, data: str | bytes, found: str) -> None:
    package = word(f'{paragraph("before")}<w:altChunk r:id="rId1"/>{paragraph("after")}')
    package.relate(WORD, "aFChunk", package.add(f"word/{name}", data))
    assert read_word(package).text == found


def test_many_paragraphs_are_read_in_pieces_and_none_is_lost() -> None:
    count = 60_000
    text = read_word("".join(f"<w:p><w:r><w:t>w{number}</w:t></w:r></w:p>" for number in range(count))).text
    assert text.split("\n") == [f"w{number}" for number in range(count)]


def test_deep_tables_do_not_end_the_reader() -> None:
    depth = 600
    said = read_word(
        "<w:tbl><w:tr><w:tc>" * depth + paragraph("deep") + "</w:tc></w:tr></w:tbl>" * depth + paragraph("after")
    )
    assert said.text == "deep\nafter"


def test_nesting_beyond_bounds_loses_only_what_is_behind_it() -> None:
    said = read_word(paragraph("first") + "<w:tbl><w:tr><w:tc>" * 2_000 + paragraph("deep"))
    assert said.text.startswith("first")
    assert said.truncated


def test_damage_in_the_body_keeps_the_text_before_it() -> None:
    package = word("")
    whole = root("w:document", f"<w:body>{paragraph('first')}{paragraph('second')}</w:body>")
    package.add(WORD, whole[: whole.index("second") + 3])
    said = read_word(package)
    assert said.text == "first\nsec"
    assert said.truncated
    assert said.fault == f"A part of it is damaged, or larger than is read: {WORD}."


def test_a_damaged_part_beside_the_body_costs_its_own_text() -> None:
    package = word(paragraph("body"), comments="", footnotes=f"<w:footnote>{paragraph('note')}</w:footnote>")
    package.add("word/comments.xml", "<w:comments")
    said = read_word(package)
    assert said.text == "body\n\nnote"
    assert said.truncated
    assert "word/comments.xml" in said.fault


def test_a_document_that_was_cut_yields_what_arrived() -> None:
    package = word(paragraph("arrived"), footnotes=f"<w:footnote>{paragraph('note')}</w:footnote>")
    data = package.data()
    said = extract_docx(data[: data.rindex(b"word/footnotes.xml", 0, data.index(b"PK\x01\x02")) - 31], TASK)
    assert said.text == "arrived"
    assert said.fault == "The directory of its archive is missing or damaged, as in a file that was cut."


def test_a_wrong_checksum_costs_no_text() -> None:
    data = bytearray(word(paragraph("body")).data())
    place = data.rindex(WORD.encode())  # in the directory, where the checksum stands 30 bytes before the name
    data[place - 30] ^= 0xFF
    said = extract_docx(bytes(data), TASK)
    assert said.text == "body"
    assert said.truncated


@pytest.mark.parametrize(
    "body",
    [
        b"", b"PK", b"no archive", zipped({"a.txt": "a"}), zipped({"word/document.xml": "<"}),
        zipped({"word/document.xml": ""}),
    ],
)  # fmt: skip
def test_what_is_no_document_is_unreadable(body: bytes) -> None:
    with pytest.raises(Unreadable):
        extract_docx(body, TASK)


def test_a_document_behind_a_password_is_protected() -> None:
    body = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500) + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(Protected):
        extract_docx(body, TASK)


def test_entities_are_refused() -> None:
    package = word("")
    package.add(WORD, '<!DOCTYPE d [<!ENTITY a "aaaa">]><d>&a;</d>')
    with pytest.raises(Unreadable, match="entities"):
        read_word(package)


def test_an_empty_document_is_sound() -> None:
    said = read_word("<w:p/>")
    assert (said.text, said.truncated, said.fault) == ("", False, "")
