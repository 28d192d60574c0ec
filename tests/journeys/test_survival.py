"""A run that was under way when the program ended goes on, or is stopped, as its source says."""

from __future__ import annotations

import json
import signal
from typing import Any

import pytest

from cormorant.store.db import heartbeats as rows
from tests.clocks import HANG_S, until
from tests.journeys import commands, processes
from tests.journeys.commands import begun, complaints, ended, serving
from tests.journeys.conftest import Serve
from tests.journeys.home import Home
from tests.journeys.pages import SiteSettings
from tests.journeys.site import WebSite

PAGES = 60
SLOW, FAST = {"delay_s": 0.4}, {"delay_s": 0}
REASON = "It was under way when the program ended, and survives_restart is off."


@pytest.fixture
def site(home: Home, serve: Serve) -> WebSite:
    """A site that takes long, and whose source's runs survive nothing."""
    made = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", made.source | SLOW | {"survives_restart": False})
    return made


def shown(home: Home, run: int) -> dict[str, Any]:
    said = commands.run(home, "run", "show", str(run), "--json").stdout
    return dict(json.loads(said)) if said else {}


def cut_off(home: Home, site: WebSite) -> None:
    """A crawl that is killed at work."""
    with begun(home, "crawl", "site") as crawling:
        site.wait_for(6)
        processes.kill_group(crawling.pid)


def test_the_next_crawl_begins_a_new_run(home: Home, site: WebSite) -> None:
    cut_off(home, site)
    said = commands.run(home, "status").stdout
    assert "`cormorant crawl site` starts again, because survives_restart is off." in said
    home.edit_source("site", FAST)
    done = commands.run(home, "crawl", "site", "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["run"], report["fetched"]) == (0, 2, PAGES), done.stderr
    assert "Run 1 was stopped, because it was interrupted" in done.stderr
    stopped = shown(home, 1)
    assert (stopped["state"], stopped["reason"], stopped["complete"]) == ("stopped", REASON, False)
    last = json.loads(commands.run(home, "run", "log", "1", "--last", "1", "--json").stdout)
    assert (last["event"], last["run"], last["reason"]) == ("summary", 1, REASON)
    assert home.found(site.word(PAGES - 1)) == [[site.url(PAGES - 1)]]


def test_serve_stops_it_and_an_interrupted_command_says_what_comes_of_it(home: Home, site: WebSite) -> None:
    with begun(home, "crawl", "site") as crawling:
        site.wait_for(6)
        crawling.terminate()
        assert crawling.wait(HANG_S) == 130
    assert f"`cormorant --data {home.folder} crawl site` starts again, because survives_restart is off." in complaints(
        home, "crawl"
    )
    assert shown(home, 1)["state"] == "interrupted"
    asked = len(site.log())
    with serving(home):
        until(lambda: shown(home, 1).get("reason") == REASON)
    assert shown(home, 1)["state"] == "stopped"
    assert len(site.log()) == asked, "nothing of it was gone on with"
    refused = commands.run(home, "run", "resume", "1")
    assert (refused.returncode, refused.stderr) == (1, "Run 1 cannot continue; it is stopped.\n")


def test_what_is_started_again_by_the_supervisor_is_no_restart(home: Home, site: WebSite) -> None:
    with begun(home, "crawl", "site") as crawling:
        site.wait_for(4)
        with home.rows() as tx:
            pids = {each.pid for each in rows.alive(tx) if each.role in ("conductor", "retriever")}
        for each in processes.below(crawling.pid):
            if each.pid in pids:
                processes.send(each, signal.SIGKILL)
        until(lambda: ended(home).total() >= len(pids))
        home.edit_source("site", FAST)
        assert crawling.wait(HANG_S) == 0, complaints(home, "crawl")
    report = shown(home, 1)
    assert (report["state"], report["complete"]) == ("finished", True)
    assert ended(home)["conductor"] >= 1
    assert shown(home, 2) == {}


def test_what_waits_or_was_suspended_was_not_under_way(home: Home, site: WebSite) -> None:
    with begun(home, "crawl", "site") as crawling:
        site.wait_for(6)
        assert commands.run(home, "run", "suspend").returncode == 0
        assert crawling.wait(HANG_S) == 3
    home.edit_source("site", FAST)
    report = json.loads(commands.run(home, "crawl", "site", "--json").stdout)
    assert (report["run"], report["state"]) == (1, "finished")


def test_by_default_it_goes_on(home: Home, site: WebSite) -> None:
    home.edit_source("site", {"survives_restart": True})
    cut_off(home, site)
    home.edit_source("site", FAST)
    report = json.loads(commands.run(home, "crawl", "site", "--json").stdout)
    assert (report["run"], report["state"], report["complete"]) == (1, "finished", True)
