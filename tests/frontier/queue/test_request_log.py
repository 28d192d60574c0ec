from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.frontier.queue import request_log
from cormorant.frontier.queue.request_log import HOUR_S, KEPT_HOURS, HostHour, RequestTally
from cormorant.store.db.database import Store

RULE = "delay_s 1"


def tallied(*requests: tuple[float, float, float]) -> RequestTally:
    tally = RequestTally()
    for each in requests:
        tally.count(*each, RULE)
    return tally


def test_the_tightest_gap_is_the_one_that_is_least_of_what_was_asked() -> None:
    tally = tallied((0.0, 1e9, 1.0), (2.0, 2.0, 1.0), (7.0, 5.0, 10.0), (8.0, 1.0, 1.0), (9.0, 0.1, 0.0))
    assert tally.take() == [HostHour(0, 5, 5.0, 10.0, RULE)]
    assert tally.take() == []


def test_where_nothing_was_asked_the_shortest_gap_is_told() -> None:
    assert tallied((0.0, 0.5, 0.0), (1.0, 0.2, 0.0), (HOUR_S, 0.1, 0.0)).take() == [
        HostHour(0, 2, 0.2, 0.0, RULE),
        HostHour(1, 1, 0.1, 0.0, RULE),
    ]


def test_what_is_written_adds_up(store: Store) -> None:
    with store.begin() as tx:
        now = tx.now()
        request_log.write(tx, {1: tallied((now, 3.0, 2.0)), 2: tallied((now, 9.0, 9.0)), 3: RequestTally()})
    with store.begin() as tx:
        request_log.write(tx, {1: tallied((now, 2.0, 2.0), (now, 1e12, 2.0), (now - HOUR_S, 4.0, 2.0))})
    this = int(now // HOUR_S)
    with store.read() as tx:
        assert request_log.of(tx, [1, 2, 3]) == {
            1: [HostHour(this, 3, 2.0, 2.0, RULE), HostHour(this - 1, 1, 4.0, 2.0, RULE)],
            2: [HostHour(this, 1, 9.0, 9.0, RULE)],
            3: [],
        }


def test_hours_long_past_are_forgotten(store: Store) -> None:
    with store.begin() as tx:
        now = tx.now()
        request_log.write(tx, {1: tallied((now, 1.0, 1.0), (now - (KEPT_HOURS + 2) * HOUR_S, 1.0, 1.0))})
        request_log.forget(tx)
        assert [each.requests for each in request_log.of(tx, [1])[1]] == [1]


@given(st.lists(st.tuples(st.floats(0, 100), st.sampled_from((0.0, 1.0, 5.0))), min_size=1))
def test_nothing_closer_than_asked_is_hidden(gaps: list[tuple[float, float]]) -> None:
    (hour,) = tallied(*((1.0, gap, asked) for gap, asked in gaps)).take()
    shares = [gap / asked for gap, asked in gaps if asked]
    assert hour.requests == len(gaps)
    assert hour.tightness == pytest.approx(min(shares, default=float("inf")))
