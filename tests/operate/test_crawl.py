"""What several runs end with, and of which sources runs are ordered."""

from __future__ import annotations

import pytest

from cormorant.operate import crawl


@pytest.mark.parametrize(
    ("codes", "ends"),
    [
        ((), 0),
        ((0,), 0),
        ((0, 3), 3),
        ((3, 1, 0), 1),
        ((6,), 6),
        ((6, 6), 6),
        ((0, 6), 3),
        ((6, 3), 3),
        ((6, 1), 1),
    ],
)
def test_only_where_nothing_at_all_answered_is_it_said(codes: tuple[int, ...], ends: int) -> None:
    assert crawl.worst(codes) == ends
