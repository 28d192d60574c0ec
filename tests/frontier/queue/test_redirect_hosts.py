"""Requests to sites that nobody has leased for them: their turns, their facts, and what the ledger has of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import cast

import sqlalchemy as sa

from cormorant.base.clock import SystemClock, pause
from cormorant.frontier.queue import request_log
from cormorant.frontier.queue.redirect_hosts import LATE_S, OtherSites
from cormorant.model.pace import Pace
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import site

KEY = "a.example"
PACE = Pace(0.2, 1, "delay_s 0.2")


def asked_at(store: Store) -> float:
    with store.read() as tx:
        return float(tx.execute(sa.select(site.c.requested_at).where(site.c.key == KEY)).scalar_one())


def test_turns_of_two_processes_keep_their_distance_and_are_told(store: Store) -> None:
    one, two = OtherSites(store, SystemClock()), OtherSites(store, SystemClock())
    moments = []

    async def ask(others: OtherSites) -> None:
        for _ in range(3):
            assert await others.turn(KEY, PACE, 60.0) == 0.0
            others.sent(KEY)
            moments.append(asked_at(store))

    async def both() -> None:
        await asyncio.gather(ask(one), ask(two))

    asyncio.run(both())
    assert all(later - earlier >= PACE.delay_s for earlier, later in pairwise(moments))
    one.flush()
    two.flush()
    with store.read() as tx:
        hours = request_log.of(tx, [1])[1]
    assert sum(each.requests for each in hours) == 6
    assert min(each.gap_s for each in hours if each.gap_s is not None) >= PACE.delay_s


class SlowStore:
    """A store that takes a while to write down what the first transaction changed."""

    def __init__(self, store: Store, slow_s: float) -> None:
        self._store, self._slow_s = store, slow_s

    @contextmanager
    def begin(self) -> Iterator[Tx]:
        with self._store.begin() as tx:
            yield tx
            slow_s, self._slow_s = self._slow_s, 0.0
            pause(slow_s)


def test_a_turn_that_was_long_in_being_written_down_is_taken_anew(store: Store) -> None:
    clock = SystemClock()
    slow, other = OtherSites(cast("Store", SlowStore(store, PACE.delay_s)), clock), OtherSites(store, clock)
    assert asyncio.run(slow.turn(KEY, PACE, 60.0)) == 0.0
    goes_out = clock.monotonic()
    assert asyncio.run(other.turn(KEY, PACE, 60.0)) == 0.0
    assert clock.monotonic() - goes_out >= PACE.delay_s - LATE_S


def test_a_turn_that_is_too_far_away_is_not_taken(store: Store) -> None:
    others = OtherSites(store, SystemClock())
    slow = Pace(90.0, 1, "delay_s 90")
    assert asyncio.run(others.turn(KEY, slow, 60.0)) == 0.0
    before = asked_at(store)
    assert 80.0 < asyncio.run(others.turn(KEY, slow, 60.0)) <= 90.0
    assert asked_at(store) == before


def test_who_has_no_turn_when_the_time_is_over_does_not_go(store: Store) -> None:
    """Somebody else had it a moment ago, and to find that out took longer than there was time."""
    clock = SystemClock()
    assert asyncio.run(OtherSites(store, clock).turn(KEY, PACE, 60.0)) == 0.0
    slow = OtherSites(cast("Store", SlowStore(store, 2 * PACE.delay_s)), clock)
    assert asyncio.run(slow.turn(KEY, PACE, 1.5 * PACE.delay_s)) > 0.0


def test_the_owner_of_a_site_is_left_the_turn_that_it_may_be_about_to_take(store: Store) -> None:
    others = OtherSites(store, SystemClock())
    asyncio.run(others.turn(KEY, PACE, 60.0))
    with store.begin() as tx:
        now = tx.now()
        tx.execute(sa.update(site).values(owner="ada", lease_until=now + 60, requested_at=now))
    asyncio.run(others.turn(KEY, PACE, 60.0))
    assert abs(asked_at(store) - now - 2 * PACE.delay_s) < 1e-3


def test_a_time_that_a_clock_set_back_left_behind_keeps_nobody_waiting(store: Store) -> None:
    others = OtherSites(store, SystemClock())
    asyncio.run(others.turn(KEY, PACE, 60.0))
    with store.begin() as tx:
        tx.execute(sa.update(site).values(requested_at=tx.now() + 1e6))
    assert asyncio.run(others.turn(KEY, PACE, 60.0)) == 0.0


def test_a_fact_is_known_to_every_process_while_it_holds(store: Store) -> None:
    one, two = OtherSites(store, SystemClock()), OtherSites(store, SystemClock())
    assert two.fact(KEY, "robots:https://a.example") is None
    one.learn(KEY, "robots:https://a.example", b"User-agent: *", 3600.0)
    one.learn(KEY, "robots:http://a.example", b"", 0.0)
    known = two.fact(KEY, "robots:https://a.example")
    assert known is not None
    assert known.value == b"User-agent: *"
    assert two.facts(KEY) == {"robots:https://a.example": b"User-agent: *"}
