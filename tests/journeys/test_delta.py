"""Events that receivers get for unlinked documents, and the conditions under which a document counts as changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.journeys.crawling import Crawler
from tests.journeys.home import Home, received
from tests.journeys.hosts import Host
from tests.threaded import Said

ALONE = "/alone"


def dated(text: str, date: int) -> Said:
    """A page with a Last-Modified, which does not answer conditional requests."""
    return Said(body=f"<p>{text}", headers={"Last-Modified": f"Mon, {date:02} Nov 2026 00:00:00 GMT"})


def test_receivers_get_an_unlinked_page_once(home: Home, crawls: Crawler, host: Callable[[], Host]) -> None:
    town = host()
    town.says = {"/": town.page("/all", ALONE), "/all": town.page("/"), ALONE: Said(body="<p>heron")}
    home.add_source("web", "town", {"start": [town.origin + "/"], "patience_s": 0})
    crawls.crawl(home, "town")
    lines = home.add_receiver("lines", "town")

    def crawled() -> tuple[list[tuple[str, str]], tuple[int, ...]]:
        """The events of a crawl, and its counters."""
        report = crawls.crawl(home, "town")
        events = [(each["event"], each["url"].removeprefix(town.origin)) for each in received(lines)]
        counts = tuple(report[name] for name in ("unvisited", "unvisited_changed", "unvisited_deleted", "index_writes"))
        lines.write_text("")
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


def delivered(
    home: Home, crawls: Crawler, lines: Path, source: str
) -> tuple[list[tuple[str, str, str | None]], dict[str, int]]:
    """The events of a crawl (event, name and title), and the counters of its report."""
    report = crawls.crawl(home, source)
    events = [
        (each["event"], Path(each["url"]).name, (each["document"] or {}).get("title")) for each in received(lines)
    ]
    lines.write_text("")
    return events, {name: report[name] for name in ("new", "changed", "unchanged", "gone", "moved") if report[name]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of three files."""
    made = tmp_path / "papers"
    made.mkdir()
    for number in (1, 2, 3):
        (made / f"d{number}.txt").write_text(f"Heron {number}.\n")
        (made / f"d{number}.txt").chmod(0o644)
    return made


def test_who_may_read_a_document_is_a_change_that_the_report_counts(home: Home, crawls: Crawler, folder: Path) -> None:
    home.add_source("files", "papers", {"path": str(folder), "owner_grants": True})
    crawls.crawl(home, "papers")
    lines = home.add_receiver("lines", "papers")
    (folder / "d1.txt").chmod(0o600)
    assert delivered(home, crawls, lines, "papers") == (
        [("changed", "d1.txt", "d1.txt")],
        {"changed": 1, "unchanged": 2},
    )
    assert delivered(home, crawls, lines, "papers") == ([], {"unchanged": 3})
    (folder / "d1.txt").chmod(0o644)
    (folder / "d1.txt").write_text("Egret.\n")
    events, counts = delivered(home, crawls, lines, "papers")
    assert (events, counts) == ([("changed", "d1.txt", "d1.txt")], {"changed": 1, "unchanged": 2}), "both at once"


def test_whom_all_of_a_source_is_for_is_a_change_that_the_report_counts(
    file_home: Home, crawls: Crawler, folder: Path
) -> None:
    file_home.add_source("files", "papers", {"path": str(folder)})
    crawls.crawl(file_home, "papers")
    lines = file_home.add_receiver("lines", "papers")
    file_home.edit_source("papers", {"grants": ["group:staff"]})
    events, counts = delivered(file_home, crawls, lines, "papers")
    assert sorted(events) == [("changed", f"d{number}.txt", f"d{number}.txt") for number in (1, 2, 3)]
    assert counts["changed"] == 3


def test_a_renamed_file_is_new_once(home: Home, crawls: Crawler, folder: Path) -> None:
    home.add_source("files", "papers", {"path": str(folder)})
    crawls.crawl(home, "papers")
    lines = home.add_receiver("lines", "papers")
    (folder / "d2.txt").rename(folder / "e2.txt")
    events, counts = delivered(home, crawls, lines, "papers")
    assert (events, counts) == (
        [("deleted", "d2.txt", None), ("new", "e2.txt", "e2.txt")],
        {"unchanged": 2, "moved": 1},
    )
    assert home.found("heron") == [[f"file://{folder}/{name}.txt" for name in ("d1", "d3", "e2")]]
    (folder / "e2.txt").write_text("Egret.\n")
    assert delivered(home, crawls, lines, "papers")[0] == [("changed", "e2.txt", "e2.txt")]
