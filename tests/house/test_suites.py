"""The page of other people's tests says of each suite what it leaves out, and why."""

from __future__ import annotations

from typing import Any

import pytest

from docs.suites import page
from tests.house.reading import ROOT
from tests.suites.record import record

RECORD: dict[str, Any] = {"suite": "tides", "passed": 3, "total": 3, "deviations": []}


def test_what_is_left_out_stands_beside_its_reason_the_most_first() -> None:
    said = page([RECORD | {"left_out": {"of a lake": 2, "never": 0, "of a pond | a puddle": 7}}])
    assert "| tides | 3 | 3 | 7 of a pond \\| a puddle; 2 of a lake |" in said.splitlines()


def test_a_case_neither_passes_nor_is_meant_to_differ() -> None:
    with pytest.raises(AssertionError, match="of tides each case either passes or has a reason"):
        record("tides", 2, 3, {})


def test_the_page_is_of_this_form() -> None:
    lines = (ROOT / "docs/reference/suites.md").read_text("utf-8").splitlines()
    rows = [line.split(" | ") for line in lines[lines.index("|---|---|---|---|") + 1 :]]
    assert all(len(row) == 4 for row in rows[: rows.index([""])])
