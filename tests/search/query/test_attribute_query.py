"""Attributes in typed queries: how they are read, said and put into a form."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from cormorant.model.attribute import AttributeType
from cormorant.search.index.query import AttributeMatch, AttributeRange
from cormorant.search.query.filters import Filters, parts
from cormorant.search.query.form import Fields, composed, narrowed, taken_apart
from cormorant.search.query.parser import parse

KNOWN = {
    "department": ("Department", AttributeType.STRING), "price": ("Price", AttributeType.NUMBER),
    "due_at": ("Due_at", AttributeType.DATE), "x-long-name": ("X-Long-Name", AttributeType.STRING),
    "title": ("Title", AttributeType.STRING),
}  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "understood"),
    [
        ("department:sales", "Department:sales"),
        ("Department:Sales Department:it", "(Department:Sales OR Department:it)"),
        ('Department:"human resources" tide', 'Department:"human resources" tide'),
        ('Department:="Human Resources"', 'Department:"=Human Resources"'),
        ("+(Department:sales OR tide)", "Department:sales OR tide"),
        ("-department:sales", "* -Department:sales"),
        ("x-long-name:a", "X-Long-Name:a"),
        ("(x-long-name:a)", "X-Long-Name:a"),
        ("price:10..20.5", "Price:10..20.5"),
        ("price:>=10", "Price:10.."),
        ("Due_at:2026-02", "Due_at:2026-02-01..2026-02-28"),
        ("due_at:<2026", "Due_at:..2025-12-31"),
        ("title:x", "title:x"),
    ],
)
def test_what_is_understood(typed: str, understood: str) -> None:
    parsed = parse(typed, KNOWN)
    assert (parsed.understood.text, parsed.understood.notes) == (understood, ())


@pytest.mark.parametrize(
    ("typed", "note"),
    [
        ("Price:cheap", "cheap was read as words: Price: takes a number like 10, >10 or 10..20."),
        ("Price:..", ".. was ignored: Price: takes a number"),
        ("Due_at:soon", "soon was read as words: Due_at: takes a day"),
        ("Department:!!", "!! was ignored: Department: takes words"),
        ("Department:sal*", "Department: takes no wildcard."),
        ("Unknown:x", "There is no field Unknown; it was read as a word."),
    ],
)
def test_what_is_said_of_the_rest(typed: str, note: str) -> None:
    notes = parse(typed, KNOWN).understood.notes
    assert any(each.startswith(note) for each in notes), notes


def test_without_attributes_a_name_is_a_word() -> None:
    assert parse("Department:sales").understood.text == "Department sales"


@given(st.text(alphabet='Department:Price=Due_at."()<>*-+ 019ä', max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_text_is_understood_as_what_it_says(text: str) -> None:
    parsed = parse(text, KNOWN)
    assert parse(parsed.understood.text, KNOWN).query == parsed.query


@pytest.mark.parametrize(
    ("fields", "query"),
    [
        (Fields(attributes=(("Department", "=Human Resources"),)), 'Department:"=Human Resources"'),
        (Fields(every="tide", attributes=(("price", "10..20"), ("Nobody", "x"))), "+tide Price:10..20"),
        (Fields(attributes=(("Price", "cheap"), ("Due_at", " "))), ""),
        (Fields(attributes=(("Department", 'a " b'), ("Due_at", "2026-03-14"))),
         'Department:"a b" Due_at:2026-03-14'),
    ],
)  # fmt: skip
def test_a_form_makes_a_query_and_is_filled_by_it(fields: Fields, query: str) -> None:
    assert composed(fields, KNOWN) == query
    again = taken_apart(query, KNOWN)
    assert composed(again, KNOWN) == query
    assert again.rest == ""


def test_what_a_field_cannot_say_is_in_the_rest() -> None:
    fields = taken_apart("Department:a Department:b tide", KNOWN)
    assert (fields.attributes, fields.rest) == ((), "Department:a Department:b tide")


def test_choices() -> None:
    chosen = Filters(attributes=(("Department", "Human  Resources"), ("Department", "IT"), ("a b", "x"), ("Price", "")))
    assert parts((), chosen) == {
        "attribute:department": AttributeMatch("Department", ("Human Resources", "IT"), whole=True)
    }
    text = narrowed("tide Price:>1", (), chosen, KNOWN)
    query = parse(text, KNOWN).query
    assert text == 'Department:"=Human Resources" Department:=IT Price:1.0000000000000002.. tide'
    assert AttributeRange("Price", 1.0000000000000002) in query.must  # type: ignore[union-attr]
