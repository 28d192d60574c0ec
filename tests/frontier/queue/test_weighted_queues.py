from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from cormorant.frontier.queue.weighted_queues import Queues
from tests.frontier.samples import a_resource

SHARES = (16, 8, 4, 2, 1)


def filled(counts: list[int], shares: tuple[int, ...] = SHARES) -> Queues:
    """Queues in which so many wait in each part; the number of a resource tells its part."""
    queues = Queues(shares)
    for part, count in enumerate(counts):
        queues.parts[part].extend(a_resource(part * 1_000 + number) for number in range(count))
    return queues


def handed_out(queues: Queues, most: int = 10_000) -> list[int]:
    """From which part each of the next ones comes."""
    return [queues.popleft().id // 1_000 for _ in range(min(most, len(queues)))]


def test_levels_get_their_shares_evenly_spread() -> None:
    turn = handed_out(filled([0, 50, 50, 50, 50, 50, 0]), 31)
    assert Counter(turn) == {1: 16, 2: 8, 3: 4, 4: 2, 5: 1}
    places = [at for at, part in enumerate(turn) if part == 1]
    assert max(later - sooner for sooner, later in pairwise(places)) <= 3


def test_a_level_without_work_leaves_its_turns_to_the_others() -> None:
    assert Counter(handed_out(filled([0, 0, 0, 60, 0, 60, 0]), 50)) == {3: 40, 5: 10}


def test_what_comes_before_all_levels_and_behind_them() -> None:
    out = handed_out(filled([3, 2, 0, 2, 0, 0, 3]))
    assert out[:3] == [0, 0, 0]
    assert out[-3:] == [6, 6, 6]


@given(st.lists(st.integers(0, 40), min_size=7, max_size=7), st.lists(st.integers(1, 1_000), min_size=5, max_size=5))
def test_each_is_handed_out_once_and_in_the_order_of_its_level(counts: list[int], shares: list[int]) -> None:
    queues = filled(counts, tuple(shares))
    waiting = [each.id for each in queues]
    out = [queues.popleft().id for _ in range(len(queues))]
    assert sorted(out) == sorted(waiting)
    for part in range(7):
        mine = [number for number in out if number // 1_000 == part]
        assert mine == sorted(mine)
    with pytest.raises(IndexError):
        queues.popleft()


@given(st.lists(st.integers(1, 50), min_size=5, max_size=5))
def test_no_level_waits_longer_than_a_turn(shares: list[int]) -> None:
    turn = sum(shares)
    out = handed_out(filled([0, *([2 * turn] * 5), 0], tuple(shares)), turn)
    assert Counter(out) == {part + 1: share for part, share in enumerate(shares)}


def test_one_that_is_put_back_is_the_next() -> None:
    queues = filled([0, 2, 2, 0, 0, 0, 0])
    first = queues.popleft()
    queues.appendleft(first)
    assert queues.popleft() is first


def test_one_is_taken_out_and_all_are_let_go() -> None:
    queues = filled([0, 2, 2, 0, 0, 0, 0])
    queues.remove(a_resource(2_000))
    assert [each.id for each in queues] == [1_000, 1_001, 2_001]
    with pytest.raises(ValueError, match="not in deque"):
        queues.remove(a_resource(9))
    queues.clear()
    assert not queues


def test_only_what_runs_low_is_read_and_only_as_long_as_there_is_more() -> None:
    queues = filled([0, 5, 2, 9, 0, 0, 0])
    queues.read_out.update((0, 4))
    assert queues.short(5) == [2, 5, 6]
    exhausted = [queues.exhausted]
    queues.read_out.update(range(7))
    assert [*exhausted, queues.exhausted] == [False, True]
    assert queues.short(5) == []
