"""The cost of a second crawl of a web site, and the outcomes of changed pages."""

from __future__ import annotations

from typing import Any

from cormorant.base.clock import SystemClock
from tests.clocks import until
from tests.journeys.conftest import Serve
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.pages import SiteSettings
from tests.journeys.site import Logged, WebSite

PAGES = 60
WROTE_NOTHING = {
    "index_writes": 0, "index_deletes": 0, "index_link_updates": 0, "cache_writes": 0, "new": 0, "changed": 0,
}  # fmt: skip


def crawl_again(crawls: Crawler, home: Home, site: WebSite) -> tuple[dict[str, Any], list[Logged]]:
    """Crawl once more; returns the report, and what the server was asked."""
    since = SystemClock().now()
    report = crawls.crawl(home, "site")
    return report, site.log(since)


def test_nothing_changed(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", site.source)
    first = crawls.crawl(home, "site")
    assert first["requests"] == len(site.log()) == PAGES + 1  # and robots.txt
    assert first["new"] == first["index_writes"] == first["cache_writes"] == PAGES
    assert first["exit"] == 0

    again, asked = crawl_again(crawls, home, site)
    assert again["requests"] == again["requests_conditional"] == again["not_modified"] == PAGES
    assert again["unchanged"] == PAGES
    assert again.items() >= WROTE_NOTHING.items()
    assert sorted(each.path for each in asked) == sorted(f"/p/{number}.html" for number in range(PAGES))
    assert all(each.conditional and each.status == 304 for each in asked)
    assert home.found(site.word(17)) == [[site.url(17)]]


def test_dated_footers_without_validators(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES, validators=False, dated=True))
    home.add_source("web", "site", site.source | {"change_by": ["main"]})
    crawls.crawl(home, "site")
    for _ in range(2):
        again, asked = crawl_again(crawls, home, site)
        assert again["requests"] == again["unchanged"] == len(asked) == PAGES
        assert again["requests_conditional"] == 0
        assert again.items() >= WROTE_NOTHING.items()


def test_pages_that_may_not_be_found_are_asked_for_conditionally_too(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    for number in (7, 8):
        site.edit(number, head='<meta name="robots" content="noindex">')
    home.add_source("web", "site", site.source)
    assert crawls.crawl(home, "site")["non_indexable"] == 2
    again, asked = crawl_again(crawls, home, site)
    assert again["requests"] == again["requests_conditional"] == again["not_modified"] == len(asked) == PAGES
    assert home.found(site.word(7), site.word(9)) == [[], [site.url(9)]]
    site.edit(7)
    assert crawls.crawl(home, "site")["new"] == 1
    assert home.found(site.word(7)) == [[site.url(7)]]


CHANGED, GONE, GONE_FOR_GOOD, MOVED, UNINDEXED, TARGET, NEW = 41, 42, 43, 44, 45, 46, PAGES


def change_everything(site: WebSite) -> None:
    """One page of every fate; all of them lead nowhere, so that nothing else is lost with them."""
    site.edit(CHANGED, text="quite another matter")
    site.edit(GONE, status=404)
    site.edit(GONE_FOR_GOOD, status=410)
    site.edit(MOVED, status=301, location=f"/p/{TARGET}.html")
    site.edit(UNINDEXED, head='<meta name="robots" content="noindex">')
    site.edit(0, links=[NEW])


def test_every_change(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", site.source)
    lines = home.add_receiver("lines", "site")
    crawls.crawl(home, "site")
    change_everything(site)
    again, _ = crawl_again(crawls, home, site)

    assert (again["new"], again["changed"], again["gone"], again["moved"]) == (1, 2, 2, 1)
    assert (again["index_writes"], again["index_deletes"], again["cache_writes"]) == (3, 4, 3)
    assert again["exit"] == 0
    words = [site.word(number) for number in (CHANGED, GONE, GONE_FOR_GOOD, MOVED, UNINDEXED, TARGET, NEW)]
    kept = [[site.url(number)] for number in (CHANGED, TARGET, NEW)]
    assert home.found(*words, "quite another matter") == [kept[0], [], [], [], [], kept[1], kept[2], kept[0]]
    events = [line for line in lines.read_text().splitlines() if '"run":2' in line]
    assert sorted(line.split('"event":"')[1].split('"')[0] for line in events) == ["changed"] * 2 + ["deleted"] * 4 + [
        "new"
    ]
    _assert_rows_go(crawls, home, site)


def _assert_rows_go(crawls: Crawler, home: Home, site: WebSite) -> None:
    """A 410 is forgotten with its run unless something leads there; a 404 after another run; the others come back."""
    for number in (MOVED, UNINDEXED):
        site.edit(number)
    third, asked = crawl_again(crawls, home, site)
    assert third["new"] == 2
    assert home.found(site.word(MOVED), site.word(UNINDEXED)) == [[site.url(MOVED)], [site.url(UNINDEXED)]]
    assert home.found(site.word(GONE), site.word(GONE_FOR_GOOD)) == [[], []]
    assert {each.path for each in asked if each.status in (404, 410)} <= {f"/p/{GONE}.html", f"/p/{GONE_FOR_GOOD}.html"}
    assert home.value("SELECT count(*) FROM hidden") == 0


def test_gone_page_leaves_search_at_once_and_the_store_after_two_runs(
    home: Home, crawls: Crawler, serve: Serve
) -> None:
    site = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", {**site.source, "purge_after_s": 0})
    crawls.crawl(home, "site")
    lonely = PAGES
    site.edit(0, links=[lonely])
    crawls.crawl(home, "site")
    assert home.found(site.word(lonely)) == [[site.url(lonely)]]
    rows = f"SELECT count(*) FROM resource WHERE address = '{site.url(lonely)}'"

    site.edit(0)
    site.edit(lonely, status=404)
    site.edit(1, status=404)
    site.tell(delay_s=0.3)
    crawls.begin(home, "site")
    until(lambda: home.found(site.word(1)) == [[]])
    assert home.value("SELECT state FROM run ORDER BY id DESC LIMIT 1") == "retrieving"
    site.tell(delay_s=0)
    crawls.end()
    assert home.found(site.word(lonely), site.word(1)) == [[], []]
    assert home.value(rows) == 1
    crawls.crawl(home, "site")
    assert home.value(rows) == 0


def test_brake(home: Home, crawls: Crawler, serve: Serve) -> None:
    from cormorant.operate.runs import start

    pages, left = 200, 80
    site = serve(SiteSettings(pages=pages))
    home.add_source("web", "site", site.source)
    crawls.crawl(home, "site")
    for number in range(left, pages):
        site.edit(number, status=404)
    going = [site.word(number) for number in range(left, pages)]
    all_found = [[site.url(number)] for number in range(left, pages)]
    for accept in (False, True):
        held = crawls.crawl(home, "site")
        assert (held["state"], held["exit"], held["index_deletes"]) == ("held", 3, 0)
        assert "120 of 200" in held["reason"]
        assert home.found(*going) == all_found
        with home.house() as house:
            assert len(start.leaving(house, held["run"], 1000)) == pages - left
            start.answer(house, held["run"], accept=accept)
        crawls.begin(home, runs=(held["run"],))
        said = crawls.end()["reports"][0]
        assert said["state"] == "finished"
        assert home.found(*going) == ([[]] * len(going) if accept else all_found)
    assert home.found(site.word(0), site.word(left - 1)) == [[site.url(0)], [site.url(left - 1)]]
