"""A command and the interface for programs allow and refuse the same, and tell the same of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cormorant.app.build import Plan
from cormorant.app.opening import opened
from cormorant.app.settings import Installation as Settings
from cormorant.portal import site
from cormorant.portal.guard import Application
from tests.cli.world import Installation
from tests.portal.test_orders import ask, done

NOTES = 25


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """A farm of which everything lies deep, and a folder beside it, both crawled, with a set of parameters of each."""
    folder = tmp_path_factory.mktemp("alike")
    for name, count in (("farm", NOTES), ("yard", 2)):
        (folder / name / "deep").mkdir(parents=True)
        for number in range(count):
            (folder / name / "deep" / f"{number}.txt").write_text(f"About the {name}, note {number}.")
    home = Installation(folder / "data")
    home.fine("parameters", "add", "gentle", "--set", "max_minutes=60")
    for name in ("farm", "yard"):
        home.fine("source", "add", "files", name, "--set", f"path={folder / name}", "--set", "parameters=gentle")
    home.fine("crawl")
    return home


@pytest.fixture
def home(made: Installation, tmp_path: Path) -> Installation:
    """A copy of it, to be changed."""
    shutil.copytree(made.folder, tmp_path / "data")
    return Installation(tmp_path / "data")


@pytest.fixture
def pages(home: Installation) -> Iterator[Application]:
    with opened(Plan(home.folder, Settings())) as house:
        yield site.make(house)


@pytest.mark.parametrize("said", [{"sources": ["farm"], "when": "manual"}, None])
def test_no_schedule_forgets_first(said: dict[str, Any] | None, home: Installation, pages: Application) -> None:
    refused = home.run("schedule", "add", "nightly", "--source", "farm", "--when", "manual", "--refresh", "scratch")
    assert (refused.code, "is not one of 'all', 'due', 'append'" in refused.err) == (2, True), refused
    if said is None:
        home.fine("schedule", "add", "nightly", "--source", "farm", "--when", "manual")
        got = ask(pages, "PATCH", "/schedules/nightly", {"refresh": "scratch"})
    else:
        got = ask(pages, "POST", "/schedules", {"schedule": "nightly", **said, "refresh": "scratch"})
    assert (got.status, got.json["detail"]) == (422, "`refresh` has to be 'all', 'due' or 'append'.")
    assert [each["refresh"] for each in ask(pages, "GET", "/schedules").json["schedules"]] == ["all"] * (said is None)


def test_a_schedule_is_made_with_each_way_that_it_may_have(pages: Application) -> None:
    for way in ("all", "due", "append"):
        said = {"schedule": f"s-{way}", "sources": ["farm"], "when": "manual", "refresh": way}
        assert done(pages, "POST", "/schedules", said)["refresh"] == way
