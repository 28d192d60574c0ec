"""A run is suspended, its source is edited, and it goes on: under the new settings, and what they keep out leaves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cormorant.model.run import RunState
from cormorant.operate.runs import control, review, start as run_start
from cormorant.store.journal import runs
from tests.clocks import until
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home, received
from tests.journeys.hosts import Host
from tests.threaded import Said

OUT = tuple(f"/out/{number}" for number in range(10))
IN = tuple(f"/in/{number}" for number in range(30))


@pytest.fixture
def town(host: Callable[[], Host]) -> Host:
    """A home page that leads to both parts, and takes its time."""
    made = host()
    made.says = {path: Said(body=f"<p>words of {path}") for path in (*OUT, *IN)}
    made.says["/"] = made.page(*(each for pair in zip(OUT, IN, strict=False) for each in pair), *IN)
    return made


def suspend(home: Home, crawls: Crawler, name: str, enough: Callable[[], bool]) -> int:
    """Begin a crawl, suspend it when enough was done, and return the number of the run."""
    crawls.begin(home, name)
    until(lambda: enough() or None)
    with home.house() as house:
        number = control.suspend(house, None).id
    crawls.end()
    with home.rows() as tx:
        assert runs.get(tx, number).state is RunState.SUSPENDED
    return number


def test_what_a_rule_now_keeps_out_leaves_and_is_not_asked_for(home: Home, crawls: Crawler, town: Host) -> None:
    home.add_source("web", "town", {"start": [town.origin + "/"], "delay_s": 0.1, "per_host": 1})
    lines = home.add_receiver("lines", "town")
    number = suspend(home, crawls, "town", lambda: len(set(town.paths) & set(OUT)) >= 2)
    visited, asked = set(town.paths) & set(OUT), len(town.paths)
    assert len(visited) < len(OUT)
    home.edit_source("town", {"exclude": ["path:/out/"], "delay_s": 0})
    report = crawls.crawl(home, "town")
    assert (report["run"], report["state"], report["complete"]) == (number + 1, "finished", True)
    assert set(town.paths[asked:]) & set(OUT) == set()
    assert [each.removeprefix(town.origin) for each in home.found("words")[0] if "/out/" in each] == []
    assert len(home.found("words")[0]) == len(IN) + 1
    gone = {each["url"].removeprefix(town.origin) for each in received(lines) if each["event"] == "deleted"}
    assert gone <= visited
    assert crawls.crawl(home, "town")["index_deletes"] == 0


def test_what_was_kept_out_comes_in(file_home: Home, crawls: Crawler, town: Host) -> None:
    start = {"start": [town.origin + "/"], "exclude": ["path:/out/"], "delay_s": 0.1, "per_host": 1}
    file_home.add_source("web", "town", start)
    suspend(file_home, crawls, "town", lambda: len(set(town.paths) & set(IN)) >= 2)
    file_home.edit_source("town", {"exclude": [], "delay_s": 0})
    assert crawls.crawl(file_home, "town")["state"] == "finished"
    assert len(file_home.found("words")[0]) == len(IN) + len(OUT) + 1


def test_files_that_a_rule_now_keeps_out_leave(file_home: Home, crawls: Crawler, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(400):
        (folder / f"{number}.{'md' if number % 10 else 'txt'}").write_text(f"words {number}\n")
    file_home.add_source("files", "papers", {"path": str(folder)})

    def settled() -> bool:
        return int(file_home.value("SELECT coalesce(sum(visits), 0) FROM resource") or 0) > 0

    number = suspend(file_home, crawls, "papers", settled)
    file_home.edit_source("papers", {"exclude": ["*.txt"]})
    report = crawls.crawl(file_home, "papers")
    assert (report["run"], report["state"]) == (number + 1, "finished")
    assert len(file_home.found("words")[0]) == 360


def test_without_an_edit_it_goes_on_where_it_was(file_home: Home, crawls: Crawler, town: Host) -> None:
    file_home.add_source("web", "town", {"start": [town.origin + "/"], "delay_s": 0.1, "per_host": 1})
    suspend(file_home, crawls, "town", lambda: len(set(town.paths) & set(OUT)) >= 2)
    file_home.edit_source("town", {"delay_s": 0})
    crawls.crawl(file_home, "town")
    pages = [each for each in town.paths if each != "/robots.txt" and not each.startswith("/.")]
    assert len(pages) <= len({*pages}) + 2, "but for what was under way nothing is asked for twice"


def test_the_limit_of_documents_is_of_what_goes_on_alone(file_home: Home, crawls: Crawler, town: Host) -> None:
    pages = len(OUT) + len(IN) + 1
    paced = {"start": [town.origin + "/"], "delay_s": 0.1, "per_host": 1, "max_documents": pages + 5}
    file_home.add_source("web", "town", paced)
    number = suspend(file_home, crawls, "town", lambda: len({*town.paths} & {*IN, *OUT}) >= 10)
    file_home.edit_source("town", {"exclude": ["path:/nothing/"], "delay_s": 0})
    report = crawls.crawl(file_home, "town")
    assert (report["run"], report["complete"], report["fetched"]) == (number + 1, True, pages)
    with file_home.house() as house:
        reason = run_start.report(house, number)["reason"] or ""
    assert reason.endswith(f"run {number + 1} continues in its place.")


def test_what_has_visited_everything_ends_as_it_began(file_home: Home, crawls: Crawler, tmp_path: Path) -> None:
    """The run waits for its turn to index while its source is edited, so the folder is not listed again."""
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.txt").write_text(f"words {number}\n")
    file_home.add_source("files", "papers", {"path": str(folder)})
    pending = crawls.crawl(file_home, "papers", mode="examine")
    with file_home.house() as house:
        review.index(house, pending["run"])
        control.suspend(house, pending["run"])
    file_home.edit_source("papers", {"hidden": True})
    report = crawls.crawl(file_home, "papers")
    assert (report["run"], report["state"], report["index_deletes"]) == (pending["run"], "finished", 0)
    assert len(file_home.found("words")[0]) == 4
