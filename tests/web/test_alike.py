"""A command and the interface for programs allow and refuse the same, and tell the same of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings as Settings
from cormorant.web import app
from cormorant.web.api.routing import LINES
from cormorant.web.security.request_guard import Application
from tests.cli.world import InstalledCli
from tests.web.api.test_requests import ask, done
from tests.web.asking import Got

NOTES = 25
LEAVING = ("leave", "merge", "leaving", "leave_rules")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> InstalledCli:
    """A farm of which everything lies deep, and a folder beside it, both crawled, with a set of parameters of each."""
    folder = tmp_path_factory.mktemp("alike")
    for name, count in (("farm", NOTES), ("yard", 2)):
        (folder / name / "deep").mkdir(parents=True)
        for number in range(count):
            (folder / name / "deep" / f"{number}.txt").write_text(f"About the {name}, note {number}.")
    home = InstalledCli(folder / "data")
    home.fine("parameters", "add", "gentle", "--set", "max_minutes=60")
    for name in ("farm", "yard"):
        home.fine("source", "add", "files", name, "--set", f"path={folder / name}", "--set", "parameters=gentle")
    home.fine("crawl")
    return home


@pytest.fixture
def home(made: InstalledCli, tmp_path: Path) -> InstalledCli:
    """A copy of it, to be changed."""
    shutil.copytree(made.folder, tmp_path / "data")
    return InstalledCli(tmp_path / "data")


@pytest.fixture
def pages(home: InstalledCli) -> Iterator[Application]:
    with opened(BuildPlan(home.folder, Settings())) as house:
        yield app.make(house)


@pytest.mark.parametrize("said", [{"sources": ["farm"], "when": "manual"}, None])
def test_no_schedule_forgets_first(said: dict[str, Any] | None, home: InstalledCli, pages: Application) -> None:
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


def test_an_edit_names_the_documents_that_leave_and_the_rules(home: InstalledCli, pages: Application) -> None:
    sent: dict[str, Any] = {"settings": {"depth": 0}}
    preview = done(pages, "PATCH", "/sources/farm", sent | {"preview": True})
    assert preview["leave"] == NOTES
    typed = home.run("source", "edit", "farm", "--set", "depth=0", "--json")
    assert (typed.code, typed.problem["code"], typed.problem["status"]) == (2, "usage", 400)
    got = ask(pages, "PATCH", "/sources/farm", sent)
    assert (got.status, got.json["code"]) == (409, "conflict")
    assert leaving_of(typed.problem) == leaving_of(got.json) == {name: preview[name] for name in LEAVING}


def test_an_edit_of_a_set_names_the_documents_of_all_its_sources(home: InstalledCli, pages: Application) -> None:
    sent: dict[str, Any] = {"settings": {"depth": 0}}
    effects = done(pages, "POST", "/parameters/gentle/preview", sent)["sources"]
    typed = home.run("parameters", "edit", "gentle", "--set", "depth=0", "--json")
    assert (typed.code, typed.problem["code"]) == (2, "usage")
    got = ask(pages, "PATCH", "/parameters/gentle", sent)
    assert (got.status, got.json["code"]) == (409, "conflict")
    assert leaving_of(typed.problem) == leaving_of(got.json)
    (rule,) = {each["rule"] for effect in effects for each in effect["leave_rules"]}
    assert (got.json["leave"], got.json["merge"]) == (NOTES + 2, 0)
    assert got.json["leave_rules"] == [{"rule": rule, "addresses": NOTES + 2}]
    assert len(got.json["leaving"]) == 20
    assert {each.rpartition("/deep/")[0].rpartition("/")[2] for each in got.json["leaving"]} == {"farm", "yard"}


def test_deleting_a_set_names_the_documents_that_leave(home: InstalledCli, pages: Application) -> None:
    home.fine("source", "edit", "yard", "--set", "parameters=", "--yes")
    home.fine("parameters", "edit", "system", "--set", "exclude=ends:/3.txt", "--yes")
    home.fine("parameters", "edit", "gentle", "--set", "exclude=ends:/nothing", "--yes")
    home.fine("crawl", "farm")
    typed, got = home.run("parameters", "delete", "gentle", "--json"), ask(pages, "DELETE", "/parameters/gentle")
    assert (typed.code, typed.problem["code"], got.status) == (1, "conflict", 409)
    assert leaving_of(typed.problem) == leaving_of(got.json)
    assert (got.json["leave"], got.json["leave_rules"]) == (
        1, [{"rule": "boundary: exclude ends:/3.txt", "addresses": 1}]
    )  # fmt: skip


def test_deleting_a_source_names_the_documents_that_leave(home: InstalledCli, pages: Application) -> None:
    typed, got = home.run("source", "delete", "farm", "--json"), ask(pages, "DELETE", "/sources/farm")
    assert (typed.code, typed.problem["code"], got.status, got.json["code"]) == (2, "usage", 409, "conflict")
    assert leaving_of(typed.problem) == leaving_of(got.json)
    assert (got.json["leave"], got.json["merge"], len(got.json["leaving"])) == (NOTES, 0, 20)
    assert all(each.startswith("file:///") and "/farm/deep/" in each for each in got.json["leaving"])
    assert got.json["leave_rules"] == [{"rule": "source: deleted", "addresses": NOTES}]


def leaving_of(problem: dict[str, Any]) -> dict[str, Any]:
    """The fields about documents that would leave."""
    return {name: problem[name] for name in LEAVING}


def test_documents_that_a_run_visited_last_are_listed(home: InstalledCli, pages: Application) -> None:
    for run in (1, 2):
        typed = home.fine("document", "list", "--run", str(run), "--json").objects
        assert done(pages, "GET", f"/documents?run={run}&limit=1000")["documents"] == typed
        assert {each["source"] for each in typed} == {"farm" if run == 1 else "yard"}
        assert ask(pages, "GET", f"/documents?run={run}", accept=LINES).lines == typed
    typed_ = home.run("document", "list", "--run", "99", "--json")
    got = ask(pages, "GET", "/documents?run=99")
    assert (got.status, got.json) == (404, typed_.problem)


@pytest.mark.parametrize(("noun", "word"), [("/schedules", "schedule"), ("/parameters", "parameters")])
def test_lists_come_as_lines_where_lines_are_asked_for(
    noun: str, word: str, home: InstalledCli, pages: Application
) -> None:
    for name in ("nightly", "weekly"):
        home.fine("schedule", "add", name, "--source", "farm", "--when", "manual")
    got: Got = ask(pages, "GET", noun, accept=LINES)
    assert got.headers["content-type"].partition(";")[0] == LINES
    assert got.lines == home.fine(word, "list", "--json").objects == ask(pages, "GET", noun).json[noun[1:]]


def test_an_order_without_waiting_is_answered_alike(home: InstalledCli, pages: Application) -> None:
    ordered = done(pages, "POST", "/runs", {"sources": ["farm"]})["runs"]
    assert ordered == [{"run": 3, "source": "farm", "resumed": False, "as_before": False}]
    typed = home.fine("crawl", "farm", "--detach", "--force", "--json").objects
    assert typed == [ordered[0] | {"as_before": True}]
    home.run("run", "watch", "3")


def test_where_nothing_was_kept_of_the_systems_set_nothing_is_deleted(home: InstalledCli, pages: Application) -> None:
    nothing = {"parameters": "system", "deleted": False, "sources": []}
    assert done(pages, "DELETE", "/parameters/system") == nothing
    assert home.fine("parameters", "delete", "system", "--json").object == nothing
    said = home.fine("parameters", "delete", "system").err
    assert said == "The set 'system' was empty, so there is nothing to delete: the defaults apply.\n"
    home.fine("parameters", "edit", "system", "--set", "max_minutes=90")
    assert "Deleted the set 'system'." in home.fine("parameters", "delete", "system", "--yes").err
    home.fine("parameters", "edit", "system", "--set", "max_minutes=90")
    assert done(pages, "DELETE", "/parameters/system?used=true")["deleted"] is True
