"""Large documents do not delay other work of a process, according to the log of hosts with a steady pace."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from pathlib import Path

from cormorant.base.clock import SystemClock, pause
from tests.journeys import processes
from tests.journeys.crawling import begin
from tests.journeys.crowd_site import Crowd, crowd
from tests.journeys.home import Home
from tests.journeys.mapped import mapped, urlset

DELAY_S = 0.1
LASTMOD = "<lastmod>2024-01-01</lastmod>"
CLOCK = SystemClock()
READ = "SELECT count(*) FROM resource WHERE role = 2 AND outcome = 1"
"""How many sitemaps are read to their end."""
STALL_S = 0.25
"""A part of a sitemap takes 0.05 seconds on an idle machine; all of it took 1.5 at once."""


def stall(site: Crowd) -> float:
    """The longest that every host had to wait at once, in seconds: the least that one of them was late."""
    by_host: defaultdict[int, list[float]] = defaultdict(list)
    for each in site.log:
        by_host[each.host].append(each.at)
    first = max(min(each) for each in by_host.values()) + 0.5
    last = min(max(each) for each in by_host.values())
    moments = sorted(at for each in by_host.values() for at in each if first <= at <= last)
    return max(after - before for before, after in pairwise(moments))


def crawl_until_read(home: Home) -> None:
    """Crawl until the sitemap is read to its end, and no further."""
    until = CLOCK.monotonic() + 90
    with processes.ended(begin(home, "site")) as command:
        while not home.value(READ) and CLOCK.monotonic() < until:
            pause(0.05)
        processes.kill_group(command.pid)


def test_a_sitemap_of_fifty_thousand_pages_holds_up_nothing_else(tmp_path: Path) -> None:
    home = Home(tmp_path / "data", retrievers=1)
    with crowd(hosts=5, pages=100, folder=tmp_path) as site, mapped() as large:
        pages = [f"{large.home}p/{number}" for number in range(50_000)]
        large.put("", "<title>home</title>")
        large.put("map.xml", urlset(pages, LASTMOD))
        large.robots("Sitemap: /map.xml")
        settings = {"start": [*site.homes, large.home], "delay_s": str(DELAY_S), "per_host": "1"}
        home.add_source("web", "site", settings)
        crawl_until_read(home)
        assert home.value(READ) == 1, "its visit is over"
        assert home.value("SELECT count(*) FROM resource") > 50_000, "and all of it is known"
    assert stall(site) < STALL_S


def test_a_sitemap_that_was_reported_in_part_is_reread_after_a_kill(home: Home) -> None:
    with mapped() as large:
        large.put("", "<title>home</title>")
        large.put("map.xml", urlset((f"{large.home}p/{number}" for number in range(50_000)), LASTMOD))
        large.robots("Sitemap: /map.xml")
        settings = {"start": [large.home], "delay_s": str(DELAY_S), "per_host": "1"}
        home.add_source("web", "site", settings)
        known = "SELECT count(*) FROM resource"
        until = CLOCK.monotonic() + 60
        with processes.ended(begin(home, "site")) as command:
            while home.value(known) < 4_000 and CLOCK.monotonic() < until:
                pause(0.01)
            tree = processes.below(command.pid)
            processes.kill_group(command.pid)
            assert not processes.wait_gone(tree, 20)
        assert 4_000 <= home.value(known) < 50_000
        assert home.value("SELECT count(*) FROM resource WHERE role = 2 AND outcome = 0") == 1, "its visit is not over"
        crawl_until_read(home)
        assert home.value(READ) == 1
        assert home.value(known) == 50_003, "with its home page, the sitemap and robots.txt"
        assert large.paths().count("/map.xml") == 2
