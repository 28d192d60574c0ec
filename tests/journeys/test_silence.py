"""A server that is down while it is crawled, for good or for a while, costs no document, and the run not long."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cormorant.base.clock import pause
from cormorant.frontier.policy.host_errors import HoldReason
from tests.journeys.conftest import Serve
from tests.journeys.crawling import Crawler, crawler
from tests.journeys.home import Home
from tests.journeys.pages import SiteSettings
from tests.journeys.site import WebSite

PAGES = 60
REST_S = 2.0


@pytest.fixture(scope="module")
def brisk() -> Iterator[Crawler]:
    """A process that crawls, and asks a server that does not answer again after two seconds, four, eight."""
    with crawler(rest_s=REST_S) as process:
        yield process


def everything_is_found(home: Home, site: WebSite) -> bool:
    return home.found(*map(site.word, range(PAGES))) == [[site.url(number)] for number in range(PAGES)]


def test_a_dead_server_ends_the_run_within_its_patience_and_nothing_is_lost(
    file_home: Home, brisk: Crawler, serve: Serve
) -> None:
    site, patience_s = serve(SiteSettings(pages=PAGES)), 10.0
    file_home.add_source("web", "site", site.source | {"patience_s": patience_s})
    assert brisk.crawl(file_home, "site")["new"] == PAGES
    site.tell(down=True)
    dead = brisk.crawl(file_home, "site")
    assert dead["seconds"] < 14.0, "asked again after two and after six seconds, and not after fourteen"
    assert (dead["state"], dead["complete"], dead["exit"]) == ("finished", False, 6)
    host = site.url(0).split("/")[2]
    assert dead["reason"].startswith(f"{host} does not answer (connection refused); ")
    assert dead["bottleneck"] == HoldReason.SILENT
    assert (dead["failed"] + dead["deferred"], dead["failed"]) == (PAGES, dead["unanswered"])
    assert (dead["gone"], dead["index_deletes"]) == (0, 0)
    assert everything_is_found(file_home, site)
    site.tell(down=False)
    after = brisk.crawl(file_home, "site")
    assert (after["complete"], after["unchanged"], after["exit"]) == (True, PAGES, 0)


def test_a_server_that_is_restarted_meanwhile_is_crawled_to_its_end(
    file_home: Home, brisk: Crawler, serve: Serve
) -> None:
    site = serve(SiteSettings(pages=PAGES, delay_s=0.1))
    file_home.add_source("web", "site", site.source)
    brisk.begin(file_home, "site")
    site.wait_for(PAGES // 3)
    site.tell(down=True)
    pause(2 * REST_S)
    site.tell(down=False)
    said = brisk.end()
    (report,) = said["reports"]
    assert (report["state"], report["complete"], report["reason"]) == ("finished", True, None)
    assert everything_is_found(file_home, site)
    figures = [report[name] for name in ("fetched", "new", "failed", "unanswered", "fetch_failures")]
    assert (figures, said["exit"]) == ([PAGES, PAGES, 0, 0, 0], 0)


def test_the_others_are_crawled_while_one_is_dead(file_home: Home, brisk: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES, hosts=2))
    dead = [f"http://127.0.0.3:{site.port}/{number}" for number in range(20)]
    file_home.add_source("web", "site", {
        "start": [site.url(0), *dead], "include": [f"host:127.0.0.{number}:{site.port}" for number in (1, 2, 3)],
        "patience_s": 0,
    })  # fmt: skip
    report = brisk.crawl(file_home, "site")
    assert (report["new"], report["complete"]) == (PAGES, False)
    assert report["reason"].startswith(f"127.0.0.3:{site.port} does not answer (connection refused); ")
    assert everything_is_found(file_home, site)
