"""A host is visited no faster than it may be, whoever crawls it and whatever is killed. Read from the host's log."""

from __future__ import annotations

import signal
from itertools import pairwise

from cormorant.base.clock import SystemClock, pause
from tests.clocks import HANG_S, around_today, until
from tests.journeys import processes
from tests.journeys.conftest import Serve
from tests.journeys.crawling import Crawler, begin
from tests.journeys.home import Home
from tests.journeys.pacing import Stretch, too_soon
from tests.journeys.pages import SiteSettings
from tests.journeys.site import Logged, WebSite

DELAY_S = 0.2
ANSWER_S = 0.1
PAGES = 9


def hurried(site: WebSite) -> list[Stretch]:
    """Where a site was asked sooner than it may be."""
    log = site.log()
    return too_soon([each.at for each in log], DELAY_S, max(each.late_s for each in log))


def test_a_pace_that_is_not_kept_is_seen() -> None:
    """Also where the machine was late by as much as the delay."""
    assert too_soon((0.0, 0.2, 0.4, 0.6), 0.2) == []
    assert too_soon((0.0, 0.2, 0.35, 0.6), 0.2) != []
    assert too_soon((0.0, 0.25, 0.4, 0.6), 0.2, late_s=0.05) == []
    assert too_soon((0.0, 0.1, 0.2, 0.3), 0.2, late_s=0.2) != [], "two sources, each at a pace of its own"


def test_two_sources_share_the_pace_of_a_host(home: Home, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    for name in ("first", "second"):
        home.add_source("web", name, site.source | {"delay_s": str(DELAY_S)})
    for killed_after in (6, 12, 0):
        with processes.ended(begin(home, "first", "second")) as crawl:
            if killed_after:
                site.wait_for(killed_after)
                tree = processes.below(crawl.pid)
                processes.kill_group(crawl.pid)
                assert not processes.wait_gone(tree, 20)
            assert crawl.wait(HANG_S) == (-signal.SIGKILL if killed_after else 0)
    log = site.log()
    assert {each.path for each in log} == {"/robots.txt", *(f"/p/{number}.html" for number in range(PAGES))}
    assert hurried(site) == []
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
    assert [each.path for each in site.log()].count("/robots.txt") == 2, "once a host, whoever asks"


def test_an_edit_of_the_pace_holds_for_the_run_under_way(home: Home, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    shut = [f"{window} suspend" for window in around_today()]
    home.add_source("web", "first", site.source | {"variable_delay": shut, "time_zone": "UTC"})
    with processes.ended(begin(home, "first")) as crawl:
        until(lambda: home.value("SELECT count(*) FROM run WHERE state = 'retrieving'"))
        pause(1.0)
        assert site.log() == [], "it is suspended"
        home.edit_source("first", {"variable_delay": [], "delay_s": str(DELAY_S)})
        assert crawl.wait(HANG_S) == 0
    log = site.log()
    assert len(log) == PAGES + 1
    assert hurried(site) == []


def at_once(log: list[Logged], answer_s: float) -> int:
    """How often a host was asked while another had yet to answer."""
    return sum(one.host != other.host and other.at - one.at < answer_s for one, other in pairwise(sorted(log)))


def test_hosts_at_once(file_home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=40, delay_s=ANSWER_S, hosts=4))
    for name, limit in (("first", {}), ("second", {"hosts_at_once": "1"})):
        file_home.add_source("web", name, site.source | {"per_host": "2"} | limit)
    crawls.crawl(file_home, "first")
    assert at_once(site.log(), ANSWER_S * 0.8) > 5
    since = SystemClock().now()
    crawls.crawl(file_home, "second")
    log = site.log(since)
    assert len({each.host for each in log}) == 4
    assert at_once(log, ANSWER_S * 0.8) == 0


def test_hosts_at_one_address_share_its_pace(home: Home, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    names = [f"{name}.localhost:{site.port}" for name in ("a", "b", "c")]
    sources = tuple(f"s{number}" for number in range(len(names)))
    for source, name in zip(sources, names, strict=True):
        starts = [f"http://{name}/p/{number}.html" for number in range(5)]
        home.add_source("web", source, {"start": starts, "delay_s": str(DELAY_S), "pace_by": "address"})
    with processes.ended(begin(home, *sources)) as crawl:
        assert crawl.wait(HANG_S) == 0
    log = site.log()
    assert len(log) == len(names) * (5 + 1)
    assert hurried(site) == []
    assert home.value("SELECT count(DISTINCT lane) FROM site") == 1
