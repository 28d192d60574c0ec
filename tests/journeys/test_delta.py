"""What are receivers told of documents that nothing links to, and by what is a document told to be modified?"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.journeys.crawling import Crawler
from tests.journeys.home import Home, received
from tests.journeys.hosts import Host
from tests.threaded import Said

ALONE = "/alone"


def dated(text: str, date: int) -> Said:
    """A page with a Last-Modified, which does not answer conditional requests."""
    return Said(body=f"<p>{text}", headers={"Last-Modified": f"Mon, {date:02} Nov 2026 00:00:00 GMT"})


def test_of_pages_that_nothing_links_to_receivers_are_told_once(
    home: Home, crawls: Crawler, host: Callable[[], Host]
) -> None:
    town = host()
    town.says = {"/": town.page("/all", ALONE), "/all": town.page("/"), ALONE: Said(body="<p>heron")}
    home.add_source("web", "town", {"start": [town.origin + "/"], "patience_s": 0})
    crawls.crawl(home, "town")
    told = home.add_receiver("told", "town")

    def crawled() -> tuple[list[tuple[str, str]], tuple[int, ...]]:
        """What receivers are told by a crawl, and what it counts."""
        report = crawls.crawl(home, "town")
        events = [(each["event"], each["url"].removeprefix(town.origin)) for each in received(told)]
        counts = tuple(report[name] for name in ("unvisited", "unvisited_changed", "unvisited_deleted", "index_writes"))
        told.write_text("")
        return [each for each in events if each[1] == ALONE], counts

    assert crawled()[1] == (0, 0, 0, 0)
    town.says["/"] = town.page("/all")
    assert crawled() == ([("unvisited", ALONE)], (1, 0, 0, 1)), "the page that linked to it says something else"
    assert crawled() == ([], (1, 0, 0, 0)), "that is known by now"
    town.says[ALONE] = Said(body="<p>heron and egret")
    assert crawled() == ([("changed", ALONE), ("unvisited_changed", ALONE)], (0, 1, 0, 1))
    town.says["/"] = town.page("/all", ALONE)
    events, counts = crawled()
    assert (events, counts[:3]) == ([("changed", ALONE)], (0, 0, 0)), "it is linked again"
    town.says["/"] = town.page("/all")
    crawled()
    del town.says[ALONE]
    assert crawled()[:1] == ([("unvisited_deleted", ALONE)],)
    assert home.found("heron") == [[]]


@pytest.mark.parametrize(
    ("settings", "changes"),
    [
        ({}, (0, 1, 1)),
        ({"modified_by": ["checksum", "date"]}, (1, 1, 1)),
        ({"modified_by": ["checksum", "date"], "modified_when": "all"}, (0, 0, 1)),
        ({"modified_by": ["date"]}, (1, 0, 1)),
    ],
)
def test_a_document_is_modified_by_what_its_source_says(
    file_home: Home, crawls: Crawler, host: Callable[[], Host], settings: dict[str, object], changes: tuple[int, ...]
) -> None:
    """Another date alone, another text alone, then both."""
    town = host()
    town.says = {"/": dated("heron", 1)}
    file_home.add_source("web", "town", {"start": [town.origin + "/"], "patience_s": 0, **settings})
    crawls.crawl(file_home, "town")
    answers = (dated("heron", 2), dated("egret", 2), dated("owl", 3))
    for answer, expected in zip(answers, changes, strict=True):
        town.says["/"] = answer
        report = crawls.crawl(file_home, "town")
        assert (report["changed"], report["unchanged"]) == (expected, 1 - expected), answer
