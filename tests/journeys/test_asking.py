"""How a site is asked: under which name, how often, and how much is taken. Read from its own log."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.hosts import Host
from tests.journeys.pacing import too_soon
from tests.threaded import Said

ROBOTS = "User-agent: *\nDisallow: /others\n\nUser-agent: diver\nDisallow: /divers\nCrawl-delay: {delay}\n"
PAGES = ("/others", "/divers", "/all")
DELAY_S = 0.4


@pytest.fixture
def town(host: Callable[[], Host]) -> Host:
    """A home page that leads to three."""
    made = host()
    made.says = {"/": made.page(*PAGES), **{path: Said(body=f"<p>words of {path}") for path in PAGES}}
    made.says["/robots.txt"] = Said(body=ROBOTS.format(delay=DELAY_S), headers={"Content-Type": "text/plain"})
    return made


def add(home: Home, town: Host, **settings: object) -> None:
    home.add_source("web", "town", {"start": [town.origin + "/"], "patience_s": 0, **settings})


@pytest.mark.parametrize(
    ("settings", "agent", "visited"),
    [
        ({}, "cormorant/0.1", {"/divers", "/all"}),
        ({"robots_agent": "diver", "contact": "mailto:a@b.org"}, "diver/0.1 (+mailto:a@b.org)", {"/others", "/all"}),
        ({"robots_agent": "Diver", "user_agent": "Mozilla/5.0"}, "Mozilla/5.0", {"/others", "/all"}),
        ({"robots": "ignore"}, "cormorant/0.1", set(PAGES)),
    ],
)  # fmt: skip
def test_a_source_says_who_it_is_and_obeys_what_is_said_to_that_name(
    file_home: Home, crawls: Crawler, town: Host, settings: dict[str, object], agent: str, visited: set[str]
) -> None:
    add(file_home, town, crawl_delay="ignore", **settings)
    crawls.crawl(file_home, "town")
    assert {each.fields["user-agent"] for each in town.asked} == {agent}
    assert set(town.paths) - {"/", "/robots.txt"} == visited
    for path in set(PAGES) - visited if "robots" not in settings else ():
        said = file_home.explained(town.origin + path)
        assert (said["verdict"], said["status"]) == ("excluded", 970)


@pytest.mark.parametrize(("crawl_delay", "kept"), [("obey", True), ("ignore", False)])
def test_the_delay_that_robots_txt_asks_for(
    file_home: Home, crawls: Crawler, town: Host, crawl_delay: str, kept: bool
) -> None:
    add(file_home, town, robots_agent="diver", crawl_delay=crawl_delay)
    crawls.crawl(file_home, "town")
    moments = [each.at for each in town.asked if each.path != "/robots.txt"]
    assert len(moments) == 3
    assert (too_soon(moments, DELAY_S, town.late_s) == []) == kept


@pytest.mark.parametrize(("tag", "found"), [("diver: noindex", True), ("cormorant: noindex", False), ("none", False)])
def test_a_header_that_speaks_to_one_crawler(home: Home, crawls: Crawler, town: Host, tag: str, found: bool) -> None:
    """And what search found before leaves with the word, and comes back without it."""
    add(home, town)
    crawls.crawl(home, "town")
    words = town.says["/all"]
    town.says["/all"] = words._replace(headers={"X-Robots-Tag": tag})
    crawls.crawl(home, "town")
    assert [town.origin + "/all" in each for each in home.found("words")] == [found]
    assert (home.explained(town.origin + "/all")["status"] == 971) != found
    town.says["/all"] = words
    crawls.crawl(home, "town")
    assert [town.origin + "/all" in each for each in home.found("words")] == [True]


@pytest.mark.parametrize(("too_big", "status"), [("drop", 960), ("cut", 200)])
def test_what_is_too_big_is_left_out_or_cut(
    file_home: Home, crawls: Crawler, town: Host, too_big: str, status: int
) -> None:
    town.says["/all"] = Said(body="<p>firstword " + "and so on " * 5_000 + "lastword")
    add(file_home, town, max_size_bytes=10_000, too_big=too_big)
    crawls.crawl(file_home, "town")
    assert [len(each) for each in file_home.found("firstword", "lastword")] == [too_big == "cut", 0]
    said = file_home.shown(town.origin + "/all")
    assert (said["status"], bool(said["truncated"])) == (status, too_big == "cut")
    assert crawls.crawl(file_home, "town")["index_writes"] == 0


def test_a_page_that_cannot_be_reached_is_counted_and_goes_at_the_fifth_time(
    home: Home, crawls: Crawler, host: Callable[[], Host]
) -> None:
    town, other = host(), host()
    town.says = {"/": town.page("/here", other.origin + "/there"), "/here": Said(body="<p>heron here")}
    other.says = {"/there": Said(body="<p>heron there")}
    add(home, town, include=[f"host:127.0.0.1:{each.port}" for each in (town, other)])
    assert crawls.crawl(home, "town")["new"] == 3
    other.leave()
    for times in range(1, 6):
        report = crawls.crawl(home, "town")
        gone = times == 5
        assert (report["gone"], report["index_deletes"]) == (gone, gone), times
        assert home.explained(other.origin + "/there")["status"] == 1019 + times
        assert [len(each) for each in home.found("heron")] == [2 - gone]


def test_a_page_that_nothing_links_to_any_more_is_kept_and_counted(home: Home, crawls: Crawler, town: Host) -> None:
    add(home, town)
    assert crawls.crawl(home, "town")["unlinked"] == 0
    town.says["/"] = town.page("/all")
    report = crawls.crawl(home, "town")
    assert (report["unlinked"], report["gone"], report["index_deletes"]) == (1, 0, 0)
    assert [town.origin + "/divers" in each for each in home.found("words")] == [True]
