"""The visits of a crawl that is limited to due or to new addresses."""

from __future__ import annotations

from pathlib import Path

from cormorant.base.clock import SystemClock
from tests.journeys.conftest import Serve
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.pages import SiteSettings
from tests.journeys.site import WebSite

PAGES, A_RUN, NEW = 12, 5, 12


def left_over(home: Home, crawls: Crawler, site: WebSite) -> set[str]:
    """Crawl all of a site, then a part of it, on which a new page is met; returns the known ones it left."""
    home.add_source("web", "site", site.source)
    crawls.crawl(home, "site")
    site.edit(0, links=[NEW])
    home.edit_source("site", {"max_documents": A_RUN})
    since = SystemClock().now()
    part = crawls.crawl(home, "site")
    assert (part["fetched"], part["complete"]) == (A_RUN, False)
    asked = {each.path for each in site.log(since)}
    assert "/p/0.html" in asked
    assert f"/p/{NEW}.html" not in asked
    home.edit_source("site", {"max_documents": 100})
    return {f"/p/{number}.html" for number in range(PAGES)} - asked


def test_of_a_site_what_is_new_then_what_is_due(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    known = left_over(home, crawls, site)
    assert len(known) == PAGES - A_RUN
    for refresh, expected in (
        ("append", {f"/p/{NEW}.html"}), ("append", set()), ("due", known), ("due", set()), ("append", set())
    ):  # fmt: skip
        since = SystemClock().now()
        report = crawls.crawl(home, "site", refresh=refresh)
        assert {each.path for each in site.log(since)} == expected, refresh
        assert (report["state"], report["complete"], report["exit"]) == ("finished", True, 0)
        assert report["fetched"] == len(expected)
    assert home.found(site.word(NEW)) == [[site.url(NEW)]]


def test_of_a_site_all_that_is_due_with_what_is_new(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    known = left_over(home, crawls, site)
    since = SystemClock().now()
    crawls.crawl(home, "site", refresh="due")
    assert {each.path for each in site.log(since)} == known | {f"/p/{NEW}.html"}


def test_what_is_new_to_a_source_that_was_never_crawled_is_all_of_it(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", site.source)
    assert crawls.crawl(home, "site", refresh="append")["new"] == PAGES


def test_what_an_earlier_run_put_off_is_not_new(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", site.source | {"patience_s": 0})
    crawls.crawl(home, "site")
    site.edit(0, links=[NEW])
    site.edit(NEW, status=503)
    assert crawls.crawl(home, "site")["deferred"] == 1
    since = SystemClock().now()
    report = crawls.crawl(home, "site", refresh="append")
    assert (site.log(since), report["complete"], report["deferred"]) == ([], True, 0)


def test_of_a_folder_what_is_new_then_what_is_due(home: Home, crawls: Crawler, tmp_path: Path) -> None:
    folder = tmp_path / "share"
    folder.mkdir()
    for name in ("one", "two", "three"):
        (folder / f"{name}.txt").write_text(f"{name}word\n")
    home.add_source("files", "share", {"path": str(folder)})
    crawls.crawl(home, "share")
    (folder / "two.txt").write_text("twoword and secondword\n")
    (folder / "four.txt").write_text("fourword\n")

    new = crawls.crawl(home, "share", refresh="append")
    assert (new["fetched"], new["new"], new["changed"], new["unchanged"], new["index_deletes"]) == (1, 1, 0, 2, 0)
    assert [bool(each) for each in home.found("fourword", "secondword", "threeword")] == [True, False, True]

    due = crawls.crawl(home, "share", refresh="due")
    assert (due["fetched"], due["new"], due["changed"], due["unchanged"]) == (1, 0, 1, 3)
    assert [bool(each) for each in home.found("fourword", "secondword", "threeword")] == [True, True, True]
