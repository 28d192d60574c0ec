"""Pages that call another one canonical: whatever is visited first, one run settles which of them are found."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.journeys import processes
from tests.journeys.crawling import Crawler, begin
from tests.journeys.home import Home, received
from tests.journeys.hosts import Host
from tests.journeys.points import RARE
from tests.threaded import Said

SETTLED = ("new", "indexed", "excluded", "rejected", "fetched", "changed", "unchanged", "state")


@pytest.fixture
def town(host: Callable[[], Host]) -> Host:
    return host()


def copy(of: str, text: str = "") -> Said:
    return Said(body=f"<link rel=canonical href='{of}'><p>A heron, copied from {of}. {text}")


def one_by_one(town: Host, order: Sequence[str]) -> dict[str, object]:
    """Settings of a source that visits these pages in this order."""
    levels = ("highest", "low", "lowest")
    rules = [f"{level} path:{path}" for level, path in zip(levels, order, strict=False)]
    return {
        "start": [town.origin + each for each in order], "network": ["loopback"], "patience_s": "0", "per_host": 1,
        "priority": rules,
    }  # fmt: skip


def statuses(home: Home, town: Host, *paths: str) -> list[int]:
    return [home.shown(town.origin + path)["status"] for path in paths]


def test_forty_copies_leave_with_the_run_that_finds_what_they_are_copies_of(
    home: Home, crawls: Crawler, town: Host
) -> None:
    """More than the brake would let go of: none of them was there before."""
    copies = [f"/copy?{n}" for n in range(60)]
    town.says = {"/": town.page(*copies, "/real"), "/real": Said(body="<p>The real words.")}
    town.says |= {path: copy("/real", path) for path in copies}
    home.add_source("web", "town", {"start": [town.origin + "/"], "network": ["loopback"], "patience_s": "0"})
    lines = home.add_receiver("lines", "town")
    report = crawls.crawl(home, "town")
    assert set(statuses(home, town, *copies)) == {910}
    assert [report[name] for name in SETTLED] == [2, 2, 60, 60, 62, 0, 0, "finished"]
    assert report["deleted"] == 0 < report["index_deletes"], "none of them was there before"
    assert home.found("heron") == [[]]
    assert home.explained(town.origin + copies[0])["because"].endswith(f"a copy of {town.origin}/real")
    there = set[str]()
    for each in received(lines):
        (there.discard if each["event"] == "deleted" else there.add)(each["url"].removeprefix(town.origin))
    assert there == {"/", "/real"}
    again = crawls.crawl(home, "town")
    assert [again[name] for name in SETTLED] == [0, 0, 60, 60, 62, 0, 2, "finished"]
    assert again["index_writes"] == again["index_deletes"] == 0


def test_killed_while_copies_are_excluded_a_run_counts_each_once(
    home: Home, crawls: Crawler, town: Host, tmp_path: Path
) -> None:
    town.says = {"/": town.page("/copy", "/real"), "/copy": copy("/real"), "/real": Said(body="<p>The real words.")}
    home.add_source("web", "town", {"start": [town.origin + "/"], "network": ["loopback"], "patience_s": "0"})
    (step,), log = RARE, tmp_path / "log"
    command = [sys.executable, "-m", "tests.journeys.points", step.name, "1:group", str(log)]
    with processes.ended(begin(home, "town", command=command)) as killed:
        killed.wait(60)
    assert log.read_text().startswith("group"), "it was killed there"
    report = crawls.crawl(home, "town")
    assert report["run"] == 1
    assert [report[name] for name in ("new", "excluded", "rejected")] == [2, 1, 1]
    assert (statuses(home, town, "/copy", "/real"), home.found("heron")) == ([910, 200], [[]])


@pytest.mark.parametrize("order", [("/a", "/b", "/c"), ("/c", "/b", "/a"), ("/b", "/c", "/a")])
def test_of_a_chain_the_end_alone_is_found_whatever_is_visited_first(
    file_home: Home, crawls: Crawler, town: Host, order: Sequence[str]
) -> None:
    town.says = {"/a": copy("/b"), "/b": copy("/c"), "/c": Said(body="<p>The end.")}
    file_home.add_source("web", "town", one_by_one(town, order))
    for new in (1, 0):
        report = crawls.crawl(file_home, "town")
        assert (statuses(file_home, town, "/a", "/b", "/c"), report["new"], report["excluded"]) == (
            [910, 910, 200],
            new,
            2,
        )
    town.says["/c"] = Said(404)
    for _ in range(3):
        crawls.crawl(file_home, "town")
    assert statuses(file_home, town, "/a", "/b") == [910, 200], "what its original called its own is gone"


@pytest.mark.parametrize("order", [("/in", "/a", "/b"), ("/b", "/a", "/in"), ("/a", "/in", "/b")])
def test_pages_that_name_each_other_stay_and_what_names_one_of_them_is_a_copy(
    file_home: Home, crawls: Crawler, town: Host, order: Sequence[str]
) -> None:
    town.says = {"/in": copy("/a"), "/a": copy("/b"), "/b": copy("/a")}
    file_home.add_source("web", "town", one_by_one(town, order))
    for _ in range(2):
        report = crawls.crawl(file_home, "town")
        assert (statuses(file_home, town, "/in", "/a", "/b"), report["excluded"]) == ([910, 200, 200], 1)


@pytest.mark.parametrize(
    "original",
    [
        Said(404), Said(410), Said(301, headers={"Location": "/"}), Said(body="<meta name=robots content=noindex><p>x"),
        Said(500), Said(200, "\0\1\2\3", {"Content-Type": "application/octet-stream"}),
    ],
)  # fmt: skip
def test_a_copy_of_what_nobody_can_find_stays(file_home: Home, crawls: Crawler, town: Host, original: Said) -> None:
    town.says = {"/": town.page("/copy", "/real"), "/copy": copy("/real"), "/real": original}
    file_home.add_source("web", "town", {"start": [town.origin + "/"], "network": ["loopback"], "patience_s": "0"})
    for _ in range(2):
        crawls.crawl(file_home, "town")
        assert statuses(file_home, town, "/copy") == [200]


def test_many_that_become_copies_are_held_by_the_brake_like_any_that_leave(
    home: Home, crawls: Crawler, town: Host
) -> None:
    """The named originals become known after the copies, so their visits cannot decide."""
    pages = [f"/page?{n}" for n in range(20)]
    town.says = {"/": town.page(*pages)} | {path: Said(body=f"<p>A heron at {path}") for path in pages}
    home.add_source("web", "town", {"start": [town.origin + "/"], "network": ["loopback"], "patience_s": "0"})
    crawls.crawl(home, "town")
    town.says |= {path: copy("/late", path) for path in pages} | {"/late": Said(body="<p>late")}
    town.says["/"] = town.page(*pages, "/then")
    town.says["/then"] = town.page("/late")
    report = crawls.crawl(home, "town")
    assert report["state"] == "held"
    assert len(home.found("heron")[0]) == len(pages)
