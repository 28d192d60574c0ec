"""Anchor texts find a document if the reader may read the linking page; unchanged links cost nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cormorant.model.acl import Reader
from cormorant.operate.search import reindex
from cormorant.search.index.query import Everything, Search
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.threaded import Asked, Said, Server, running


class Harbour(Server):
    """A few pages that link to each other; tests change `pages`."""

    def __init__(self) -> None:
        super().__init__(self.say)
        self.pages = {
            "/": '<title>Harbour</title><p><a href="/a">Sailing times</a> <a href="/b" rel="nofollow">cheap pills</a>',
            "/a": '<title>Departures</title><p>quixotic <a href="/b">here</a> <a href="/c">Lighthouse keeper</a>',
            "/b": '<title>Weather</title><p>gales <a href="/">Harbour</a>',
            "/c": "<title>Light</title><p>fog",
        }

    def say(self, asked: Asked) -> Said:
        """Answer with a page."""
        body = self.pages.get(asked.path)
        return Said(200, body) if body else Said(404)


@pytest.fixture
def harbour() -> Iterator[Harbour]:
    with running(Harbour()) as server:
        yield server


@pytest.fixture
def crawled(home: Home, crawls: Crawler, harbour: Harbour) -> Home:
    """An installation that has crawled the harbour once."""
    home.add_source("web", "docs", {"start": [f"{harbour.origin}/"], "delay_s": 0, "sitemaps": "off"})
    report = crawls.crawl(home, "docs")
    assert (report["new"], report["index_writes"]) == (4, 4)
    assert report["index_link_updates"] == 2, "one link that says nothing is worth nothing"
    return home


def held(home: Home) -> dict[str, tuple[tuple[str, ...], float]]:
    """Anchor texts and link score of each document in the index."""
    reader = Reader("all", frozenset(("everyone",)))
    with home.house() as house:
        hits = house.index_reader().search(Search(Everything(), reader, limit=100)).hits
        found = [hit.entry for hit in hits]
    return {each.url.rpartition("/")[2]: (each.anchors, each.link_score) for each in found}


def test_what_others_call_a_document_finds_it(crawled: Home, harbour: Harbour) -> None:
    page = {name: [f"{harbour.origin}/{name}"] for name in "abc"}
    assert crawled.found("link:sailing", "link:lighthouse", "link:here") == [page["a"], page["c"], []]
    assert crawled.found("pills") == [[f"{harbour.origin}/"]], "on the page that says so, and nowhere else"


def test_a_crawl_that_changes_no_link_writes_none(crawled: Home, crawls: Crawler, harbour: Harbour) -> None:
    again = crawls.crawl(crawled, "docs")
    assert (again["index_writes"], again["index_link_updates"], again["unchanged"]) == (0, 0, 4)
    harbour.pages["/c"] = "<title>Light</title><p>mist"
    again = crawls.crawl(crawled, "docs")
    assert (again["index_writes"], again["index_link_updates"], again["changed"]) == (1, 0, 1)


def test_a_link_that_changes_updates_what_it_leads_to_and_nothing_else(
    crawled: Home, crawls: Crawler, harbour: Harbour
) -> None:
    harbour.pages["/"] = harbour.pages["/"].replace("Sailing times", "Ferry timetable")
    again = crawls.crawl(crawled, "docs")
    assert (again["index_writes"], again["index_link_updates"]) == (1, 1)
    assert crawled.found("link:sailing", "link:timetable") == [[], [f"{harbour.origin}/a"]]


def test_a_document_that_is_put_again_keeps_what_links_say_of_it(
    crawled: Home, crawls: Crawler, harbour: Harbour
) -> None:
    before = held(crawled)
    harbour.pages["/a"] = harbour.pages["/a"].replace("quixotic", "sober")
    again = crawls.crawl(crawled, "docs")
    assert (again["index_writes"], again["index_link_updates"]) == (1, 0)
    assert held(crawled) == before
    assert crawled.found("link:sailing", "sober") == [[f"{harbour.origin}/a"]] * 2


def test_a_rebuilt_index_equals_the_one_that_crawling_made(crawled: Home, crawls: Crawler) -> None:
    before = held(crawled)
    assert before["a"][0] == ("Sailing times",)
    with crawled.house() as house:
        reindex.rebuild(house)
    assert held(crawled) == before
