"""Titles that an administrator says are none, and descriptions of what has none."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.extract.titles import LONGEST, named
from cormorant.model.content import PLAIN, Content, Extraction, Manner, Value

PROSE = "The pump is checked every morning before the ferry leaves, and oiled in the evening."


def content(address: str, **fields: str) -> Content:
    return Content(address, b"", "text/html", **fields)  # type: ignore[arg-type]


def titled(title: str, *bad: str, **attributes: Value) -> str:
    said = Extraction("", title, attributes=attributes)
    return named(said, Manner(bad_titles=bad), content("https://h.example/a/pump.html")).title


@pytest.mark.parametrize(
    ("title", "bad", "wanted"),
    [
        ("Home", ("home",), "Pumps"),
        ("HOME", ("Home", "Start"), "Pumps"),
        ("Home of the brave", ("Home",), "Home of the brave"),
        ("Welcome to ACME", ("Welcome to*",), "Pumps"),
        ("You are welcome to it", ("Welcome to*",), "You are welcome to it"),
        ("a.b", ("a?b", "a+b", "[", "a|b"), "a.b"),
        ("(x", ("(x",), "Pumps"),
    ],
)
def test_a_heading_stands_in_for_a_title_that_does_not_count(title: str, bad: tuple[str, ...], wanted: str) -> None:
    assert titled(title, *bad, Headline1=(title, "Pumps")) == wanted


def test_where_no_heading_is_better_it_is_called_by_its_name() -> None:
    assert titled("Home", "Home") == "pump.html"
    assert titled("Home", "Home", Headline1=("Home",), Headline2="home") == "pump.html"
    said = named(Extraction("", "Home"), Manner(bad_titles=("Home",)), content("smb://h/x", file_name="Report.docx"))
    assert said.title == "Report.docx"


def test_the_name_that_its_server_gives_it_comes_before_the_end_of_its_address() -> None:
    given = content("https://h.example/download.php?id=7", given_name="Report.pdf")
    assert named(Extraction("", "download.php"), PLAIN, given).title == "Report.pdf"
    assert named(Extraction("", "Its own title"), PLAIN, given).title == "Its own title"
    assert named(Extraction("", "Home"), Manner(bad_titles=("Home",)), given).title == "Report.pdf"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"Home\nProducts\n{PROSE}\nMore of it.", PROSE),
        ("Home\nProducts and services and whatever else one may put into a menu of a site", ""),
        ("Short. Too.", ""),
        ("", ""),
    ],
)
def test_a_description_is_made_of_the_first_prose(text: str, wanted: str) -> None:
    said = named(Extraction(text), Manner(describe=True), content("https://h.example/"))
    assert said.attributes.get("Description", "") == wanted


def test_a_description_of_its_own_stays() -> None:
    own = Extraction(PROSE, attributes={"Description": "Own."})
    assert named(own, Manner(describe=True), content("https://h.example/")) is own


@given(st.text(), st.text())
def test_nothing_changes_unless_it_is_asked_for(text: str, title: str) -> None:
    said = Extraction(text, title)
    assert named(said, PLAIN, content("https://h.example/")) is said


@given(st.text(max_size=2_000))
def test_a_description_is_one_line_and_not_long(text: str) -> None:
    made = named(Extraction(text + PROSE * 9), Manner(describe=True), content("https://h.example/")).attributes[
        "Description"
    ]
    assert isinstance(made, str)
    assert 0 < len(made) <= LONGEST
    assert "\n" not in made
