from __future__ import annotations

from math import inf
from pathlib import Path

import pytest

from cormorant.base.clock import SystemClock
from cormorant.store.db.clock_steps import KEPT, LONG_S, Steady
from cormorant.store.db.database import Store
from tests.clocks import Shifted

DAY_S = 86_400.0
LEASE_S = 60.0


@pytest.fixture
def clock() -> Shifted:
    return Shifted()


@pytest.fixture
def steady(clock: Shifted) -> Steady:
    made = Steady(clock)
    made.look(clock.now())
    return made


def test_a_clock_that_only_goes_on_was_not_set(clock: Shifted, steady: Steady) -> None:
    for _ in range(500):
        clock.at += 300.0
        clock.shift += 0.1  # adjusted a little all the time
        steady.look(clock.now())
    assert (steady.total, steady.set_back, steady.ahead(1e9)) == (0.0, 0, 0.0)


@pytest.mark.parametrize("by", [3.0, 3_600.0, 400 * DAY_S])
def test_forward_what_was_written_before_is_over_as_much_later(clock: Shifted, steady: Steady, by: float) -> None:
    clock.shift += by
    steady.look(clock.now())
    assert steady.ahead(LEASE_S) == pytest.approx(by)
    clock.at += LEASE_S + 1.0
    steady.look(clock.now())
    assert steady.ahead(LEASE_S) == 0.0, "nothing was written before"
    assert steady.total == pytest.approx(by)
    assert steady.set_back == 0


@pytest.mark.parametrize("by", [-3.0, -3_600.0, -400 * DAY_S])
def test_set_back_nothing_is_over_later_than_by_the_clock(clock: Shifted, steady: Steady, by: float) -> None:
    clock.shift += by
    steady.look(clock.now())
    assert (steady.ahead(LEASE_S), steady.set_back) == (0.0, 1)


def test_between_two_steps_it_was_written_by_another_clock(clock: Shifted, steady: Steady) -> None:
    for by in (-60.0, 50.0, 10.0):
        clock.at += 5.0
        clock.shift += by
        steady.look(clock.now())
    assert steady.ahead(LEASE_S) == pytest.approx(60.0), "what was written while it was behind"
    assert steady.total == pytest.approx(0.0)


def test_of_many_steps_the_newest_are_known(clock: Shifted, steady: Steady) -> None:
    for _ in range(10 * KEPT):
        clock.shift += 2.0
        steady.look(clock.now())
    assert steady.ahead(LEASE_S) == pytest.approx(2.0 * KEPT)


def test_who_has_just_begun_may_have_missed_it(clock: Shifted, steady: Steady) -> None:
    def doubted_for() -> float:
        """Seconds until there is no doubt, looked at every second."""
        began = clock.at
        while steady.doubts(LEASE_S):
            clock.at += 1.0
            steady.look(clock.now())
        return clock.at - began

    assert doubted_for() == 0.0, "who does not ask for it"
    steady.doubt()
    assert doubted_for() == LEASE_S


def test_who_slept_may_have_missed_that_it_was_set_and_set_right_again(clock: Shifted, steady: Steady) -> None:
    steady.doubt()
    for _ in range(10):
        clock.at += LONG_S
        steady.look(clock.now())
    assert not steady.doubts(LEASE_S), "nobody was away"
    clock.at += LONG_S + 1.0
    steady.look(clock.now())
    assert steady.doubts(LEASE_S)
    for _ in range(7):
        clock.at += LONG_S
        steady.look(clock.now())
    assert not steady.doubts(LEASE_S), "what was written meanwhile has run out"


def test_a_transaction_tells_what_has_run_out(clock: Shifted, tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'a.db'}", clock)
    try:
        with store.read() as tx:
            before = tx.now()
            assert (tx.lapsed(LEASE_S, before), tx.run_out(LEASE_S, before), tx.stepped()) == (before, before, 0.0)
            clock.shift += DAY_S
            now = tx.now()
            assert now == before + DAY_S
            assert (tx.lapsed(LEASE_S, now), tx.run_out(LEASE_S, now), tx.stepped()) == (before, before, DAY_S)
            store.steady.doubt()
            assert (tx.lapsed(LEASE_S, now), tx.run_out(LEASE_S, now)) == (before, -inf)
    finally:
        store.close()


def test_what_is_dated_is_dated_by_the_clock_of_the_store(store_url: str) -> None:
    """Which is another than ours where a server has it: ours is off by a day, and nobody is the wiser."""
    ours = Shifted(SystemClock().now())
    ours.shift = DAY_S
    store = Store.open(store_url, ours)
    with store.read() as tx:
        asked = tx.now()
    assert store.clock.now() == pytest.approx(asked, abs=5.0)
    ours.at += 60.0
    assert store.clock.now() == pytest.approx(asked + 60.0, abs=5.0)
    assert store.clock.monotonic() == ours.monotonic()
    assert (asked == ours.now() - 60.0) == store.sqlite
    store.close()
