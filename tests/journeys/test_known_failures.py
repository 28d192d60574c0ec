"""A document that fails every night as it did the night before is no news; one that fails now is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cormorant.cli.display import report as of_reports
from cormorant.operate.documents import listing
from cormorant.operate.documents.listing import DocumentFilter
from cormorant.operate.runs import start
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.hosts import Host
from tests.threaded import Said

PDF = {"Content-Type": "application/pdf"}
BROKEN = Said(body=b"%PDF-1.7 and no more", headers=PDF)


@pytest.fixture
def town(host: Callable[[], Host]) -> Host:
    made = host()
    made.says = {
        "/": made.page("/broken.pdf", "/late", "/1"),
        "/broken.pdf": BROKEN,
        "/late": Said(500),
        "/1": made.page(),
    }
    return made


def add(home: Home, town: Host, **settings: object) -> None:
    home.add_source("web", "town", {"start": [town.origin + "/"], "patience_s": 0, **settings})


def nights(home: Home, crawls: Crawler) -> tuple[int, int, int, list[str]]:
    """How a crawl ends: its exit code, how many fail, how many of them as before, and which are named."""
    report = crawls.crawl(home, "town", refresh="all")
    with home.house() as house:
        shown: Any = start.shown(house, report["run"])
        code = start.exit_code(house, [report["run"]])
        said = "\n".join(of_reports.lines(shown))
        listed = [each["url"] for each in listing.listed(house, DocumentFilter(source="town", state="error"))]
    named = [each["address"].rpartition("/")[2] for each in shown["problems"] if each["kind"] == "document"]
    if report["failed_as_before"]:
        assert f"{report['failed_as_before']} document" in said
        assert "cormorant document list --source town --state error" in said
        assert len(listed) >= report["failed_as_before"]
    return code, report["failed"] + report["deferred"], report["failed_as_before"], sorted(named)


def test_what_fails_as_before_is_counted_and_ends_no_crawl_with_3(home: Home, crawls: Crawler, town: Host) -> None:
    add(home, town)
    assert nights(home, crawls) == (3, 2, 0, ["broken.pdf", "late"])
    for _ in range(2):
        assert nights(home, crawls) == (0, 2, 2, [])
    town.says["/1"] = BROKEN
    assert nights(home, crawls) == (3, 3, 2, ["1"]), "a new failure"
    town.says["/1"] = Said(403)
    assert nights(home, crawls) == (3, 3, 2, ["1"]), "it fails otherwise"
    town.says |= {"/broken.pdf": town.page(), "/1": town.page()}
    assert nights(home, crawls) == (0, 1, 1, [])
    town.says["/broken.pdf"] = BROKEN
    assert nights(home, crawls) == (3, 2, 1, ["broken.pdf"]), "it was well in between"


def test_a_source_may_report_known_failures_every_time(file_home: Home, crawls: Crawler, town: Host) -> None:
    add(file_home, town, known_failures="report")
    for before, named in ((0, ["broken.pdf", "late"]), (2, ["broken.pdf"])):  # the other one waits
        assert nights(file_home, crawls) == (3, 2, before, named)
    file_home.edit_source("town", {"known_failures": "ignore"})
    assert nights(file_home, crawls) == (0, 2, 2, [])


def test_start_addresses_that_fail_are_always_reported(file_home: Home, crawls: Crawler, town: Host) -> None:
    add(file_home, town, start=[town.origin + "/", town.origin + "/late"])
    for before in (0, 1):
        assert nights(file_home, crawls)[:3] == (3, 2, before)
