"""What is prose, for results and for descriptions alike."""

from __future__ import annotations

import pytest

from cormorant.model.text.prose import is_prose

LINE = "The ferry leaves at eight, and comes back when the tide is in"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"{LINE}.", True),
        (f"\u201c{LINE}.\u201d", True),
        (LINE, False),
        ("We keep you warm.", False),
        (f"5.1. Timetable of the ferry, and file.txt {LINE}", False),
        ("\u6e21\u8239\u516b\u70b9\u51fa\u53d1" * 4 + "\u3002", True),
        ("", False),
    ],
)
def test_a_line(line: str, said: bool) -> None:
    assert is_prose(line, 0, len(line)) is said
    assert is_prose(f"menu.\n{line}\nmore", 6, 6 + len(line)) is said
