"""How long a run waits: what is got counts, and not that a server failed once more."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.frontier.progress.idle_timeout import IdleTimeout, got
from cormorant.frontier.progress.remaining import Remaining
from cormorant.model.run import Counters

VISIT_S = 300.0
WORKING = Remaining(2, 0.0, troubled=1)


def resting(until: float) -> Remaining:
    """Two sites, of which the first goes on then."""
    return Remaining(2, until, troubled=2)


PROBED = Remaining(1, 0.0, troubled=1)
"""A site that failed and is asked at this moment."""


def ends_at(patience: IdleTimeout) -> float | None:
    return patience.ends_at


def test_a_server_that_answers_again_within_the_patience_is_waited_for() -> None:
    patience = IdleTimeout(300)
    assert not patience.look(resting(60), 7, 0, VISIT_S)
    assert ends_at(patience) == 300
    assert not patience.look(PROBED, 7, 60, VISIT_S)
    assert not patience.look(resting(180), 7, 61, VISIT_S)
    assert not patience.look(WORKING, 8, 180, VISIT_S)
    assert ends_at(patience) is None
    assert not patience.look(resting(240), 8, 181, VISIT_S)
    assert ends_at(patience) == 481


def test_failing_once_more_is_no_reason_to_wait_longer() -> None:
    patience = IdleTimeout(300)
    for now, until in ((0, 60), (60, 180)):
        assert not patience.look(resting(until), 7, now, VISIT_S)
    assert patience.look(resting(420), 7, 181, VISIT_S), "nothing can come before the patience ends"


def test_a_site_that_works_has_all_the_time_it_needs() -> None:
    patience = IdleTimeout(0)
    assert not any(patience.look(WORKING, 7, now, VISIT_S) for now in range(0, 10_000, 100))


def test_what_is_visited_and_put_off_again_is_waited_for_once() -> None:
    patience = IdleTimeout(100)
    assert not patience.look(resting(60), 7, 0, VISIT_S)
    assert not patience.look(WORKING, 7, 60, VISIT_S), "the pages that are put off are due again"
    assert patience.look(resting(180), 7, 61, VISIT_S)


def test_a_visit_to_a_site_that_failed_may_take_its_time_however_short_the_patience() -> None:
    patience = IdleTimeout(0)
    assert not patience.look(PROBED, 7, 0, VISIT_S)
    assert ends_at(patience) == VISIT_S, "what is told is what holds"
    assert not patience.look(PROBED, 7, VISIT_S + 60, VISIT_S + 60)
    assert patience.look(PROBED, 7, VISIT_S + 61, VISIT_S + 60)
    assert patience.look(resting(VISIT_S + 100), 7, VISIT_S + 99, VISIT_S)


@given(st.floats(0, 10_000), st.lists(st.tuples(st.floats(0, 600), st.floats(1, 90_000)), min_size=1))
def test_where_nothing_answers_it_ends_within_the_patience(patience_s: float, tries: list[tuple[float, float]]) -> None:
    patience, now = IdleTimeout(patience_s), 0.0
    for asked_again_s, rest_s in tries:
        if patience.look(resting(now + rest_s), 7, now, VISIT_S):
            break
        assert now + rest_s <= patience_s
        now += min(asked_again_s, rest_s)


@pytest.mark.parametrize(
    ("counters", "much"),
    [
        (Counters(fetched=1, new=1, indexed=1, discovered=9), 1), (Counters(fetched=1, excluded=1), 1),
        (Counters(unchanged=1, not_modified=1), 1), (Counters(gone=1, fetch_failures=1), 1), (Counters(moved=1), 1),
        (Counters(quarantined=1), 1), (Counters(failed=1), 1), (Counters(failed=1, unanswered=1, fetch_failures=1), 0),
        (Counters(gone=1, unanswered=1, fetch_failures=1), 0), (Counters(excluded=1, rejected=1), 0),
        (Counters(requests=9, bytes=9, conversions=9), 0),
    ],
)  # fmt: skip
def test_what_is_got(counters: Counters, much: int) -> None:
    assert got(counters) == much
