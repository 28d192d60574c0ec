from __future__ import annotations

from hypothesis import given, strategies as st

from cormorant.base.lru_cache import LruCache


def test_what_was_not_used_for_longest_is_forgotten() -> None:
    recent: LruCache[int] = LruCache(2, 100)
    recent.put("a", 1)
    recent.put("b", 2)
    assert recent.get("a") == 1
    recent.put("c", 3)
    assert [recent.get(name) for name in "abc"] == [1, None, 3]


def test_bytes_are_bounded_and_the_newest_stays() -> None:
    recent: LruCache[int] = LruCache(10, 100)
    recent.put("a", 1, 60)
    recent.put("a", 2, 40)
    recent.put("b", 3, 60)
    assert [recent.get(name) for name in "ab"] == [2, 3]
    recent.put("c", 4, 500)
    assert [recent.get(name) for name in "abc"] == [None, None, 4]
    recent.put("d", 5, 100)
    assert [recent.get(name) for name in "cd"] == [None, 5]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 60)), max_size=40))
def test_bounds_hold_whatever_is_kept(puts: list[tuple[str, int]]) -> None:
    recent: LruCache[int] = LruCache(3, 100)
    for name, size in puts:
        recent.put(name, size, size)
        assert recent.get(name) == size
        kept = [value for each in "abcdef" if (value := recent.get(each)) is not None]
        assert len(kept) <= 3
        assert sum(kept) <= 100
