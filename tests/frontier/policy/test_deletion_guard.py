from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.frontier.policy import deletion_guard

counts = st.integers(0, 100_000)


@pytest.mark.parametrize(
    ("going", "documents", "trips"),
    [
        (0, 0, False), (5, 0, False), (0, 100, False), (1, 1, False), (4, 4, False), (4, 5, False), (5, 5, True),
        (80, 100, True), (50, 100, False), (51, 100, True), (51, 255, False), (51, 254, True), (8, 10, False),
        (9, 10, True), (200, 1000, False), (201, 1000, True), (20_000, 100_000, False), (20_001, 100_000, True),
    ],
)  # fmt: skip
def test_how_many_are_too_many(going: int, documents: int, trips: bool) -> None:
    assert deletion_guard.trips(going, documents) is trips


@given(counts, counts)
def test_more_going_never_releases_it(going: int, documents: int) -> None:
    assert not deletion_guard.trips(going, documents) or deletion_guard.trips(going + 1, documents)


@given(counts, counts)
def test_a_fifth_may_always_go(going: int, documents: int) -> None:
    assert not deletion_guard.trips(min(going, documents // 5), documents)


@given(st.integers(5, 100_000))
def test_everything_never_goes_at_once(documents: int) -> None:
    assert deletion_guard.trips(documents, documents)


@pytest.mark.parametrize(
    ("same", "visited", "swallows"),
    [
        (4, 4, False),
        (5, 5, True),
        (5, 8, True),
        (6, 10, False),
        (7, 10, True),
        (3, 10_000, False),
        (6_001, 10_000, True),
    ],
)
def test_how_many_may_come_to_say_one_and_the_same(same: int, visited: int, swallows: bool) -> None:
    assert deletion_guard.is_mass_change(same, visited) is swallows


rules = st.dictionaries(st.sampled_from("abc"), st.integers(0, 50))


@given(rules, rules)
def test_no_more_is_expected_than_was_agreed_to(going: dict[str, int], agreed: dict[str, int]) -> None:
    expected = deletion_guard.expected(going, agreed)
    assert 0 <= expected <= min(sum(going.values()), sum(agreed.values()))
    assert deletion_guard.expected(going, going) == sum(going.values())


def test_what_another_rule_takes_was_not_agreed_to() -> None:
    assert deletion_guard.expected({"a": 9, "b": 5}, {"a": 4, "c": 20}) == 4


@pytest.mark.parametrize("going", [1, 4, 5, 7, 50, 51, 52, 99, 1_000])
def test_beyond_as_many_as_are_counted_it_never_trips(going: int) -> None:
    most = deletion_guard.most(going)
    assert not any(deletion_guard.trips(going, documents) for documents in range(most, most + 3_000))
    if going > 4:
        assert deletion_guard.trips(going, most - 2)
