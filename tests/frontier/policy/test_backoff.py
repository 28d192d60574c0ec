from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.frontier.policy import backoff

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0

statuses = st.sampled_from((408, 429, 500, 503, 902, 975))
spreads = st.floats(0.9, 1.1)


@pytest.mark.parametrize(
    ("status", "tries", "asked", "seconds"),
    [
        (503, 1, None, MINUTE), (503, 2, None, 2 * MINUTE), (503, 6, None, 32 * MINUTE), (503, 7, None, HOUR),
        (429, 99, None, HOUR), (500, 1, None, MINUTE), (500, 11, None, 1024 * MINUTE), (500, 12, None, DAY),
        (906, 10_000, None, DAY), (503, 5, 7.5, 7.5), (500, 5, 7.5, 7.5), (503, 1, 10 * DAY, DAY),
        (503, 1, 0.0, MINUTE), (503, 1, -5.0, MINUTE), (500, 0, None, MINUTE), (500, -3, None, MINUTE),
    ],
)  # fmt: skip
def test_how_long_to_wait(status: int, tries: int, asked: float | None, seconds: float) -> None:
    assert backoff.wait_s(status, tries, asked, 1.0) == seconds


@given(statuses, st.integers(1, 2000), spreads)
def test_a_wait_never_shrinks_and_has_an_end(status: int, tries: int, spread: float) -> None:
    waits = backoff.wait_s(status, tries, None, spread), backoff.wait_s(status, tries + 1, None, spread)
    assert MINUTE * 0.9 <= waits[0] <= waits[1] <= DAY * 1.1
    assert status not in backoff.BUSY or waits[1] <= HOUR * 1.1


@given(statuses, st.integers(0, 2000), st.floats(0.001, 1e9), spreads)
def test_what_a_server_asks_for_is_obeyed_to_the_second(status: int, tries: int, asked: float, spread: float) -> None:
    assert backoff.wait_s(status, tries, asked, spread) == min(asked, DAY)
