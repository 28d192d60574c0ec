"""The page of everything says what goes on, and of a run that was killed that nothing does."""

from __future__ import annotations

import os
import shutil
import signal
from collections import namedtuple
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cormorant.search.index.tantivy.folder import open_writer
from tests.cli.world import InstalledCli, Site
from tests.clocks import until

PAGES = 40


Usage = namedtuple("Usage", ("total", "used", "free"))


def only_source(home: InstalledCli) -> dict[str, Any]:
    """The status of the only source."""
    (source,) = home.fine("status", "--json").object["sources"]
    found: dict[str, Any] = source
    return found


@pytest.mark.long
def test_a_run_that_was_killed_is_interrupted(bare: InstalledCli, site: Site) -> None:
    for number in range(PAGES):
        site.page(f"/{number}", f"Page {number}", "", (f"/{number + 1}",))
        site.answers[f"/{number}"].wait_s = 0.3
    site.page("/", "Start", "", ("/0",))
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    crawl = bare.start("crawl", "docs")
    until(lambda: "/3" in site.asked)
    assert (only_source(bare)["state"], only_source(bare)["last_state"]) == ("retrieving", "retrieving")
    assert "interrupted" not in bare.fine("status").out
    assert {bare.fine("run", each, "--json").object["state"] for each in ("list", "show")} == {"retrieving"}
    os.killpg(crawl.pid, signal.SIGKILL)
    crawl.communicate()
    until(lambda: only_source(bare)["state"] == "interrupted", 30.0)  # and not when its lease has run out
    assert (only_source(bare)["run"], only_source(bare)["last_state"]) == (1, "interrupted")
    edited = bare.fine("source", "edit", "docs", "--set", "per_host=3").err
    assert "Run 1, which was interrupted, uses per_host when it continues." in edited
    assert bare.fine("status", "--json").object["sources"][0]["to_fetch"] > 0
    assert {bare.fine("run", each, "--json").object["state"] for each in ("list", "show")} == {"interrupted"}
    said = bare.fine("status").out
    assert "retrieving" not in said
    assert "Nothing is running." in said
    assert "Run 1 of 'docs' was interrupted. `cormorant crawl docs` continues it." in said
    assert bare.fine("status", "--json").object["processes"] == []
    other = InstalledCli(shutil.copytree(bare.folder, bare.folder.with_name("other")))
    bare.run("crawl", "docs", "--restart")
    assert only_source(bare)["state"] == "idle"
    other.fine("run", "stop")
    for each in (bare, other):
        (last,) = each.fine("run", "log", "1", "--last", "1", "--json").objects
        assert (last["event"], last["run"], last["source"], last["state"]) == ("summary", 1, "docs", "stopped")
        assert last["fetched"] == each.fine("run", "show", "1", "--json").object["fetched"] > 0


def test_a_disk_that_is_nearly_full_is_named(bare: InstalledCli, monkeypatch: pytest.MonkeyPatch) -> None:
    bare.fine("source", "add", "web", "docs", "--set", "start=http://127.0.0.1:9/")
    assert "nearly full" not in bare.fine("status").out
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**12, 10**12 - 5_000, 5_000))
    said = bare.fine("status").out
    assert f"The disk of {bare.folder} is nearly full: 5.0 kB are free, and crawls pause below 2.1 GB." in said


def cut_the_table(index: Path) -> None:
    next(index.glob("*/meta.json")).write_bytes(b"")


def remove_all(index: Path) -> None:
    shutil.rmtree(index)


def put_an_older_one_back(index: Path) -> None:
    shutil.rmtree(index)
    with closing(open_writer(index)) as writer:
        writer.commit(1)


@pytest.mark.parametrize("harm", [cut_the_table, remove_all, put_an_older_one_back])
def test_every_health_check_reports_an_index_that_does_not_answer(
    harm: Callable[[Path], None], home: InstalledCli
) -> None:
    harm(home.folder / "index")
    said = home.run("search", "harbour", "--json").problem["detail"]
    (index,) = home.fine("status", "--json").object["receivers"]
    assert index["error"] == said
    assert said in home.fine("status").out
    assert said in home.run("doctor").out
    for _ in range(2):
        done = home.run("crawl", "papers")
        assert done.code == 3, done
        assert "rebuild" in done.err
        assert home.run("search", "harbour").code == 1
    home.fine("index", "rebuild")
    home.fine("crawl", "papers")
    assert home.fine("status", "--json").object["receivers"][0]["error"] is None


def test_a_crawl_that_nothing_came_of_says_that_search_does_not_answer(home: InstalledCli) -> None:
    home.fine("crawl", "papers")
    remove_all(home.folder / "index")
    (problem,) = home.fine("run", "show", "--json").object["problems"]
    assert (problem["kind"], "`cormorant index rebuild`" in problem["sentence"]) == ("index", True)
