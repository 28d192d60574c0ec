"""Runs wait for their turn: two terminals, schedules, kills. And for the node that alone may carry them out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from cormorant.app import data_dir
from cormorant.store.schema import run_count
from tests.clocks import HANG_S, until
from tests.journeys import commands, processes
from tests.journeys.commands import begun, complaints, serving
from tests.journeys.home import Home
from tests.journeys.pages import SiteSettings
from tests.journeys.site import WebSite, website

PAGES = 70
SLOW, FAST = {"delay_s": 0.5}, {"delay_s": 0}
BEHIND_ONE = "It waits until the run under way has ended."
GOES_ON_BEHIND_ONE = "It waits to go on until the run under way has ended."


@pytest.fixture
def sites(tmp_path: Path) -> Iterator[dict[str, WebSite]]:
    """Two sites, each with a log of its own."""
    with ExitStack() as stack:
        found = {}
        for seed, name in enumerate(("one", "two")):
            (tmp_path / name).mkdir()
            found[name] = stack.enter_context(website(SiteSettings(pages=PAGES, seed=seed), tmp_path / name))
        yield found


@pytest.fixture
def slow(home: Home, sites: dict[str, WebSite]) -> Home:
    """An installation with both sites as slow sources, until they may hurry."""
    for name, site in sites.items():
        home.add_source("web", name, site.source | SLOW)
    return home


def shown(home: Home, run: int) -> dict[str, Any]:
    """The report of a run; {} where there is no such run yet."""
    said = commands.run(home, "run", "show", str(run), "--json").stdout
    return dict(json.loads(said)) if said else {}


def is_(home: Home, run: int, **wanted: object) -> bool:
    report = shown(home, run)
    return all(report.get(name) == value for name, value in wanted.items())


def hurry(home: Home, *names: str) -> None:
    for name in names:
        home.edit_source(name, FAST)


def pages_of(site: WebSite) -> list[float]:
    """When its pages were asked for."""
    return [each.at for each in site.log() if "/p/" in each.path]


def test_two_terminals_a_run_that_goes_on_and_a_kill(
    slow: Home, sites: dict[str, WebSite], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORMORANT_RUNS_AT_ONCE", "1")
    with begun(slow, "crawl", "one", name="first") as first:
        until(lambda: len(pages_of(sites["one"])) > 2)
        with begun(slow, "crawl", "two", name="second") as second:
            until(lambda: is_(slow, 2, state="waiting", waits="begin", reason=BEHIND_ONE))
            said = f"Run 2 of 'two': {BEHIND_ONE}"
            assert said in commands.run(slow, "run", "list").stdout
            assert said in commands.run(slow, "status").stdout
            assert BEHIND_ONE in commands.run(slow, "run", "show", "2").stdout
            until(lambda: BEHIND_ONE in complaints(slow, "second"))
            assert pages_of(sites["two"]) == []

            assert commands.run(slow, "run", "suspend", "1").returncode == 0
            assert first.wait(HANG_S) == 3
            until(lambda: len(pages_of(sites["two"])) > 2)
            with begun(slow, "run", "resume", "1", name="third") as third:
                until(lambda: is_(slow, 1, state="waiting", waits="go_on", reason=GOES_ON_BEHIND_ONE))
                processes.kill_group(second.pid)
                processes.kill_group(third.pid)
    between = max(pages_of(sites["one"]))
    assert is_(slow, 2, state="interrupted")
    assert is_(slow, 1, state="waiting", waits="go_on")
    hurry(slow, "one", "two")
    done = commands.run(slow, "crawl")
    assert done.returncode == 0, done.stderr
    assert [shown(slow, number)["state"] for number in (1, 2)] == ["finished", "finished"]
    assert min(at for at in pages_of(sites["one"]) if at > between) > max(pages_of(sites["two"]))
    assert slow.found(sites["one"].word(PAGES - 1)) == [[sites["one"].url(PAGES - 1)]]


def test_schedules_wait_like_anybody(slow: Home, sites: dict[str, WebSite], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORMORANT_RUNS_AT_ONCE", "1")
    for name in sites:
        assert commands.run(slow, "schedule", "add", name, "--source", name, "--when", "manual").returncode == 0
    with serving(slow):
        assert commands.run(slow, "schedule", "start", "two").returncode == 0
        until(lambda: len(pages_of(sites["two"])) > 2)
        assert commands.run(slow, "schedule", "start", "one").returncode == 0
        until(lambda: is_(slow, 2, waits="begin", reason=BEHIND_ONE))
        hurry(slow, "one", "two")
        until(lambda: is_(slow, 2, state="finished"))
    assert min(pages_of(sites["one"])) > max(pages_of(sites["two"]))


@pytest.fixture
def nodes(slow: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Home]:
    """Two data folders on one database, without an index: what each delivers is of no concern here."""
    monkeypatch.setenv("CORMORANT_INDEX", "none")
    store = slow.store or f"sqlite:///{slow.folder / 'cormorant.db'}"
    copies = str(slow.folder / "cache")
    found = {"alpha": Home(slow.folder, store, cache=copies), "beta": Home(tmp_path / "beta", store, cache=copies)}
    with found["beta"].house(first=True):
        return found


def worked(home: Home, run: int, at: Home) -> bool:
    """Has a retriever of that place counted anything for a run?"""
    with home.rows() as tx:
        names = tx.rows(sa.select(run_count.c.process).where(run_count.c.run_id == run))
    return any(name.startswith("retriever-") and name.endswith(data_dir.node(at.folder)) for (name,) in names)


def test_a_run_is_carried_out_by_its_node_alone(
    nodes: dict[str, Home], sites: dict[str, WebSite], monkeypatch: pytest.MonkeyPatch
) -> None:
    alpha, beta = nodes["alpha"], nodes["beta"]
    alpha.edit_source("one", {"node": "alpha"})
    monkeypatch.setenv("CORMORANT_NODE", "beta")
    done = commands.run(beta, "crawl", "one")
    assert (done.returncode, done.stdout) == (3, "")
    assert "Run 1 of 'one' waits for node 'alpha'" in done.stderr
    waits = "It waits for node 'alpha', the only one that crawls its source, which is not running."
    with begun(beta, "crawl", "two", name="beta") as other:
        until(lambda: len(pages_of(sites["two"])) > 4)
        assert is_(beta, 1, state="waiting", waits="begin", node="alpha", reason=waits)
        assert f"Run 1 of 'one': {waits}" in commands.run(beta, "run", "list").stdout
        assert f"Run 1 of 'one': {waits}" in commands.run(beta, "status").stdout
        assert sites["one"].log() == []

        monkeypatch.setenv("CORMORANT_NODE", "alpha")
        with begun(alpha, "crawl", "one", name="alpha") as mine:
            until(lambda: len(pages_of(sites["one"])) > 4)
            until(lambda: worked(alpha, 1, alpha))
            assert not worked(alpha, 1, beta)
            mine.terminate()
            mine.wait(HANG_S)
        monkeypatch.setenv("CORMORANT_NODE", "beta")
        seen = len(sites["one"].log())
        until(lambda: len(pages_of(sites["two"])) > 12)
        assert len(sites["one"].log()) == seen, "nobody else goes on with it"
        goes_on = waits.replace("waits for", "waits to go on for")
        until(lambda: is_(beta, 1, waits="go_on", reason=goes_on))
        hurry(alpha, "one", "two")
        alpha.edit_source("one", {"node": "beta"})
        until(lambda: is_(beta, 1, state="finished"))
        assert other.wait(HANG_S) == 0
    assert worked(alpha, 1, beta), "whose it was from the edit on"
