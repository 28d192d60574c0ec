"""`document recrawl --status` and `--state` revisit failed documents and no others."""

from __future__ import annotations

import pytest

from cormorant.base.clock import SystemClock
from cormorant.operate.documents import listing, recrawl
from cormorant.operate.documents.listing import DocumentFilter
from cormorant.operate.documents.recrawl import RecrawlSelection
from tests.journeys.conftest import Serve
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.pages import SiteSettings, path
from tests.journeys.site import WebSite

PAGES = 40
MISSING, FORBIDDEN, BROKEN = (37, 38), (39,), (35, 36)
FAILED = {404: MISSING, 403: FORBIDDEN, 500: BROKEN}


@pytest.fixture
def site(home: Home, crawls: Crawler, serve: Serve) -> WebSite:
    """A site of which some pages failed in its first crawl, and are well now."""
    site = serve(SiteSettings(pages=PAGES))
    for status, numbers in FAILED.items():
        for number in numbers:
            site.edit(number, status=status)
    home.add_source("web", "site", site.source | {"patience_s": 0})
    report = crawls.crawl(home, "site")
    assert report["new"] == PAGES - sum(map(len, FAILED.values()))
    for numbers in FAILED.values():
        for number in numbers:
            site.edit(number)
    return site


def again(home: Home, crawls: Crawler, site: WebSite, wanted: DocumentFilter) -> list[str]:
    """Have these visited again; returns what the server was asked for then."""
    with home.house() as house:
        chosen = {each["url"] for each in listing.listed(house, wanted)}
        assert recrawl.recrawl(house, RecrawlSelection((), wanted))["documents"] == len(chosen)
    since = SystemClock().now()
    report = crawls.crawl(home, "site", refresh="due")
    assert report["new"] == len(chosen), report
    asked = [each for each in site.log(since) if each.path != "/robots.txt"]
    assert not any(each.conditional for each in asked)
    return sorted(each.path for each in asked)


def paths(site: WebSite, *numbers: int) -> list[str]:
    return sorted(path(site.settings, number) for number in numbers)


def test_what_failed_is_visited_and_nothing_else(home: Home, crawls: Crawler, site: WebSite) -> None:
    assert again(home, crawls, site, DocumentFilter("site", status=404)) == paths(site, *MISSING)
    assert home.found(*map(site.word, MISSING)) == [[site.url(number)] for number in MISSING]
    with home.house() as house:
        failed = {each["url"] for each in listing.listed(house, DocumentFilter("site", state="error"))}
    numbers = [number for number in (*FORBIDDEN, *BROKEN) if site.url(number) in failed]
    assert len(failed) == len(numbers) > 0
    assert again(home, crawls, site, DocumentFilter("site", state="error")) == paths(site, *numbers)
    assert home.found(*map(site.word, numbers)) == [[site.url(number)] for number in numbers]
    assert again(home, crawls, site, DocumentFilter("site", state="error")) == []
