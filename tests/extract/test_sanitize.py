from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, strategies as st

from cormorant.extract.sanitize import MAX_TEXT, clean, clean_lines, name_of, one_line, text_hash, title_or_name

ANYTHING = st.text(alphabet=st.characters(codec=None, exclude_categories=()))


@pytest.mark.parametrize(
    ("given_text", "wanted"),
    [
        ("plain", "plain"),
        ("", ""),
        ("  edges \n", "edges"),
        ("a\0b", "ab"),
        ("a\x0bb\x0cc", "a b c"),
        ("soft\u00adhyphen, m\ufeffark, \ufffe\uffff.", "softhyphen, mark, ."),
        ("c1\x80\x9f", "c1"),
        ("lone \ud800 surrogate", "lone  surrogate"),
        ("no\xa0break", "no break"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\n\n\n\n\nb", "a\n\nb"),
        ("a" + " " * 5000 + "b", "a" + " " * 32 + "b"),
        ("e" + "\u0301" * 10_000, "e" + "\u0301" * 16),
        ("שלום\u200f \u200dzwj 😀", "שלום\u200f \u200dzwj 😀"),
    ],
)
def test_stored_text_holds_only_what_may_be_stored(given_text: str, wanted: str) -> None:
    cleaned = clean(given_text)
    if " " * 20 in given_text:
        assert len(cleaned) < 40
    else:
        assert cleaned == wanted


@given(ANYTHING)
def test_any_text_becomes_storable(text: str) -> None:
    for made in (clean(text), clean_lines(text), one_line(text), one_line(text, 10)):
        assert made.encode().decode() == made
        assert not set(made) & set("\0\x01\x0b\x7f\x80\ufeff\ufffe\uffff\u00ad")
        assert "\n\n\n" not in made
    assert "\n" not in one_line(text)
    assert len(one_line(text, 10)) <= 10


@given(ANYTHING)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


def test_text_is_cut_at_its_cap() -> None:
    assert len(clean("x" * (MAX_TEXT + 5))) == MAX_TEXT


def test_lines_of_blanks_count_as_empty() -> None:
    assert clean_lines("a\n   \n\t\n \nb\n \nc") == "a\n\nb\n\nc"


@pytest.mark.parametrize(
    ("address", "file_name", "wanted"),
    [
        ("https://h.example/a/b%20c.pdf?x=1", "", "b c.pdf"),
        ("https://h.example/", "", "h.example"),
        ("https://h.example/%E4%B8%AD/", "", "中"),
        ("file:///a/%FF", "", "\ufffd"),
        ("file:///", "", "file:///"),
        ("https://h.example/x", "Report.docx", "Report.docx"),
    ],
)
def test_what_has_no_title_is_called_by_its_name(address: str, file_name: str, wanted: str) -> None:
    assert name_of(address, file_name) == wanted


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ("Annual report", "Annual report"),
        ("", "a.doc"),
        ("untitled", "a.doc"),
        ("Document1", "a.doc"),
        ("PowerPoint Presentation", "a.doc"),
        ("PowerPoint-Präsentation", "a.doc"),
        ("Microsoft Word - notes.doc", "notes.doc"),
        ("2024", "a.doc"),
        ("2024 in figures", "2024 in figures"),
        ("Presentation skills", "Presentation skills"),
    ],
)
def test_titles_that_programs_make_up_do_not_count(title: str, wanted: str) -> None:
    assert title_or_name(title, "http://h/a.doc") == wanted


def test_hash_is_sha_256_of_utf_8() -> None:
    assert text_hash("é") == hashlib.sha256("é".encode()).digest()
    assert len(text_hash("\ud800")) == 32
