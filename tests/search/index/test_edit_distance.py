from __future__ import annotations

from functools import cache

from hypothesis import given, strategies as st

from cormorant.search.index.edit_distance import edits

WORDS = st.text("abcdefgh", max_size=9)


def distance(one: str, other: str) -> int:
    """Return the distance as it is defined, by trying everything."""

    @cache
    def between(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        ways = [between(i - 1, j) + 1, between(i, j - 1) + 1, between(i - 1, j - 1) + (one[i - 1] != other[j - 1])]
        if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
            ways.append(between(i - 2, j - 2) + 1)
        return min(ways)

    return between(len(one), len(other))


@given(WORDS, st.lists(st.tuples(st.integers(0, 8), st.sampled_from("abcdefgh"), st.integers(0, 1)), max_size=3))
def test_words_that_differ_a_little_differ_by_so_many_letters(word: str, changes: list[tuple[int, str, int]]) -> None:
    other = word
    for at, letter, gone in changes:
        other = other[:at] + letter + other[at + gone :]
    for most in (1, 2):
        wanted = distance(word, other)
        assert min(edits(word, other, most), most + 1) == min(wanted, most + 1)


@given(WORDS, WORDS)
def test_words_that_differ_a_lot_are_told_apart(word: str, other: str) -> None:
    wanted = distance(word, other)
    assert min(edits(word, other, 2), 3) == min(wanted, 3)
