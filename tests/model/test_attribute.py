"""Values of attributes in their types: what is understood, what is dropped, and that the rest is left as it is."""

from __future__ import annotations

import pytest

from cormorant.model.attribute import AttributeType, attribute_name, moment, number, shaped, type_by_value, typed
from cormorant.model.content import Value

STRING, NUMBER, DATE = AttributeType


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2026-03-14", 1773446400.0),
        ("2026-03-14T12:00:00+02:00", 1773482400.0),
        ("2026-03", 1772323200.0),
        ("2026", 1767225600.0),
        ("14.3.2026", 1773446400.0),
        ("Sat, 14 Mar 2026 00:00:00 GMT", 1773446400.0),
        (" 20260314 ", 1773446400.0),
        ("31.2.2026", None),
        ("soon", None),
        ("", None),
        ("9" * 80, None),
    ],
)
def test_moments(text: str, wanted: float | None) -> None:
    assert moment(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("12", 12.0), (" -1.5e3 ", -1500.0), (".5", 0.5), ("1,000", None), ("1e999", None), ("nan", None), ("٣", None)],
)
def test_numbers(text: str, wanted: float | None) -> None:
    assert number(text) == wanted


@pytest.mark.parametrize(
    ("value", "wanted", "found"),
    [
        ("10.5", NUMBER, 10.5),
        (("1", "x", "2"), NUMBER, (1.0, 2.0)),
        (("1", "x"), NUMBER, (1.0,)),
        ("x", NUMBER, None),
        ((), NUMBER, None),
        (12.0, STRING, "12"),
        ((0.25, 3.0), STRING, ("0.25", "3")),
        ("2026-03-14", DATE, 1773446400.0),
        (1e300, DATE, None),
        (float("inf"), NUMBER, None),
        (("a", "a"), STRING, ("a", "a")),
    ],
)
def test_values_become_of_the_type(value: Value, wanted: AttributeType, found: Value | None) -> None:
    assert typed(value, wanted) == found


def test_a_value_of_the_type_is_left_as_it_is() -> None:
    headlines = ("One",)
    assert typed(headlines, STRING) is headlines, "one of several is not one by itself"
    assert shaped(headlines, ["Two"]) == ("Two",)
    assert shaped("One", ["Two"]) == "Two"


def test_types_by_name_and_value() -> None:
    found = [type_by_value(*each) for each in (("Due_at", "x"), ("Price", 1.0), ("Price", (1, 2.0)), ("Price", "1"))]
    assert found == [DATE, NUMBER, NUMBER, STRING]
    assert type_by_value("Empty", ()) is STRING


@pytest.mark.parametrize("name", ["", "1st", "a b", "a:b", "a.", "a..b", "é", "a" * 61, "a\x00"])
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(ValueError, match="no name of an attribute"):
        attribute_name(name)


def test_names() -> None:
    for name in ("Department", "dc.creator", "Due_at", "x-1"):
        assert attribute_name(name) == name
