"""Every index finds and counts documents by attributes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings, strategies as st

from cormorant.model.acl import ANYONE
from cormorant.model.attribute import AttributeType
from cormorant.search.index import attribute_terms
from cormorant.search.index.facet_request import ByAttribute, Counts
from cormorant.search.index.query import AttributeMatch, AttributeRange, Or, Search
from cormorant.search.query.filters import Filters, parts
from cormorant.search.query.parser import parse
from cormorant.search.weights import DEFAULT
from tests.search.index.shelves import KINDS, Shelf, entry, shelf

KNOWN = {
    "department": ("Department", AttributeType.STRING), "price": ("Price", AttributeType.NUMBER),
    "due_at": ("Due_at", AttributeType.DATE), "dc.creator": ("dc.creator", AttributeType.STRING),
}  # fmt: skip
MARCH = 1773446400.0
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@pytest.fixture(params=KINDS)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    with shelf(request.param, tmp_path / "index") as made:
        yield made


@pytest.fixture
def filled(index: Shelf) -> Shelf:
    index.put(
        entry(1, "pump", attributes={"Department": "Human Resources", "Price": 10.5, "Due_at": MARCH}),
        entry(2, "pump", attributes={"Department": ("Sales", "IT"), "Price": (-3.0, 20.0), "dc.creator": "Ada"}),
        entry(3, "valve", attributes={"Department": "resources, human", "Price": "10.5", "Robots": ("noarchive",)}),
        entry(4, "pump sales"),
        entry(5, "pump", attributes={"Department": "Sales"}, grants=("user:ada",)),
    )
    return index


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("Department:sales", [2]),
        ("department:SALES", [2]),
        ("Department:resources", [1, 3]),
        ('Department:"human resources"', [1]),
        ("Department:sales Department:human", [1, 2, 3]),
        ("Department:(it human) pump", [1, 2]),
        ("-Department:sales pump", [1, 4]),
        ('Department:="Human Resources"', [1]),
        ("Department:=Sales", [2]),
        ("Department:=sales", []),
        ("dc.creator:ada", [2]),
        ("Price:10.5", [1]),
        ("Price:=10.5", [1, 3]),
        ("Price:>10.5", [2]),
        ("Price:>=10.5", [1, 2]),
        ("Price:<0", [2]),
        ("Price:..", []),
        ("Price:10..20", [1, 2]),
        ("Price:20..10", [1, 2]),
        ("Price:11..19", []),
        ("Due_at:2026-03-14", [1]),
        ("Due_at:2026", [1]),
        ("Due_at:>2026-03-14", []),
        ("Due_at:..2026-03-14", [1]),
        ("Department:nowhere", []),
    ],
)
def test_what_is_found(query: str, ids: list[int], filled: Shelf) -> None:
    parsed = parse(query, KNOWN)
    assert sorted(filled.ids(parsed.query)) == ids
    assert parse(parsed.understood.text, KNOWN).query == parsed.query, "and what was understood says the same"


def test_an_attribute_adds_nothing_to_a_score(filled: Shelf) -> None:
    plain = {match.id: match.score for match in filled.ask("pump").hits}
    narrowed = filled.ask(parse("pump Department:sales", KNOWN).query).hits
    assert [(match.id, match.score) for match in narrowed] == [(2, plain[2])]


def counts(index: Shelf, name: str, **more: object) -> Counts:
    given_: dict[str, object] = {"query": parse("*").query, "reader": ANYONE, "weights": DEFAULT, **more}
    return index.reader.tally(Search(**given_), [ByAttribute(name)])[0]  # type: ignore[arg-type]


def test_values_are_counted_for_their_readers(filled: Shelf) -> None:
    assert counts(filled, "Department") == {"Human Resources": 1, "Sales": 1, "IT": 1, "resources, human": 1}
    assert counts(filled, "price") == {"10.5": 2, "-3": 1, "20": 1}
    assert (counts(filled, "Due_at"), counts(filled, "Robots"), counts(filled, "dc.c")) == ({}, {}, {})


def test_dates_are_counted_by_months(index: Shelf) -> None:
    index.put(
        entry(1, "pump", attributes={"Due_at": (MARCH, MARCH + 40 * 86_400), "Ends": MARCH}),
        entry(2, "pump", attributes={"Due_at": MARCH + 86_400, "Ends": "soon"}),
    )
    asked = [ByAttribute("Due_at", by_month=True), ByAttribute("ends", by_month=True), ByAttribute("ends")]
    counted = index.reader.tally(Search(query=parse("*").query, reader=ANYONE, weights=DEFAULT), asked)
    assert counted == [{"2026-03": 2, "2026-04": 1}, {"2026-03": 1}, {"1773446400": 1, "soon": 1}]
    chosen = parts((), Filters(attributes=(("Due_at", "2026-04"), ("ends", "2026-03"), ("Ends", "soon"))))
    assert [sorted(index.ids(each)) for each in chosen.values()] == [[1], [1, 2]]


def test_equal_documents_count_once(index: Shelf) -> None:
    same, sales = b"s" * 32, {"Department": "Sales"}
    index.put(
        *(entry(number, "pump", attributes=sales, content_hash=same) for number in (1, 2)),
        entry(3, "pump", attributes={"Department": ("Sales", "IT")}, content_hash=same),
        entry(4, "x", attributes=sales),
    )
    assert counts(index, "Department") == {"Sales": 2, "IT": 1}
    assert counts(index, "Department", fold=False) == {"Sales": 4, "IT": 1}


def test_hostile_attributes_are_taken_in(index: Shelf) -> None:
    index.put(
        entry(1, "pump", attributes={
            "a b": "x", "A" * 200: "x", "Odd": "a\x1fb \ud800 " + "w" * 5_000, "Many": tuple(map(str, range(20_000))),
            "Numbers": tuple(map(float, range(5_000))), "Empty": (), "Zero": -0.0,
        })
    )  # fmt: skip
    assert index.ids("pump") == [1]
    assert index.ids(AttributeMatch("Odd", ("a",))) == [1]
    assert index.ids(AttributeRange("Zero", 0.0, 0.0)) == [1]
    assert index.ids(AttributeRange("Numbers")) == [1]
    assert index.ids(AttributeRange("Odd")) == []


@given(NUMBERS, NUMBERS, NUMBERS)
@example(0.0, -0.0, 0.0)
@example(5e-324, -5e-324, 1.7e308)
@settings(max_examples=200, deadline=None)
def test_beginnings_cover_a_range_and_nothing_else(value: float, one: float, other: float) -> None:
    low, high = sorted((one, other))
    terms = attribute_terms.range_terms(AttributeRange("a", low, high))
    held = set(attribute_terms.number_terms(entry(1, attributes={"a": value})))
    assert len(terms) == len(set(terms)) <= 480
    assert (not held.isdisjoint(terms)) == (low <= value <= high)


@given(NUMBERS)
@settings(max_examples=50, deadline=None)
def test_a_range_without_ends_has_every_number(value: float) -> None:
    held = set(attribute_terms.number_terms(entry(1, attributes={"a": value})))
    for low, high in ((None, None), (value, None), (None, value), (-math.inf, math.inf)):
        assert not held.isdisjoint(attribute_terms.range_terms(AttributeRange("a", low, high)))


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("Sales", "Other.Name"),
        (10.5, "Other-Name"),
        ("words " * 90, "OtherXName"),
        ("***", "Other_Name"),
        (MARCH, "O_at"),
    ],
)
def test_a_document_has_a_value_of_an_attribute(value: str | float, name: str, index: Shelf) -> None:
    index.put(entry(1, "pump", attributes={name: value}), entry(2, "pump", attributes={"OfXNames": "Sales"}))
    asked = Or((AttributeMatch(name.lower(), ()), AttributeRange(name)))
    assert index.ids(asked) == [1]
    assert index.ids(Or((AttributeMatch("Of", ()), AttributeRange("Of")))) == []
