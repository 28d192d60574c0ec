"""A server that answers everything with an error is not asked for every page it has, and is crawled when it is well."""

from __future__ import annotations

from collections.abc import Callable

from cormorant.frontier.policy.host_backoff import CIRCUIT
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.hosts import Host
from tests.threaded import Said

PAGES = [f"/page/{number}" for number in range(60)]
AT_ONCE = 4


def settings(host: Host) -> dict[str, object]:
    return {"start": [host.origin + "/"], "network": ["loopback"], "patience_s": 0, "per_host": AT_ONCE}


def test_a_host_that_fails_for_every_page_is_paused_and_retried_by_the_next_run(
    file_home: Home, crawls: Crawler, host: Callable[[], Host]
) -> None:
    ours = host()
    ours.says = {"/": ours.page(*PAGES)} | {each: Said(500) for each in PAGES}
    file_home.add_source("web", "town", settings(ours))
    report = crawls.crawl(file_home, "town")
    assert CIRCUIT <= len(ours.asked) - 2 < CIRCUIT + AT_ONCE, "beside robots.txt and the start"
    assert (report["new"], report["failed"], report["complete"]) == (1, 0, False)
    assert "has pages that failed (500" in report["reason"]
    asked = {path for path in ours.paths if path in PAGES}
    ours.says |= {each: ours.page() for each in PAGES}
    report = crawls.crawl(file_home, "town")
    assert report["new"] == len(PAGES) - len(asked), "those that were asked for wait for their time"


def test_pages_that_fail_among_others_slow_nothing(file_home: Home, crawls: Crawler, host: Callable[[], Host]) -> None:
    ours = host()
    ours.says = {"/": ours.page(*PAGES)} | {each: ours.page() for each in PAGES}
    ours.says |= {each: Said(500) for each in PAGES[::5]}
    file_home.add_source("web", "town", settings(ours))
    report = crawls.crawl(file_home, "town")
    well = len(PAGES) - len(PAGES[::5])
    assert (report["new"], report["deferred"], len(ours.asked)) == (1 + well, len(PAGES[::5]), 2 + len(PAGES))
