"""Effects of server errors on indexed documents, by the settings of a source; and false 304s."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from tests.journeys.conftest import Serve
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.pages import SiteSettings
from tests.journeys.site import WebSite

PAGES = 30


def crawled(home: Home, crawls: Crawler, serve: Serve, **settings: object) -> WebSite:
    """A site that was crawled once."""
    site = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", site.source | settings)
    assert crawls.crawl(home, "site")["new"] == PAGES
    return site


def is_found(home: Home, site: WebSite, number: int) -> bool:
    return home.found(site.word(number)) == [[site.url(number)]]


def test_a_forbidden_page_stays_unless_the_policy_says_otherwise(
    file_home: Home, crawls: Crawler, serve: Serve
) -> None:
    site = crawled(file_home, crawls, serve, error_policy=["403 delete_after 2", "401 delete"])
    site.edit(PAGES - 1, status=403)
    site.edit(PAGES - 2, status=401)
    first = crawls.crawl(file_home, "site")
    assert (first["failed"], first["gone"], first["exit"]) == (1, 1, 3)
    assert is_found(file_home, site, PAGES - 1)
    assert not is_found(file_home, site, PAGES - 2)
    assert "error_policy: 401 delete" in file_home.explained(site.url(PAGES - 2))["because"]
    second = crawls.crawl(file_home, "site")
    assert (second["gone"], second["failed"]) == (2, 0)
    assert not is_found(file_home, site, PAGES - 1)
    site.edit(PAGES - 1)
    crawls.crawl(file_home, "site")
    assert is_found(file_home, site, PAGES - 1)


def test_by_default_401_and_403_take_a_document_away_in_the_third_crawl(
    file_home: Home, crawls: Crawler, serve: Serve
) -> None:
    site = crawled(file_home, crawls, serve)
    site.edit(PAGES - 1, status=403)
    for _ in range(2):
        report = crawls.crawl(file_home, "site")
        assert (report["failed"], report["gone"], report["index_deletes"]) == (1, 0, 0)
        assert is_found(file_home, site, PAGES - 1)
    report = crawls.crawl(file_home, "site")
    assert (report["failed"], report["gone"], report["index_deletes"]) == (0, 1, 1)
    assert not is_found(file_home, site, PAGES - 1)


def test_a_missing_page_may_be_kept(file_home: Home, crawls: Crawler, serve: Serve) -> None:
    site = crawled(file_home, crawls, serve, error_policy=["404 keep"])
    site.edit(PAGES - 1, status=404)
    report = crawls.crawl(file_home, "site")
    assert (report["failed"], report["gone"], report["index_deletes"]) == (1, 0, 0)
    assert is_found(file_home, site, PAGES - 1)


def test_no_policy_passes_the_brake(file_home: Home, crawls: Crawler, serve: Serve) -> None:
    site = crawled(file_home, crawls, serve, error_policy=["4xx delete"])
    for number in range(PAGES):
        site.edit(number, status=403)
    report = crawls.crawl(file_home, "site")
    assert (report["state"], report["index_deletes"], report["exit"]) == ("held", 0, 3)
    assert is_found(file_home, site, 7)


def test_a_server_error_that_is_kept_is_not_tried_again(file_home: Home, crawls: Crawler, serve: Serve) -> None:
    site = crawled(file_home, crawls, serve, error_policy=["500 keep"])
    site.edit(PAGES - 1, status=500)
    asked = len(site.log())
    report = crawls.crawl(file_home, "site")
    assert (report["failed"], report["deferred"]) == (1, 0)
    path = urlsplit(site.url(PAGES - 1)).path
    assert [each.path for each in site.log()[asked:]].count(path) == 1
    assert is_found(file_home, site, PAGES - 1)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_304_that_is_not_true_is_found_by_an_audit(
    file_home: Home, crawls: Crawler, serve: Serve, share: float
) -> None:
    site = crawled(file_home, crawls, serve, hash_audit=share)
    site.edit(PAGES - 1, text="quixotic", confirms=True)
    report = crawls.crawl(file_home, "site")
    audits, wrong = (PAGES, 1) if share else (0, 0)
    assert (report["requests_audit"], report["confirmed_wrongly"], report["changed"]) == (audits, wrong, wrong)
    assert (report["requests"], report["requests_conditional"]) == (PAGES + audits, PAGES)
    assert bool(file_home.found("quixotic")[0]) == bool(share)
    if share:
        visits = file_home.explained(site.url(PAGES - 1))["visits"]
        assert (
            visits[-1]["reason"] == "The server had answered 304 although the page had changed: a hash audit found it."
        )
        again = crawls.crawl(file_home, "site")
        assert (again["requests_conditional"], again["changed"]) == (PAGES - 1, 0), "its validators are not sent again"
