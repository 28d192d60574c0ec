"""What another version kept can be read."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from cormorant.base import stored_json


@dataclass
class Kept:
    """A value with defaults."""

    name: str = ""
    count: int = 0


@pytest.mark.parametrize(("text", "value"), [
    ('{"name": "a", "count": 2}', Kept("a", 2)),
    (b'{"count": 2, "removed": 7}', Kept("", 2)),
    ("{}", Kept()),
])  # fmt: skip
def test_names_that_there_are_not_any_more_are_passed_over(text: str | bytes, value: Kept) -> None:
    assert stored_json.read(Kept, text) == value
