"""What one visit means for the next at its site."""

from __future__ import annotations

import pytest

from cormorant.crawl import manners
from cormorant.crawl.visit import Report
from cormorant.frontier.desk import Desk, SiteWork, Task
from cormorant.frontier.rest import CIRCUIT
from cormorant.model.content import Wire
from cormorant.model.outcome import Deferred, Failed, Gone, Outcome
from cormorant.model.resource import Lease
from tests.crawl.samples import AT, NEVER_SEEN, web_source

NOW = 50.0


def learned(outcome: Outcome, requests: int = 1, failures: int = 0) -> SiteWork:
    """A site with a delay of one second whose visit, begun three seconds ago, has just ended so."""
    site = SiteWork(Lease(1, "a.example", 1, 1e12), {}, failures, delay_s=1.0, next_at=NOW - 2, under_way=1)
    site.connected, site.requested_at = True, AT - 3
    report = Report(Task(NEVER_SEEN, site), outcome, Wire(requests=requests), AT)
    assert manners.learn(report, Desk(), web_source(), NOW) == []
    return site


@pytest.mark.parametrize("status", [429, 503])
def test_a_rest_is_for_the_site_that_asked_for_it(status: int) -> None:
    ours = learned(Deferred(status, "busy", 3600.0, whole_site=True))
    assert (ours.failures, ours.not_before, ours.rest_until) == (1, AT + 3600, NOW + 3600)
    other = learned(Deferred(status, "busy", 3600.0, elsewhere=True), requests=2)
    assert (other.failures, other.not_before, other.rest_until) == (0, 0.0, 0.0)


def test_a_site_that_redirects_has_not_failed() -> None:
    assert learned(Failed(906, "refused"), failures=CIRCUIT - 1).rest_until > NOW
    site = learned(Failed(906, "refused", elsewhere=True), requests=2, failures=CIRCUIT - 1)
    assert (site.failures, site.rest_until) == (0, 0.0)


def test_the_delay_counts_from_the_last_request_of_a_visit() -> None:
    assert (learned(Gone()).next_at, learned(Gone()).requested_at) == (NOW - 2, AT - 3)
    hopped = learned(Gone(), requests=3)
    assert (hopped.next_at, hopped.requested_at) == (NOW + 1, AT)
