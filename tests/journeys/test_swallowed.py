"""Pages that lie about being pages: one text on a whole site, login pages, missing pages with status 200."""

from __future__ import annotations

from typing import Any

import pytest

from cormorant.operate import crawl, problems
from tests.journeys.conftest import Serve
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home, received
from tests.journeys.pages import SiteSettings
from tests.journeys.site import WebSite

PAGES = 20
DOWN = (
    "<title>Maintenance</title><h1>Back soon</h1><p>We are improving hibiscus for you. "
    "Asked for {path}, at 12:0{path}.</p>"
)


def shut(site: WebSite, numbers: range) -> None:
    """Have these pages answer with the maintenance page."""
    for number in numbers:
        site.edit(number, whole=DOWN)


def reopen(site: WebSite, numbers: range) -> None:
    for number in numbers:
        site.edit(number)


def words(site: WebSite, numbers: range) -> tuple[list[str], list[list[str]]]:
    """The words of pages, and where they are to be found."""
    return [site.word(number) for number in numbers], [[site.url(number)] for number in numbers]


def answered(home: Home, crawls: Crawler, run: int, *, accept: bool) -> dict[str, Any]:
    """Answer a held run, and see it to its end."""
    with home.house() as house:
        crawl.answer(house, run, accept=accept)
    crawls.begin(home, runs=(run,))
    report: dict[str, Any] = crawls.end()["reports"][0]
    return report


def test_a_site_under_maintenance_keeps_what_it_said(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", site.source)
    lines = home.add_receiver("lines", "site")
    crawls.crawl(home, "site")
    links = home.value("SELECT sum(count) FROM inlinks")
    shut(site, range(1, PAGES))
    asked, found = words(site, range(PAGES))
    for _ in range(2):
        held = crawls.crawl(home, "site")
        assert (held["state"], held["exit"], held["held"], held["changed"]) == ("held", 3, PAGES - 1, 0)
        assert f"{PAGES - 1} of {PAGES} documents would all say the same now: 'Maintenance'" in held["reason"]
        assert home.found(*asked, "hibiscus") == [*found, []]
        assert answered(home, crawls, held["run"], accept=False)["state"] == "finished"
        assert home.found(*asked, "hibiscus") == [*found, []]
        assert home.value("SELECT sum(count) FROM inlinks") == links
    assert home.value("SELECT count(*) FROM version") == 0

    reopen(site, range(PAGES))
    again = crawls.crawl(home, "site")
    assert (again["state"], again["exit"], again["held"], again["changed"]) == ("finished", 0, 0, 0)
    assert home.found(*asked, "hibiscus") == [*found, []]
    told = [each for each in received(lines) if each["run"] == held["run"]]
    assert all("hibiscus" not in each["text"] for each in told if each["event"] == "changed")


def test_who_accepts_gets_the_one_text(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", site.source)
    crawls.crawl(home, "site")
    shut(site, range(1, PAGES))
    held = crawls.crawl(home, "site")
    assert answered(home, crawls, held["run"], accept=True)["state"] == "finished"
    asked, _ = words(site, range(1, PAGES))
    assert home.found(*asked) == [[]] * (PAGES - 1)
    assert len(home.found("hibiscus")[0]) == PAGES - 1
    again = crawls.crawl(home, "site")
    assert (again["state"], again["exit"], again["requests"]) == ("finished", 0, PAGES)
    assert again["not_modified"] == PAGES
