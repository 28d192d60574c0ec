"""Documents that nothing links to any more are deleted after some runs, if their source says so."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from cormorant.base.errors import BadSetting
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.hosts import Host
from tests.threaded import Said

MANY = tuple(f"/{number}" for number in range(12))
"""So many that one that goes is below the brake."""
LOST = "/lost"


@pytest.fixture
def town(host: Callable[[], Host]) -> Host:
    """A home page that leads to many, and to one more."""
    made = host()
    made.says = {path: Said(body=f"<p>words of {path}") for path in (*MANY, LOST)}
    lead(made, *MANY, LOST)
    return made


def lead(town: Host, *paths: str) -> None:
    """Have the home page lead there alone."""
    town.says["/"] = town.page(*paths)


def add(home: Home, town: Host, **settings: object) -> None:
    home.add_source("web", "town", {"start": [town.origin + "/"], "patience_s": 0, **settings})


def found(home: Home, town: Host) -> bool:
    return town.origin + LOST in home.found("words")[0]


def test_it_goes_after_as_many_whole_runs_as_the_source_says(home: Home, crawls: Crawler, town: Host) -> None:
    add(home, town, orphans="delete_after:3")
    lines = home.add_receiver("lines", "town")
    crawls.crawl(home, "town")
    lead(town, *MANY)
    for times in (1, 2):
        report = crawls.crawl(home, "town")
        assert (report["unlinked"], report["index_deletes"]) == (1, 0), times
    crawls.crawl(home, "town", refresh="due")
    assert found(home, town), "a run that does not visit everything is not one of them"
    report = crawls.crawl(home, "town")
    assert (report["unvisited_deleted"], report["index_deletes"]) == (1, 1)
    assert not found(home, town)
    assert '"unvisited_deleted"' in lines.read_text()
    lead(town, *MANY, LOST)
    assert crawls.crawl(home, "town")["new"] == 1
    assert found(home, town), "what is linked again is found again"


def test_a_page_that_is_linked_meanwhile_starts_its_count_again(home: Home, crawls: Crawler, town: Host) -> None:
    add(home, town, orphans="delete_after:2")
    crawls.crawl(home, "town")
    for paths in (MANY, (*MANY, LOST), MANY):
        lead(town, *paths)
        assert crawls.crawl(home, "town")["index_deletes"] == 0
    assert crawls.crawl(home, "town")["index_deletes"] == 1
    assert not found(home, town)


def test_a_source_that_says_nothing_keeps_them(file_home: Home, crawls: Crawler, town: Host) -> None:
    add(file_home, town)
    crawls.crawl(file_home, "town")
    lead(town, *MANY)
    for _ in range(3):
        assert crawls.crawl(file_home, "town")["unlinked"] == 1
    assert found(file_home, town)


def test_many_at_once_are_held_by_the_brake(file_home: Home, crawls: Crawler, town: Host) -> None:
    town.says |= {f"/much{number}": Said(body=f"<p>words {number}") for number in range(60)}
    lead(town, *MANY, *(f"/much{number}" for number in range(60)))
    add(file_home, town, orphans="delete_after:1")
    crawls.crawl(file_home, "town")
    lead(town, *MANY)
    report = crawls.crawl(file_home, "town")
    assert (report["state"], report["index_deletes"]) == ("held", 0)
    assert "60 of 73 documents would leave the index" in report["reason"]
    assert len(file_home.found("words")[0]) == 73


@pytest.mark.parametrize("refresh", ["all", "scratch"])
def test_what_a_sitemap_names_is_no_orphan(file_home: Home, crawls: Crawler, town: Host, refresh: str) -> None:
    map_ = f"<urlset><url><loc>{town.origin}{LOST}</loc></url></urlset>"
    town.says["/map.xml"] = Said(body=map_, headers={"Content-Type": "application/xml"})
    add(file_home, town, orphans="delete_after:1")
    crawls.crawl(file_home, "town")
    file_home.edit_source("town", {"sitemaps": [town.origin + "/map.xml"]})
    crawls.crawl(file_home, "town")
    lead(town, *MANY)
    report = crawls.crawl(file_home, "town", refresh=refresh)
    assert (report["unlinked"], report["index_deletes"]) == (0, 0)
    assert found(file_home, town)


@pytest.mark.parametrize("refresh", ["all", "scratch"])
def test_nor_is_what_the_sitemap_of_another_site_names(
    file_home: Home, crawls: Crawler, town: Host, host: Callable[[], Host], refresh: str
) -> None:
    elsewhere = host()
    map_ = f"<urlset><url><loc>{town.origin}{LOST}</loc></url></urlset>"
    elsewhere.says = {"/map.xml": Said(body=map_, headers={"Content-Type": "application/xml"})}
    add(file_home, town, orphans="delete_after:1")
    crawls.crawl(file_home, "town")
    file_home.edit_source("town", {"sitemaps": [elsewhere.origin + "/map.xml"]})
    crawls.crawl(file_home, "town")
    lead(town, *MANY)
    report = crawls.crawl(file_home, "town", refresh=refresh)
    assert (report["unlinked"], report["index_deletes"]) == (0, 0)
    assert found(file_home, town)


@pytest.mark.parametrize("says", [f"<link rel=canonical href={LOST}><p>words", f"<p>words <a href={LOST}>here</a>"])
def test_a_page_that_only_itself_leads_to_is_one(file_home: Home, crawls: Crawler, town: Host, says: str) -> None:
    town.says[LOST] = Said(body=says)
    add(file_home, town, orphans="delete_after:1")
    crawls.crawl(file_home, "town")
    lead(town, *MANY)
    report = crawls.crawl(file_home, "town")
    assert (report["unvisited_deleted"], report["index_deletes"]) == (1, 1)
    assert not found(file_home, town)
    lead(town, *MANY, LOST)
    assert crawls.crawl(file_home, "town")["new"] == 1, "what is linked again is found again"


def test_what_another_page_calls_its_original_is_no_orphan(file_home: Home, crawls: Crawler, town: Host) -> None:
    head = f'<link rel=canonical href="{town.origin}{LOST}">'
    town.says["/copy"] = Said(body=f"<html><head>{head}</head><body><p>words of {LOST}")
    lead(town, *MANY, LOST, "/copy")
    add(file_home, town, orphans="delete_after:1")
    for _ in range(2):
        crawls.crawl(file_home, "town")
    lead(town, *MANY, "/copy")
    report = crawls.crawl(file_home, "town")
    assert (report["unlinked"], report["index_deletes"]) == (0, 0)
    assert found(file_home, town)


def test_a_run_that_is_cut_short_deletes_nothing(file_home: Home, crawls: Crawler, town: Host) -> None:
    add(file_home, town, orphans="delete_after:1")
    crawls.crawl(file_home, "town")
    lead(town, *MANY)
    file_home.edit_source("town", {"max_documents": 5})
    assert crawls.crawl(file_home, "town")["index_deletes"] == 0
    assert found(file_home, town)


@pytest.mark.parametrize("said", ["delete", "delete_after:0", "delete_after:1000", "delete_after"])
def test_what_can_be_said(file_home: Home, town: Host, said: str) -> None:
    with pytest.raises(BadSetting, match="keep, or delete_after:N"):
        add(file_home, town, orphans=said)


def test_a_source_says_what_is_visited_of_what_is_known(file_home: Home, crawls: Crawler, town: Host) -> None:
    add(file_home, town, refresh="append")
    crawls.crawl(file_home, "town")
    assert crawls.crawl(file_home, "town")["fetched"] == 0
    assert crawls.crawl(file_home, "town", refresh="all")["fetched"] == len(MANY) + 2


def moved(town: Host, *paths: str) -> None:
    """Have each of these lead to the next by a redirect."""
    for path, to in pairwise(paths):
        town.says[path] = Said(301, headers={"Location": town.origin + to})


def ways(home: Home, town: Host) -> set[tuple[str, str]]:
    return {
        (each["how"], (each["from"] or "").removeprefix(town.origin))
        for each in home.explained(town.origin + LOST)["paths"]
    }


def test_a_redirect_leads_somewhere_as_long_as_it_is_known(home: Home, crawls: Crawler, town: Host) -> None:
    moved(town, "/old", "/older", LOST)
    lead(town, *MANY, "/old")
    add(home, town, orphans="delete_after:1")
    for refresh in ("all", "all", "scratch"):
        assert crawls.crawl(home, "town", refresh=refresh)["unlinked"] == 0
    assert ways(home, town) == {("redirect", "/older")}
    lead(town, *MANY)
    report = crawls.crawl(home, "town")
    assert (report["unlinked"], report["index_deletes"]) == (0, 0), "it is asked in every run, and leads there"
    town.says["/older"] = Said(404)
    report = crawls.crawl(home, "town")
    assert (report["unvisited_deleted"], report["index_deletes"]) == (1, 1), "it no longer does"
    assert not found(home, town)


def test_a_crawl_from_scratch_forgets_what_a_redirect_without_a_link_had_led_to(
    home: Home, crawls: Crawler, town: Host
) -> None:
    moved(town, "/old", "/older", LOST)
    lead(town, *MANY, "/old")
    add(home, town)
    crawls.crawl(home, "town")
    lead(town, *MANY)
    report = crawls.crawl(home, "town", refresh="scratch")
    assert (report["unvisited_deleted"], report["index_deletes"]) == (1, 1)
    assert not found(home, town)
    assert home.value("SELECT count(*) FROM resource WHERE role = 0") == len(MANY) + 1
    report = crawls.crawl(home, "town")
    assert (report["new"], report["unlinked"]) == (0, 0)


@pytest.mark.parametrize("status", [404, 410])
def test_what_is_gone_behind_a_redirect_stays_known_and_is_explained(
    home: Home, crawls: Crawler, town: Host, status: int
) -> None:
    moved(town, "/old", LOST)
    lead(town, *MANY, "/old")
    town.says[LOST] = Said(status)
    add(home, town, purge_after_s=0)
    for first in (True, False, False):
        report = crawls.crawl(home, "town")
        assert (report["gone"], bool(report["discovered"])) == (1, first), "it is not found again"
    said = home.explained(town.origin + LOST)
    assert (said["verdict"], ways(home, town)) == ("gone", {("redirect", "/old")})
    town.says["/old"] = town.page()
    for _ in range(2):
        crawls.crawl(home, "town")
    assert home.explained(town.origin + LOST)["verdict"] == "unknown", "nothing leads to it any more"
