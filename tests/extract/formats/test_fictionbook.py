from __future__ import annotations

import pytest

from cormorant.extract.errors import Unreadable
from cormorant.extract.formats.fictionbook import extract_fictionbook
from cormorant.extract.job import ExtractionTask
from cormorant.model.content import Extraction
from tests.extract.writers import zipped

TASK = ExtractionTask("application/x-fictionbook+xml", "https://h.example/shelf/book.fb2")
ABOUT = (
    "<description><title-info><genre>sf_humor</genre><author><first-name>Ann</first-name><last-name>Lee</last-name>"
    "</author><author><nickname>bob</nickname></author><book-title>The Heron</book-title><annotation><p>About</p>"
    "<p>herons</p></annotation><keywords>birds, lakes</keywords><lang>ru</lang></title-info></description>"
)


def book(body: str, about: str = ABOUT) -> bytes:
    return (
        '<?xml version="1.0" encoding="windows-1251"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"'
        f' xmlns:l="http://www.w3.org/1999/xlink">{about}{body}<binary id="a.jpg">AAAA</binary></FictionBook>'
    ).encode("windows-1251")


def read(body: bytes) -> Extraction:
    return extract_fictionbook(body, TASK)


def test_paragraphs_verses_and_tables_are_read_in_their_order() -> None:
    said = read(book(
        "<body><title><p>Цапля</p></title><epigraph><p>wise</p><text-author>Who</text-author></epigraph><section>"
        "<title><p>One</p></title><p>some <strong>bold</strong>ness</p><subtitle>* * *</subtitle><poem><stanza>"
        "<v>line a</v><v>line b</v></stanza></poem><table><tr><th>x</th><td>y</td></tr></table><image alt='A heron'"
        " l:href='#a.jpg'/><image alt='a.jpg' l:href='#a.jpg'/></section></body>"
    ))  # fmt: skip
    assert said.text.split("\n") == [
        "Цапля", "wise", "Who", "One", "some boldness", "* * *", "line a", "line b", "x\ty", "A heron",
    ]  # fmt: skip


def test_notes_stand_after_the_text_and_their_marks_are_left_out() -> None:
    said = read(book(
        '<body><section><p>word<a l:href="#n1" type="note">[1]</a> more</p></section></body><body name="notes"><title>'
        '<p>Notes</p></title><section id="n1"><title><p>1</p></title><p>said</p></section></body>'
    ))  # fmt: skip
    assert said.text == "word more\n\nsaid"


def test_a_book_states_its_particulars() -> None:
    said = read(book('<body><section><p><a l:href="https://x.example/">far</a></p></section></body>'))
    assert said.title == "The Heron"
    assert said.language == "ru"
    assert said.attributes == {
        "Author": ("Ann Lee", "bob"),
        "Description": "About herons",
        "Keywords": ("birds", "lakes"),
    }
    assert [(link.address, link.text) for link in said.links] == [("https://x.example/", "far")]


def test_a_packed_book_is_read() -> None:
    assert read(zipped({"x/book.fb2": book("<body><p>x</p></body>", "")})).text == "x"


def test_a_damaged_book_is_read_up_to_the_damage() -> None:
    whole = book("<body><section><p>one</p><p>two</p></section></body>")
    said = read(whole[: whole.index(b"two")])
    assert said.text == "one"
    assert said.truncated
    assert said.fault


@pytest.mark.parametrize(
    "body",
    [b"", b"PK", b"<html/>", zipped({"a.txt": "x"}), b"<!DOCTYPE a [<!ENTITY b 'c'>]><FictionBook/>", b"<FictionBoo"],
)
def test_what_is_no_book_is_refused(body: bytes) -> None:
    with pytest.raises(Unreadable):
        read(body)


def test_deep_sections_overflow_nothing() -> None:
    assert "deep" in read(book("<body>" + "<section>" * 200 + "<p>deep</p>" + "</section>" * 200 + "</body>")).text
