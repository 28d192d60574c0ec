"""Keys, texts and moments of cells as pure functions."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cormorant.model.url import canonical
from cormorant.sources.table.listing import threshold
from cormorant.sources.table.rows.cell_text import attribute_value, cell_text, filled, moment_of, split_names
from cormorant.sources.table.rows.row_key import RowAddress, key_value, read_path, row_path
from cormorant.sources.table.rows.row_version import version_of

DAY = datetime.datetime(2026, 11, 28, 10, tzinfo=datetime.UTC)
SURROGATES = st.text(st.characters(codec="utf-8") | st.sampled_from("\udc80\udcff"))


@given(st.lists(SURROGATES | st.binary(), min_size=1, max_size=3), st.text(st.characters(codec="utf-8")))
def test_any_key_survives_its_address(parts: list[str | bytes], column: str) -> None:
    address = RowAddress(tuple(parts), column)
    written = row_path(address)
    whole = canonical(f"table://3/{written}")
    assert whole == f"table://3/{written}"
    found = read_path(whole.removeprefix("table://3/"))
    assert found is not None
    assert [_same(each) for each in found.key] == [_same(each) for each in parts]
    assert found.attachment == column


def _same(value: str | bytes) -> bytes:
    """Bytes that a text stands for; two halves of a character may be one whole."""
    return value if isinstance(value, bytes) else b"t" + value.encode("utf-8", "surrogateescape")


@given(st.text())
def test_any_path_is_read_or_refused(path: str) -> None:
    assert read_path(path) is None or read_path(path)


@pytest.mark.parametrize(
    ("value", "key"),
    [(17, "17"), (17.0, "17"), (1.5, "1.5"), (Decimal("1.50"), "1.50"), (True, "true"), (memoryview(b"a"), b"a")],
)
def test_values_of_keys(value: object, key: str | bytes) -> None:
    assert key_value(value) == key


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""), ("a\x00b\ud800", "a\ufffdb\ufffd"), (b"text", "text"), (b"\xff", ""), (True, "yes"),
        (Decimal("1E+3"), "1000"), ({"a": [1, "ü"]}, '{"a": [1, "ü"]}'), (["x", None, 2], "x, , 2"), (DAY, str(DAY)),
    ],
)  # fmt: skip
def test_texts_of_cells(value: object, text: str) -> None:
    assert cell_text(value) == text


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        (DAY, DAY.timestamp()), ("2026-11-28 10:00:00", DAY.timestamp()),
        ("2026-11-28T11:00:00+01:00", DAY.timestamp()),
        (DAY.date(), DAY.timestamp() - 36_000), (DAY.timestamp(), DAY.timestamp()),
        (int(DAY.timestamp() * 1000), DAY.timestamp()), ("infinity", None), (float("nan"), None), (None, None),
        (b"x", None), (True, None), (10**30, None),
    ],
)  # fmt: skip
def test_moments(value: object, moment: float | None) -> None:
    assert moment_of(value) == moment


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("due_at", "2026-11-28 10:00:00", DAY.timestamp()), ("due", DAY, str(DAY)), ("n", Decimal("2.5"), 2.5),
        ("n", float("inf"), "inf"), ("tags", ["a", "", "b"], ("a", "b")), ("tags", [], None), ("a", "", None),
        ("a", False, "false"),
    ],
)  # fmt: skip
def test_attributes(name: str, value: object, found: object) -> None:
    assert attribute_value(name, value) == found


def test_templates() -> None:
    cells = {"id": 17, "a.b": "x/y?z&ü", "url": "https://x.example/a?b=c"}
    assert filled("https://d.example/{id}/{a.b}", cells, escaped=True) == "https://d.example/17/x%2Fy%3Fz%26%C3%BC"
    assert filled("{url}", cells, escaped=True) == "https://x.example/a?b=c"
    assert filled("{id}: {a.b} {gone}", cells, escaped=False) == "17: x/y?z&ü"


def test_names_in_a_cell() -> None:
    assert split_names("a, b;c\r\n d ;") == ["a", "b", "c", "d"]
    assert split_names(["a, b", "c"]) == ["a, b", "c"]
    assert split_names(None) == []


@pytest.mark.parametrize(
    ("newest", "before"),
    [
        (DAY, DAY - datetime.timedelta(seconds=60)), (DAY.date(), DAY.date()), (1_000, 940), (1_000.5, 940.5),
        (Decimal(1_000), Decimal(940)), ("1000", "940"), ("2026-11-28 10:00:00", "2026-11-28 09:59:00"),
        ("2026-11-28T10:00:00", "2026-11-28T09:59:00"), ("2026-11-28", "2026-11-27"), ("infinity", "infinity"),
        ("2026-11-28 10:00:00+00", "2026-11-28 09:59:00+00:00"), (b"\x01", b"\x01"), ("0001-01-01", "0001-01-01"),
    ],
)  # fmt: skip
def test_what_lies_before_the_newest_change(newest: Any, before: Any) -> None:
    assert threshold(newest, 60) == before


def test_versions_tell_nothing_from_an_empty_text() -> None:
    versions = [version_of(parts) for parts in ((None,), ("",), ("a", "b"), ("ab",), ("a", None), (b"a", "b"), (1,))]
    assert len(set(versions)) == len(versions) - 1  # bytes and their text are one
