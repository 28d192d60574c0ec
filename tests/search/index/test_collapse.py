from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from hypothesis import given, strategies as st

from cormorant.search.index.collapse import Place, folded, groups, page, ties_by_id

FOLDS = st.lists(st.none() | st.integers(-2, 2), max_size=20)
VALUES = st.sampled_from((None, "a", "b", "c"))


def test_ties_are_broken_by_id() -> None:
    asked: list[list[int]] = []

    def ids(some: Sequence[int]) -> list[int]:
        asked.append(list(some))
        return [[5, 9, 4, 7, 1][number] for number in some]

    assert list(ties_by_id([3.0, 2.0, 2.0, 2.0, 1.0], ids)) == [0, 2, 3, 1, 4]
    assert asked == [[1, 2, 3]], "only of those that tie"


@given(FOLDS)
def test_all_pages_together_hold_each_key_once(folds: list[int | None]) -> None:
    def kept(offset: int, limit: int) -> list[Place]:
        return page(folded(folds).kept(range(len(folds)), lambda some: some), offset, limit)

    whole = kept(0, 1_000)
    assert len(whole) == folded(folds).distinct
    assert len(folds) == sum(1 + equal + near for _, equal, near in whole)
    assert whole == [row for start in range(0, 21, 3) for row in kept(start, 3)]


def test_the_one_of_least_worth_is_shown_in_its_own_place() -> None:
    asked: list[list[int]] = []

    def worth(some: object) -> list[int]:
        asked.append(list(some))  # type: ignore[call-overload]
        return [{0: 9, 2: 5, 4: 7}[number] for number in asked[-1]]

    made = folded([1, None, 1, 2, 1])
    assert list(made.kept(range(5), worth)) == [(1, 0, 0), (2, 2, 0), (3, 0, 0)]
    assert asked == [[0, 2, 4]], "only those with an equal are looked at"
    assert made.twins() == [0, 2, 4]
    assert folded([1, None, None, 2]).twins() == [], "what never folds has no equal"


def test_what_is_equal_is_one_and_classes_that_hold_it_are_one_as_wholes() -> None:
    made = folded([1, 1, 2, 3, 4, None, 5, 5], [None, 7, 7, 8, 8, 7, None, None])
    assert list(made.kept(range(8), lambda some: some)) == [(0, 1, 1), (3, 0, 1), (5, 0, 0), (6, 1, 0)]
    assert (made.distinct, made.twins()) == (4, [0, 1, 2, 3, 4, 6, 7])
    equal = folded([1, 1, 2], [9, 9, 9])
    assert list(equal.kept(range(3), lambda some: some)) == [(0, 1, 1)]
    chain = folded([1, 2, 2, 3, 3, 4], [7, 7, 8, 8, None, 9])
    assert list(chain.kept(range(6), lambda some: some)) == [(0, 0, 4), (5, 0, 0)]


def test_of_near_copies_one_that_fits_best_is_shown_and_of_its_equals_the_least() -> None:
    made = folded([1, 2, 3, 2, 9], [7, 7, 7, 7, None])
    worth = {0: 0, 1: 5, 2: 1, 3: 4}
    for scores, shown in (
        ([5.0, 4.0, 3.0, 2.0, 1.0], (0, 0, 3)),
        ([5.0, 5.0, 5.0, 4.0, 1.0], (0, 0, 3)),  # of the best the least
        ((), (0, 0, 3)),
    ):
        assert next(made.kept(range(5), lambda some: [worth[each] for each in some], scores)) == shown
    order = [1, 0, 2, 3, 4]
    found = list(made.kept(order, lambda some: [worth[each] for each in some], [4.0, 5.0, 3.0, 2.0, 1.0]))
    assert found == [(3, 1, 2), (4, 0, 0)], "in its own place"


@given(st.lists(st.tuples(st.none() | st.integers(0, 3), st.none() | st.integers(10, 13)), max_size=12))
def test_two_matches_are_one_when_equals_and_classes_lead_from_one_to_the_other(
    held: list[tuple[int | None, int | None]],
) -> None:
    made = folded([content for content, _ in held], [near for _, near in held])
    parts = [{number} for number in range(len(held))]
    for one, other in combinations(range(len(held)), 2):
        contents, nears = zip(held[one], held[other], strict=True)
        alike = contents[0] == contents[1] or (nears[0] is not None and nears[0] == nears[1])
        if None not in contents and alike:
            whole = parts[one] | parts[other]
            for each in whole:
                parts[each] = whole
    assert made.distinct == len({min(each) for each in parts})
    for number, part in enumerate(parts):
        fold = made.folds[number]
        assert part == ({number} if fold is None else {n for n, each in enumerate(made.folds) if each == fold})


@given(st.lists(VALUES, max_size=30))
def test_groups_come_in_the_order_of_their_best_and_hold_a_few(values: list[str | None]) -> None:
    found = groups(((number, 0, 0) for number in range(len(values))), values, 3)
    firsts = [group[0][0] for group in found]
    assert firsts == sorted(firsts)
    named = [[values[number] for number, _, _ in group] for group in found]
    assert all(len(set(group)) == 1 and len(group) <= 3 for group in named)
    assert sorted(group[0] or "" for group in named) == sorted(
        [*{*values} - {None}, *[""] * values.count(None)], key=str
    )
