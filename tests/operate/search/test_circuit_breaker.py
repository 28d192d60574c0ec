from __future__ import annotations

from cormorant.operate.search.circuit_breaker import FAILURES, MOST_REST_S, REST_S, BreakerState, CircuitBreaker


def broken(at: float = 0.0) -> CircuitBreaker:
    breaker = CircuitBreaker()
    for _ in range(FAILURES):
        assert breaker.admit(at) == 0.0
        breaker.failed(at)
    return breaker


def test_it_rests_after_failures_in_a_row_alone() -> None:
    breaker = CircuitBreaker()
    for _ in range(2 * FAILURES):
        breaker.failed(0.0)
        breaker.succeeded()
    assert breaker.admit(0.0) == 0.0
    assert broken().admit(1.0) == REST_S - 1.0


def test_one_request_tries_whether_it_is_back() -> None:
    breaker = broken()
    assert breaker.admit(REST_S) == 0.0
    assert breaker.state is BreakerState.HALF_OPEN
    assert breaker.admit(REST_S) > 0.0
    breaker.succeeded()
    assert breaker.admit(REST_S) == breaker.admit(REST_S) == 0.0


def test_each_failed_try_doubles_the_rest() -> None:
    breaker, now, rests = broken(), 0.0, []
    for _ in range(7):
        rest = breaker.admit(now)
        rests.append(rest)
        now += rest
        assert breaker.admit(now) == 0.0
        breaker.failed(now)
    assert rests == [30.0, 60.0, 120.0, 240.0, 480.0, MOST_REST_S, MOST_REST_S]


def test_who_asks_to_be_left_alone_is() -> None:
    breaker = CircuitBreaker()
    breaker.failed(0.0, 120.0)
    assert breaker.admit(20.0) == 100.0
    other = CircuitBreaker()
    other.failed(0.0, 1e9)
    assert other.admit(0.0) == MOST_REST_S


def test_late_failures_of_requests_that_were_under_way_make_no_rest_longer() -> None:
    breaker = broken()
    breaker.failed(29.0)
    assert breaker.admit(30.0) == 0.0


def test_a_try_that_was_not_sent_is_made_again() -> None:
    breaker = broken()
    assert breaker.admit(REST_S) == 0.0
    breaker.dropped(REST_S)
    assert breaker.admit(REST_S) == 0.0
