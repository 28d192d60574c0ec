"""A host is visited no faster than it may be, whoever crawls it and whatever is killed. Read from the host's log."""

from __future__ import annotations

import signal
from datetime import UTC, datetime, timedelta
from itertools import combinations, pairwise

from cormorant.base.clock import SystemClock, pause
from tests.journeys import processes
from tests.journeys.conftest import Serve
from tests.journeys.crawling import Crawler, begin
from tests.journeys.home import Home
from tests.journeys.pages import SiteSettings
from tests.journeys.site import Logged, WebSite

DELAY_S = 0.2
PAGES = 9


def too_soon(log: list[Logged], delay_s: float) -> list[tuple[int, int, float]]:
    """Stretches of requests that came quicker than the delay lets them: the first, the last, the seconds too few.

    A request that was noted late makes the next look early, once. So every stretch is judged, not every gap: it may be
    shorter by no more than the machine was late with one request, however many there are in it.
    """
    moments = [each.at for each in sorted(log)]
    late_s = max(each.late_s for each in log)
    return [
        (i, j, missing)
        for i, j in combinations(range(len(moments)), 2)
        if (missing := (j - i) * delay_s * 0.99 - (moments[j] - moments[i])) > late_s
    ]


def wait_for(site: WebSite, requests: int) -> None:
    """Wait until the site was asked that often."""
    until = SystemClock().monotonic() + 30
    while len(site.log()) < requests:
        assert SystemClock().monotonic() < until, f"only {len(site.log())} of {requests} requests came"
        pause(0.02)


def test_a_pace_that_is_not_kept_is_seen() -> None:
    """Also where the machine was late by as much as the delay."""

    def log(*moments: float, late_s: float = 0.0) -> list[Logged]:
        return [Logged(at, "", "", conditional=False, status=200, under_way=1, late_s=late_s) for at in moments]

    assert too_soon(log(0.0, 0.2, 0.4, 0.6), 0.2) == []
    assert too_soon(log(0.0, 0.2, 0.35, 0.6), 0.2) != []
    assert too_soon(log(0.0, 0.25, 0.4, 0.6, late_s=0.05), 0.2) == []
    assert too_soon(log(0.0, 0.1, 0.2, 0.3, late_s=0.2), 0.2) != [], "two sources, each at a pace of its own"


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
    assert too_soon(log, DELAY_S) == []
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


def test_an_edit_of_the_pace_holds_for_the_run_under_way(home: Home, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    today = datetime.fromtimestamp(SystemClock().now(), UTC)
    shut = [f"{(today + timedelta(days=days)).strftime('%a')} 00-24 suspend" for days in (-1, 0, 1)]
    home.add_source("web", "first", site.source | {"variable_delay": shut, "time_zone": "UTC"})
    with processes.ended(begin(home, "first")) as crawl:
        until = SystemClock().monotonic() + 30
        while home.value("SELECT count(*) FROM run WHERE state = 'retrieving'") == 0:
            assert SystemClock().monotonic() < until
            pause(0.05)
        pause(1.0)
        assert site.log() == [], "it is suspended"
        home.edit_source("first", {"variable_delay": [], "delay_s": str(DELAY_S)})
        assert crawl.wait(60) == 0
    log = site.log()
    assert len(log) == PAGES + 1
    assert too_soon(log, DELAY_S) == []


def at_once(log: list[Logged], answer_s: float) -> int:
    """How often a host was asked while another had yet to answer."""
    return sum(one.host != other.host and other.at - one.at < answer_s for one, other in pairwise(sorted(log)))


def test_hosts_at_once(file_home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=60, delay_s=0.05, hosts=4))
    for name, limit in (("first", {}), ("second", {"hosts_at_once": "1"})):
        file_home.add_source("web", name, site.source | {"per_host": "2"} | limit)
    crawls.crawl(file_home, "first")
    assert at_once(site.log(), 0.04) > 5
    since = SystemClock().now()
    crawls.crawl(file_home, "second")
    log = site.log(since)
    assert len({each.host for each in log}) == 4
    assert at_once(log, 0.04) == 0


def test_hosts_at_one_address_share_its_pace(home: Home, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    names = [f"{name}.localhost:{site.port}" for name in ("a", "b", "c")]
    sources = tuple(f"s{number}" for number in range(len(names)))
    for source, name in zip(sources, names, strict=True):
        starts = [f"http://{name}/p/{number}.html" for number in range(5)]
        home.add_source("web", source, {"start": starts, "delay_s": str(DELAY_S), "pace_by": "address"})
    with processes.ended(begin(home, *sources)) as crawl:
        assert crawl.wait(90) == 0
    log = site.log()
    assert len(log) == len(names) * (5 + 1)
    assert too_soon(log, DELAY_S) == []
    assert home.value("SELECT count(DISTINCT lane) FROM site") == 1
