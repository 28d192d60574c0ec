"""Schedules from a terminal, and one that `serve` carries out, is killed at, and goes on with."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings as Settings
from cormorant.model.schedule.timezones import wall_time
from cormorant.store.catalog import schedules
from tests.cli.begin.test_serve import served
from tests.cli.world import InstalledCli, Site
from tests.clocks import until

PAGES = 12


def shown(home: InstalledCli, name: str = "nightly") -> dict[str, Any]:
    """The record of a schedule."""
    found: dict[str, Any] = home.fine("schedule", "show", name, "--json").object
    return found


def states(home: InstalledCli) -> list[tuple[str, str]]:
    """Why there were launches of `nightly`, and what became of them, the newest first."""
    return [(each["why"], each["state"]) for each in shown(home)["history"]]


def was_due_yesterday(home: InstalledCli) -> None:
    """As if nothing had been at work since."""
    with opened(BuildPlan(home.folder, Settings())) as house, house.store.begin() as tx:
        row = schedules.named(tx, "nightly")
        assert schedules.move_on(tx, row, tx.now() - 86_400)


@pytest.mark.long
def test_serve_carries_it_out_and_goes_on_after_a_kill(bare: InstalledCli, site: Site) -> None:
    for number in range(PAGES):
        site.page(f"/{number}", f"Page {number}", "kelp", (f"/{number + 1}",))
    site.page("/", "Start", "", ("/0",))
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("schedule", "add", "nightly", "--source", "docs", "--every", "day at 02:00", "--time-zone", "UTC")
    was_due_yesterday(bare)
    bare.fine("crawl", "docs")
    assert states(bare) == [], "a crawl fires no schedule"
    with served(bare):
        until(lambda: states(bare) == [("missed", "finished")])
    assert [each["state"] for each in bare.fine("run", "list", "--json").objects] == ["finished"] * 2

    for answer in site.answers.values():
        answer.wait_s = 0.4
    assert "carries it out" in bare.fine("schedule", "start", "nightly").err
    assert bare.run("schedule", "start", "nightly").code == 1
    asked = len(site.asked)
    process = bare.start("serve", "--port", "0")
    until(lambda: len(site.asked) > asked + 3)
    assert (shown(bare)["state"], shown(bare)["run"]) == ("executing", 3)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    with served(bare):
        until(lambda: shown(bare)["state"] == "scheduled")
    assert states(bare) == [("started", "finished"), ("missed", "finished")]
    assert [each["run"] for each in bare.fine("run", "list", "--json").objects] == [3, 2, 1]


def test_status_says_when_schedules_fire_and_that_nothing_has_them_do_so(home: InstalledCli) -> None:
    assert "Schedule" not in home.fine("status").out
    record = home.fine("schedule", "add", "nightly", "--source", "docs", "--when", "@daily", "--json").object
    home.fine("schedule", "add", "by-hand", "--source", "docs", "--when", "manual")
    fires = f"Schedule 'nightly' fires next at {wall_time(record['next_at'])}.\n"
    nobody = "Schedules start crawls only while `cormorant serve` is running. It is not running now."
    assert home.fine("status").out.endswith(f"\n{fires}{nobody}\n")
    with served(home):
        said = home.fine("status").out
    assert (fires in said, nobody in said) == (True, False)
    home.fine("schedule", "disable", "nightly")
    assert "Schedule" not in home.fine("status").out


def test_from_add_to_delete(home: InstalledCli) -> None:
    words = ("--source", "docs", "--source", "papers", "--when", "30 2 * * Mon-Fri", "--time-zone", "Europe/Berlin")
    record = home.fine("schedule", "add", "nightly", *words, "--window", "Mon-Fri 20-06", "--json").object
    assert {name: record[name] for name in ("sources", "when", "time_zone", "windows", "overrun", "missed")} == {
        "sources": ["docs", "papers"], "when": "30 2 * * mon-fri", "time_zone": "Europe/Berlin",
        "windows": ["Mon-Fri 20-06"], "overrun": "skip", "missed": "run",
    }  # fmt: skip
    assert home.fine("schedule", "list", "--json").objects == [record]
    assert shown(home) == record | {"history": []}
    assert "30 2 * * mon-fri" in home.fine("schedule", "list").out
    assert "nightly" in home.fine("schedule", "show", "nightly").out
    edited = home.fine("schedule", "edit", "nightly", "--overrun", "queue", "--json").object
    assert edited == record | {"overrun": "queue"}
    assert home.fine("schedule", "edit", "nightly", "--window", "", "--json").object["windows"] == []
    off = home.fine("schedule", "disable", "nightly", "--json").object
    assert (off["state"], off["next_at"]) == ("disabled", None)
    assert home.fine("schedule", "enable", "nightly", "--json").object["next_at"] == record["next_at"]
    said = home.fine("source", "delete", "papers", "--yes").err
    assert "Schedule 'nightly' crawls its other sources from now on." in said
    assert home.fine("status", "--json").object["schedules"][0]["sources"] == ["docs"]
    gone = home.fine("source", "delete", "docs", "--yes", "--json").object["schedules"]
    assert gone == [{"schedule": "nightly", "alone": True}]
    assert home.fine("schedule", "list", "--json").objects == []


def test_status_names_what_failed(home: InstalledCli) -> None:
    home.fine("schedule", "add", "nightly", "--source", "docs", "--when", "@daily")
    with opened(BuildPlan(home.folder, Settings())) as house, house.store.begin() as tx:
        schedules.set_error(tx, schedules.named(tx, "nightly").id, "The clock has no hands.")
    assert "Schedule 'nightly': failed: The clock has no hands." in home.fine("status").out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("add night/ly --source docs --when @daily", 2, "cannot be the name of a schedule"),
        ("add nightly --when @daily", 2, "needs sources"),
        ("add nightly --source docs", 2, "needs sources and times"),
        ("add nightly --source docs --when @daily --every day", 2, "not both"),
        ("add nightly --source nope --when @daily", 4, "no source 'nope'"),
        ("add nightly --source docs --when @never", 2, "is none of @hourly"),
        ("add nightly --source docs --every fortnight", 2, "says no time"),
        ("add nightly --source docs --when @daily --time-zone Berlin", 2, "no time zone"),
        ("add nightly --source docs --when @daily --window Mon", 2, "no window of the week"),
        ("add nightly --source docs --when @daily --overrun never", 2, "overrun"),
        ("add nightly --source docs --source docs --when @daily", 2, "'docs' is named twice. Name it once."),
        ("add taken --source docs --when @daily", 1, "already"),
        ("edit taken", 2, "Name a change"),
        ("edit taken --when nonsense", 2, "five fields"),
        ("show nightly", 4, "There is: taken"),
        ("start nightly", 4, "There is: taken"),
        ("delete nightly", 4, "There is: taken"),
    ],
)
def test_what_cannot_be_changes_nothing(words: str, code: int, said: str, home: InstalledCli) -> None:
    home.fine("schedule", "add", "taken", "--source", "docs", "--when", "manual")
    before = home.fine("schedule", "list", "--json").objects
    done = home.run("schedule", *words.split(), "--json")
    assert (done.code, said in done.problem["detail"]) == (code, True), done.err
    assert home.fine("schedule", "list", "--json").objects == before
