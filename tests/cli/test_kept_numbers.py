"""Stored numbers that this version refuses: their owners are named, and all others keep working."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings as Settings
from cormorant.model.run import Refresh
from cormorant.operate.installation import Installation
from cormorant.operate.runs import control
from cormorant.store.catalog import receivers, setting_profiles, sources
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs
from tests.cli.world import InstalledCli, ended
from tests.clocks import until


@contextmanager
def house_of(home: InstalledCli) -> Iterator[Installation]:
    """The installation, open in this process."""
    with opened(BuildPlan(home.folder, Settings())) as house:
        yield house


def keep(home: InstalledCli, work: Callable[[Tx], object]) -> None:
    """Keep something as an older version did."""
    with house_of(home) as house, house.store.begin() as tx:
        work(tx)


def as_before(tx: Tx, name: str, **settings: object) -> None:
    """Give a source settings that nobody reads now."""
    row = sources.named(tx, name)
    sources.edit(tx, row.id, {**row.own, **settings})


def printed(home: InstalledCli, *words: str) -> list[Any]:
    """The output of a command for programs, which has to be JSON."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    return [json.loads(line, parse_constant=refuse) for line in home.fine(*words, "--json").out.splitlines()]


@pytest.mark.parametrize("number", [inf, 1e300])
def test_a_source_with_such_a_number_is_named_and_the_others_are_crawled(number: float, home: InstalledCli) -> None:
    keep(home, lambda tx: as_before(tx, "docs", delay_s=number))
    assert {each["source"] for each in printed(home, "source", "list")} == {"docs", "papers"}
    (shown,) = printed(home, "source", "show", "docs")
    assert shown["settings"]["delay_s"] in ("Infinity", 1e300)
    (doubt,) = shown["doubts"]
    assert "'delay_s' cannot be" in doubt
    assert "Until then a crawl of 'docs' fails. `cormorant source edit docs --set ...` changes it." in doubt
    assert printed(home, "status")
    done = home.run("crawl")
    assert (done.code, "'delay_s' cannot be" in done.err) == (1, True), done
    newest = {each["source"]: each["state"] for each in reversed(printed(home, "run", "list"))}
    assert newest == {"docs": "failed", "papers": "finished"}
    home.fine("source", "edit", "docs", "--set", "delay_s=0", "--yes")
    home.fine("crawl")


def test_a_set_of_parameters_is_not_edited_before_the_source_it_says_is_mended(home: InstalledCli) -> None:
    keep(home, lambda tx: as_before(tx, "docs", delay_s=inf))
    done = home.run("parameters", "edit", "system", "--set", "depth=3", "--yes")
    assert (done.code, "The source 'docs' uses this set. The setting 'delay_s' cannot be" in done.err) == (2, True)
    home.fine("source", "edit", "docs", "--set", "delay_s=", "--yes")
    home.fine("parameters", "edit", "system", "--set", "depth=3", "--yes")


def test_a_set_of_parameters_that_has_one_is_shown_and_mended(home: InstalledCli) -> None:
    of_web = {"web": {"delay_s": inf}, "files": {}}
    keep(home, lambda tx: setting_profiles.keep(tx, "system", of_web))
    assert printed(home, "parameters", "list")[0]["settings"] == {"delay_s": "Infinity"}
    assert home.run("crawl").code == 1
    assert home.fine("crawl", "papers").code == 0
    home.fine("parameters", "edit", "system", "--set", "delay_s=0", "--yes")
    home.fine("crawl")


def test_a_suspended_run_that_has_one_goes_on_when_its_source_is_mended(home: InstalledCli) -> None:
    with house_of(home) as house:
        with house.store.begin() as tx:
            as_before(tx, "docs", delay_s=inf)
            row = sources.named(tx, "docs")
            number = runs.request(tx, row.id, json.dumps(dict(row.settings)), Refresh.ALL, force=False)
        control.suspend(house, number)
    assert printed(home, "run", "show", str(number))
    home.fine("source", "edit", "docs", "--set", "delay_s=0", "--yes")
    home.fine("run", "resume", str(number))


def test_a_receiver_with_such_a_number_is_named_and_the_others_get_events(home: InstalledCli, tmp_path: Path) -> None:
    given = {"path": str(tmp_path / "found.jsonl"), "rotate_bytes": 10**19}
    keep(home, lambda tx: receivers.add(tx, "jsonlines", "lines", None, given, 0))
    crawl = home.start("crawl", "--force")
    assert "'rotate_bytes' cannot be 10000000000000000000" in until(lambda: _failed(home))
    home.fine("receiver", "edit", "lines", "--set", "rotate_bytes=1GB")
    assert ended(crawl).code == 0
    assert printed(home, "receiver", "show", "lines")[0]["error"] is None


def _failed(home: InstalledCli) -> str:
    """The error of the receiver, as soon as a run waits for it and the index has everything; before, nothing."""
    rows = {each["receiver"]: each for each in printed(home, "receiver", "list")}
    waits = "delivering" in {each["state"] for each in printed(home, "run", "list")}
    has_all = (rows["index"]["error"], rows["index"]["backlog"]) == (None, 0)
    return rows["lines"]["error"] or "" if waits and has_all else ""
