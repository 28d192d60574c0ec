"""Estimates are intervals, and a bottleneck is named only when it is seen."""

from __future__ import annotations

import pytest

from cormorant.journal.measured import Sample
from cormorant.operate.estimate import LUCK, TAIL_S, Ahead, Circumstances, ahead, bottleneck, rate


def steady(rate_s: float, left: int, grows: float = 0.0, seconds: int = 20) -> list[Sample]:
    """A run that fetches at one rate and finds new addresses at another."""
    return [Sample(float(t), int(rate_s * t), int(left - rate_s * t + grows * t)) for t in range(seconds + 1)]


def test_rate() -> None:
    assert rate(steady(10, 1000)) == pytest.approx(10)
    assert rate([]) == rate([Sample(1, 1, 1)]) == rate([Sample(1, 1, 1), Sample(1, 5, 1)]) == 0


def test_a_steady_run_is_foreseen() -> None:
    found = ahead(steady(10, 1200))
    assert found is not None
    assert found.least_s == pytest.approx(100 * LUCK)
    assert found.most_s == pytest.approx(100 + TAIL_S)


def test_new_addresses_widen_the_interval() -> None:
    found = ahead(steady(10, 1200, grows=5))
    assert found is not None
    assert found.most_s is not None
    assert found.most_s - TAIL_S == pytest.approx(2 * found.least_s / LUCK)


def test_more_found_than_visited_has_no_end_yet() -> None:
    found = ahead(steady(10, 1200, grows=10))
    assert found is not None
    assert found.most_s is None


def test_what_was_found_at_first_does_not_keep_the_end_away() -> None:
    found_at_once = [Sample(float(t), 10 * t, 100 * t) for t in range(6)]
    then_visited = [Sample(5.0 + t, 50 + 10 * t, 500 - 10 * t) for t in range(1, 16)]
    found = ahead([*found_at_once, *then_visited])
    assert found is not None
    assert found.most_s is not None
    assert found.least_s < 35 < found.most_s


@pytest.mark.parametrize(
    "samples", [[], steady(10, 1200, seconds=2), steady(0, 100), [Sample(float(t), t, 0) for t in range(9)]]
)
def test_too_little_is_known(samples: list[Sample]) -> None:
    assert ahead(samples) is None


def test_an_uneven_run_gives_an_interval() -> None:
    slow_then_fast = [
        *steady(2, 1000, seconds=10),
        *(Sample(10.0 + t, 20 + 20 * t, 980 - 20 * t) for t in range(1, 11)),
    ]
    found = ahead(slow_then_fast)
    assert found is not None
    assert found.most_s is not None
    assert found.least_s < found.most_s / 3
    assert found == Ahead(*found)


CALM = Circumstances("retrieving", 2, "", 0.0, 0.1, 0, 5.0)


@pytest.mark.parametrize(
    ("seen", "says"),
    [
        (CALM, "the servers: 2 hosts"),
        (CALM._replace(busy=0.95), "this machine's processors"),
        (CALM._replace(pace_s=1.0, rate=1.9), "politeness: 2 hosts, a request every 1 s each"),
        (CALM._replace(pace_s=1.0, rate=0.2), "the servers: 2 hosts"),
        (CALM._replace(waits_for="servers that do not answer", busy=0.95), "servers that do not answer"),
        (CALM._replace(state="delivering", backlog=7), "deliveries: 7 wait for the index and receivers"),
        (CALM._replace(sites=0), ""),
        (CALM._replace(state="sweeping"), ""),
    ],
)
def test_bottleneck(seen: Circumstances, says: str) -> None:
    assert bottleneck(seen) == says
