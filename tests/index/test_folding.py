from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cormorant.index.folding import distinct, page, ties_by_id

FOLDS = st.lists(st.none() | st.integers(-2, 2), max_size=20)


def test_ties_are_broken_by_id() -> None:
    assert list(ties_by_id([3.0, 2.0, 2.0, 2.0, 1.0], [5, 9, 4, 7, 1])) == [0, 2, 3, 1, 4]


@given(FOLDS)
def test_all_pages_together_hold_each_key_once(folds: list[int | None]) -> None:
    whole = page(range(len(folds)), folds, 0, 1_000)
    assert len(whole) == distinct(folds)
    assert len(folds) == sum(1 + folded for _, folded in whole)
    assert whole == [row for start in range(0, 21, 3) for row in page(range(len(folds)), folds, start, 3)]
