from __future__ import annotations

from hypothesis import given, strategies as st

from cormorant.search.results.rank_fusion import fuse


def same(value: str) -> str:
    return value


def test_lists_without_a_result_in_common_take_turns() -> None:
    assert fuse([["a", "b", "c"], ["x", "y"]], same) == ["a", "x", "b", "y", "c"]
    assert fuse([["a", "b", "c", "d"], [], ["x"]], same) == ["a", "x", "b", "c", "d"]
    assert fuse([], same) == []


def test_what_stands_in_both_lists_moves_up_and_is_that_of_the_first() -> None:
    assert fuse([["a", "b", "c"], ["C", "x"]], str.lower) == ["c", "a", "b", "x"]


def test_what_stands_twice_in_a_list_counts_once() -> None:
    assert fuse([["a", "b", "b", "b"], ["x"]], same) == ["a", "x", "b"]


@given(st.lists(st.lists(st.integers(0, 20), max_size=15), max_size=4))
def test_nothing_is_lost(lists: list[list[int]]) -> None:
    found = fuse(lists, lambda each: each)
    assert sorted(found) == sorted({each for ranked in lists for each in ranked})
