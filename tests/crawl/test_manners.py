"""What one visit means for the next at its site."""

from __future__ import annotations

import pytest

from cormorant.crawl import manners
from cormorant.crawl.visit import Report
from cormorant.frontier.desk import SLACK_S, Desk, SiteWork, Task
from cormorant.frontier.rest import CIRCUIT
from cormorant.model.content import Content, Wire
from cormorant.model.outcome import Deferred, Excluded, Failed, Gone, Ok, Outcome
from cormorant.model.resource import Lease, Role
from cormorant.model.rules import Gate, Ruling
from cormorant.model.status import Status
from tests.crawl.samples import AT, NEVER_SEEN, web_source

NOW = 50.0


def learned(outcome: Outcome, requests: int = 1, failures: int = 0) -> SiteWork:
    """A site with a delay of ten seconds whose visit, begun three seconds ago, has just ended so."""
    site = SiteWork(Lease(1, "a.example", 1, 1e12), {}, failures, delay_s=10.0, next_at=NOW + 7, under_way=1)
    if requests:
        site.sent(NOW - 2, AT - 2)
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
    site = learned(Gone())
    assert (site.next_at, site.requested_at) == (NOW + 8 + SLACK_S, AT - 2)


def test_a_visit_without_a_request_gives_its_turn_back() -> None:
    forbidden = Excluded(Ruling(False, Gate.ROBOTS, "Disallow: /", Status.ROBOTS), 970)
    assert learned(forbidden, requests=0).next_at <= NOW
    assert learned(forbidden).next_at > NOW, "behind a redirect"
    assert learned(Failed(906, "refused"), requests=0).next_at == NOW + 7, "it was asked to connect"


def test_a_pace_that_robots_txt_asks_for_counts_from_its_own_request() -> None:
    site = SiteWork(Lease(1, "127.0.0.1:8000", 1, 1e12), {}, under_way=1, blocked=True)
    site.sent(NOW - 1, AT - 1)
    said = Content("http://127.0.0.1:8000/robots.txt", b"User-agent: *\nCrawl-delay: 5", "text/plain", validator="60")
    robots = NEVER_SEEN._replace(role=Role.ROBOTS, address=said.address)
    source = web_source(start=["http://127.0.0.1:8000/"], robots="obey")
    manners.learn(Report(Task(robots, site), Ok(said, None), Wire(requests=1), AT), Desk(), source, NOW)
    assert (site.delay_s, site.next_at) == (5.0, NOW + 4 + SLACK_S)
