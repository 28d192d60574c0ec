from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.base.exhaustion import Shortage
from cormorant.frontier.policy import host_backoff
from cormorant.frontier.policy.host_backoff import CIRCUIT, Rest
from cormorant.model.content import Content
from cormorant.model.outcome import Deferred, Failed, Gone, Ok, Outcome, Unchanged

NOW = 1000.0
BUSY = Deferred(503, "busy", whole_site=True)
REFUSED = Deferred(906, "connection refused")
FAILING = Deferred(500, "an error of the server")


@pytest.mark.parametrize(
    ("outcome", "failures", "after"),
    [
        (Unchanged(), 7, Rest(0, 0.0)),
        (Ok(Content("a", b"", "text/html"), None), 7, Rest(0, 0.0)),
        (Gone(), 7, Rest(0, 0.0)),
        (Failed(501, "a method that it does not know"), CIRCUIT, Rest(0, 0.0)),
        (Deferred(408, "it waited for us"), CIRCUIT, Rest(0, 0.0)),
        (Failed(403, "forbidden"), 7, Rest(0, 0.0)),
        (BUSY, 0, Rest(1, NOW + 60)),
        (BUSY, 3, Rest(4, NOW + 480)),
        (Deferred(429, "slow down", 12.0, whole_site=True), 3, Rest(4, NOW + 12)),
        (REFUSED, 0, Rest(1, 0.0)),
        (REFUSED, CIRCUIT - 2, Rest(CIRCUIT - 1, 0.0)),
        (REFUSED, CIRCUIT - 1, Rest(CIRCUIT, NOW + 60)),
        (REFUSED, CIRCUIT, Rest(CIRCUIT + 1, NOW + 120)),
        (Failed(976, "certificate"), CIRCUIT - 1, Rest(CIRCUIT, NOW + 60)),
        (FAILING, 0, Rest(1, 0.0)),
        (FAILING, CIRCUIT - 2, Rest(CIRCUIT - 1, 0.0)),
        (FAILING, CIRCUIT - 1, Rest(CIRCUIT, NOW + 60)),
        (Deferred(504, "no gateway"), CIRCUIT, Rest(CIRCUIT + 1, NOW + 120)),
        (Deferred(500, "the target of a redirect", elsewhere=True), CIRCUIT, Rest(0, 0.0)),
        (Deferred(904, "we were short of files", lack=Shortage.FILES), 0, Rest(0, 0.0)),
        (Deferred(904, "we were short of files", lack=Shortage.FILES), 7, Rest(7, 0.0)),
        (Failed(906, "the target of a redirect", elsewhere=True), CIRCUIT - 1, Rest(0, 0.0)),
        (Deferred(902, "the target of a redirect", elsewhere=True), CIRCUIT, Rest(0, 0.0)),
        (Deferred(503, "the target of a redirect", 3600.0, elsewhere=True), 3, Rest(0, 0.0)),
    ],
)
def test_when_a_site_rests(outcome: Outcome, failures: int, after: Rest) -> None:
    assert host_backoff.after(outcome, failures, NOW, 1.0) == after


@given(st.sampled_from([BUSY, REFUSED, FAILING]), st.integers(0, 500), st.floats(0.9, 1.1))
def test_a_rest_grows_with_the_failures_and_has_an_end(outcome: Outcome, failures: int, spread: float) -> None:
    first = host_backoff.after(outcome, failures, NOW, spread)
    second = host_backoff.after(outcome, first.failures, NOW, spread)
    assert second.failures == first.failures + 1
    assert first.until <= second.until <= NOW + 86_400 * 1.1
