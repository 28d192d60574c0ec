"""Temporary redirects: no host is asked faster than it may be, and none is left alone for what another one says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cormorant.base.clock import SystemClock
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.hosts import Host
from tests.journeys.pacing import too_soon
from tests.threaded import Said

DELAY_S = 0.3
AT_ONCE = 4
A_DAY = {"Retry-After": "86400"}


def to(address: str) -> Said:
    return Said(302, headers={"Location": address})


def settings(host: Host, **given: str) -> dict[str, object]:
    return {"start": [host.origin + "/"], "network": ["loopback"], "patience_s": "0", "delay_s": "0", **given}


@pytest.mark.parametrize("failing", ["robots.txt", "page", "connection"])
def test_a_redirect_to_a_failing_host_does_not_stop_the_crawl_of_its_own(
    home: Home, crawls: Crawler, host: Callable[[], Host], failing: str
) -> None:
    ours, other = host(), host()
    outs, pages = [f"/out/{n}" for n in range(12)], [f"/in/{n}" for n in range(5)]
    ours.says = {"/": ours.page(*outs, "/middle"), "/middle": ours.page(*pages)}
    ours.says |= {each: to(other.origin + each) for each in outs} | {each: ours.page() for each in pages}
    other.says = {each: Said(503, headers=A_DAY) for each in (["/robots.txt"] if failing == "robots.txt" else outs)}
    if failing == "connection":
        other.leave()
    home.add_source("web", "town", settings(ours))
    crawls.crawl(home, "town")
    assert home.value("SELECT count(*) FROM content WHERE indexed") == 2 + len(pages)
    key = ours.origin.removeprefix("http://")
    assert home.value(f"SELECT failures FROM site WHERE key = '{key}'") == 0
    assert home.value(f"SELECT not_before FROM site WHERE key = '{key}'") == 0
    later = home.value("SELECT max(not_before) FROM resource") - SystemClock().now()
    assert later <= 3600
    assert (later > 0) == (failing != "connection")
    assert len(other.asked) <= 1 + AT_ONCE, "it asked to be left alone"


@pytest.mark.parametrize("per_host", [1, AT_ONCE])
def test_hops_keep_the_pace_of_every_host(
    file_home: Home, crawls: Crawler, host: Callable[[], Host], per_host: int
) -> None:
    ours, other = host(), host()
    ours.says = {"/": ours.page("/0", "/b/0", "/out", "/last"), "/9": ours.page(), "/last": ours.page()}
    ours.says |= {f"/{n}": to(f"{ours.origin}/{n + 1}") for n in range(9)}
    ours.says |= {"/b/0": to(ours.origin + "/b/1"), "/b/1": ours.page(), "/out": to(other.origin + "/in")}
    other.says = {"/in": to(other.origin + "/in/2"), "/in/2": other.page()}
    file_home.add_source("web", "town", settings(ours, delay_s=str(DELAY_S), per_host=str(per_host)))
    crawls.crawl(file_home, "town")
    assert other.paths == ["/robots.txt", "/in", "/in/2"]
    assert sorted(ours.paths) == sorted(
        ["/robots.txt", "/", *(f"/{n}" for n in range(10)), "/b/0", "/b/1", "/out", "/last"]
    )
    for each in (ours, other):
        assert too_soon([asked.at for asked in each.asked], DELAY_S, each.late_s) == []


@pytest.mark.parametrize("leased", [False, True], ids=["of nobody", "of a third source"])
def test_hops_of_several_sources_share_the_pace_and_the_robots_txt_of_the_host_they_lead_to(
    home: Home, crawls: Crawler, host: Callable[[], Host], leased: bool
) -> None:
    other, names, outs = host(), ["one", "two"], [f"/out/{n}" for n in range(4)]
    other.says = {"/robots.txt": Said(body=f"User-agent: *\nCrawl-delay: {DELAY_S}\n"), "/": other.page("/own")}
    other.says |= {f"/in/{name}{out}": other.page() for name in names for out in outs} | {"/own": other.page()}
    for name in names:
        ours = host()
        ours.says = {"/": ours.page(*outs)} | {out: to(f"{other.origin}/in/{name}{out}") for out in outs}
        home.add_source("web", name, settings(ours, delay_s=str(DELAY_S)))
    if leased:
        home.add_source("web", "third", settings(other))
    crawls.crawl(home, *names, *(["third"] if leased else []))
    assert other.paths.count("/robots.txt") == 1 or leased, "for the whole installation"
    assert home.value("SELECT count(*) FROM content WHERE indexed") == 2 + len(names) * len(outs) + 2 * leased
    key = other.origin.removeprefix("http://")
    recorded = home.value(f"SELECT sum(requests) FROM site_hour JOIN site ON id = site_id WHERE key = '{key}'")
    assert recorded == len(other.asked), "the ledger has them all"
    if not leased:
        assert too_soon([asked.at for asked in other.asked], DELAY_S, other.late_s) == []
    before = other.paths.count("/robots.txt")
    crawls.crawl(home, *names)
    assert other.paths.count("/robots.txt") == before, "it is known for a day"
