"""A host is visited no faster than it may be, whoever crawls it and whatever is killed. Read from the host's log."""

from __future__ import annotations

import signal
from itertools import pairwise

from cormorant.base.clock import SystemClock, pause
from tests.journeys import processes
from tests.journeys.conftest import Serve
from tests.journeys.crawling import Crawler, begin
from tests.journeys.home import Home
from tests.journeys.pages import SiteSettings
from tests.journeys.site import Logged, WebSite

DELAY_S = 0.2
PAGES = 9


def gaps(log: list[Logged]) -> list[float]:
    """Seconds from the start of one request to the start of the next."""
    return [later.at - earlier.at for earlier, later in pairwise(sorted(log))]


def wait_for(site: WebSite, requests: int) -> None:
    """Wait until the site was asked that often."""
    until = SystemClock().monotonic() + 30
    while len(site.log()) < requests:
        assert SystemClock().monotonic() < until, f"only {len(site.log())} of {requests} requests came"
        pause(0.02)


def test_two_sources_share_the_pace_of_a_host(home: Home, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    for name in ("first", "second"):
        home.add_source("web", name, site.source | {"delay_s": str(DELAY_S)})
    for killed_after in (6, 12, 0):
        with processes.ended(begin(home, "first", "second")) as crawl:
            if killed_after:
                wait_for(site, killed_after)
                tree = processes.below(crawl.pid)
                processes.kill_group(crawl.pid)
                assert not processes.wait_gone(tree, 20)
            assert crawl.wait(60) == (-signal.SIGKILL if killed_after else 0)
    log = site.log()
    assert {each.path for each in log} == {"/robots.txt", *(f"/p/{number}.html" for number in range(PAGES))}
    assert min(gaps(log)) >= DELAY_S * 0.99, sorted(gaps(log))[:3]
    assert home.value("SELECT count(*) FROM content WHERE indexed") == 2 * PAGES


def test_parallel_requests_of_a_host(file_home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=60, delay_s=0.05, hosts=2))
    for name, limit in (("first", "3"), ("second", "5")):
        file_home.add_source("web", name, site.source | {"per_host": limit})
    crawls.crawl(file_home, "first")
    assert max(each.under_way for each in site.log()) == 3
    since = SystemClock().now()
    crawls.begin(file_home, "first", "second")
    crawls.end()
    assert max(each.under_way for each in site.log(since)) <= 5
