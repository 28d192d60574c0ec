"""Estimates are intervals, and a bottleneck is named only when it is seen."""

from __future__ import annotations

import pytest

from cormorant.operate.runs.eta import LUCK, SWEEPS, TAIL_S, Ahead, RunConditions, ahead, bottleneck, is_outlasted, rate
from cormorant.store.journal.progress_samples import ProgressSample


def steady(rate_s: float, left: int, grows: float = 0.0, seconds: int = 20) -> list[ProgressSample]:
    """A run that fetches at one rate and finds new addresses at another."""
    return [ProgressSample(float(t), int(rate_s * t), int(left - rate_s * t + grows * t)) for t in range(seconds + 1)]


def test_rate() -> None:
    assert rate(steady(10, 1000)) == pytest.approx(10)
    assert rate([]) == rate([ProgressSample(1, 1, 1)]) == rate([ProgressSample(1, 1, 1), ProgressSample(1, 5, 1)]) == 0


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
    found_at_once = [ProgressSample(float(t), 10 * t, 100 * t) for t in range(6)]
    then_visited = [ProgressSample(5.0 + t, 50 + 10 * t, 500 - 10 * t) for t in range(1, 16)]
    found = ahead([*found_at_once, *then_visited])
    assert found is not None
    assert found.most_s is not None
    assert found.least_s < 35 < found.most_s


@pytest.mark.parametrize(
    "samples", [[], steady(10, 1200, seconds=2), steady(0, 100), [ProgressSample(float(t), t, 0) for t in range(9)]]
)
def test_too_little_is_known(samples: list[ProgressSample]) -> None:
    assert ahead(samples) is None


def test_an_uneven_run_gives_an_interval() -> None:
    slow_then_fast = [
        *steady(2, 1000, seconds=10),
        *(ProgressSample(10.0 + t, 20 + 20 * t, 980 - 20 * t) for t in range(1, 11)),
    ]
    found = ahead(slow_then_fast)
    assert found is not None
    assert found.most_s is not None
    assert found.least_s < found.most_s / 3
    assert found == Ahead(*found)


def told(at_once: float, seconds: int = 60, step: int = 1) -> list[ProgressSample]:
    """A run of 3,000 documents that fetches 20 a second, with a receiver that is told so many a second, in steps."""
    samples = []
    for t in range(seconds + 1):
        fetched, place = 20 * t, int(at_once * (t // step * step))
        samples.append(ProgressSample(float(t), fetched, 3_000 - fetched, place, fetched - place))
    return samples


def test_a_slow_receiver_is_foreseen() -> None:
    samples = told(5.0)
    found = ahead(samples)
    assert found == pytest.approx(((3_000 - 300) / 5 * LUCK, (3_000 - 300) / 5 + TAIL_S))
    assert is_outlasted(samples)


def test_one_that_is_told_in_large_steps_too() -> None:
    found = ahead(told(5.0, step=10, seconds=69))
    assert found is not None
    assert found.most_s is not None
    assert found.least_s < (3_000 - 300) / 5 - 9 < found.most_s < 1.5 * found.least_s


def test_one_for_whose_batches_a_run_does_not_wait_changes_nothing() -> None:
    samples = told(5.0, step=20)
    assert ahead(samples) == pytest.approx((1_800 / 20 * LUCK, 1_800 / 20 + TAIL_S))
    assert not is_outlasted(samples)


def test_the_end_does_not_wait_longer_for_a_receiver_than_is_waited() -> None:
    visits = 1_800 / 20
    assert ahead(told(5.0), waits_s=100.0) == pytest.approx((visits * LUCK + 100, visits + TAIL_S + 100))


def test_a_receiver_that_keeps_up_changes_nothing() -> None:
    samples = [each._replace(delivered=each.fetched - 30, behind=30) for each in told(5.0)]
    assert ahead(samples) == pytest.approx((1_800 / 20 * LUCK, 1_800 / 20 + TAIL_S))
    assert not is_outlasted(samples)


def test_one_that_never_gets_on_is_no_estimate() -> None:
    assert ahead(told(0.0)) == pytest.approx((1_800 / 20 * LUCK, 1_800 / 20 + TAIL_S))


def test_when_all_is_visited_the_receivers_are_what_is_left() -> None:
    samples = [ProgressSample(float(t), 3_000, 0, 100 + 10 * t, 900 - 10 * t) for t in range(21)]
    assert ahead(samples) == pytest.approx((70 * LUCK, 70 + TAIL_S))
    assert not is_outlasted(samples)


def test_no_end_of_visits_is_no_end_of_deliveries() -> None:
    found = ahead([each._replace(left=1_000 + each.fetched) for each in told(5.0)])
    assert found is not None
    assert found.most_s is None


CALM = RunConditions("retrieving", 2, "", 0.0, 0.1, 0, 5.0)


@pytest.mark.parametrize(
    ("seen", "says"),
    [
        (CALM, "the servers: 2 hosts"),
        (CALM._replace(busy=0.95), "this machine's processors"),
        (CALM._replace(pace_s=1.0, rate=1.9), "politeness: 2 hosts, a request every 1 s each"),
        (CALM._replace(pace_s=1.0, rate=0.2), "the servers: 2 hosts"),
        (CALM._replace(waits_for="servers that do not answer", busy=0.95), "servers that do not answer"),
        (CALM._replace(state="delivering", backlog=7), "deliveries: 7 wait for the index and receivers"),
        (CALM._replace(state="delivering", backlog=7, slowest="the index"), "deliveries: 7 wait for the index"),
        (
            CALM._replace(is_outlasted=True, backlog=7, busy=1.0, slowest="the receiver 'slow'"),
            "deliveries: 7 wait for the receiver 'slow'",
        ),
        (CALM._replace(state="sweeping", is_outlasted=True), SWEEPS),
        (CALM._replace(sites=0), ""),
        (CALM._replace(state="sweeping", sites=0), SWEEPS),
        (CALM._replace(state="discovering"), ""),
    ],
)
def test_bottleneck(seen: RunConditions, says: str) -> None:
    assert bottleneck(seen) == says
