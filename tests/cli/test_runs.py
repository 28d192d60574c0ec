"""Runs are steered from a terminal: watched, suspended, gone on with, stopped, forgotten."""

from __future__ import annotations

import pytest

from cormorant.base.clock import pause
from tests.cli.conftest import World
from tests.cli.world import Installation, Site, ended

LOOKS = 300
UNDER_WAY = 5
"""Requests at once to a host of this machine, and its robots.txt."""


def begun(home: Installation, site: Site) -> None:
    """Wait until a crawl has begun to ask for pages."""
    for _ in range(LOOKS):
        if len(site.asked) > 3:
            return
        pause(0.1)
    raise AssertionError(site.asked)


def slow(home: Installation, site: Site) -> None:
    """A source of sixty slow pages."""
    site.page("/", "Harbour office", "All about it.", tuple(f"/berth/{number}" for number in range(60)))
    for number in range(60):
        site.page(f"/berth/{number}", f"Berth {number}", f"Berth number {number}.")
        site.answers[f"/berth/{number}"].wait_s = 0.5
    home.fine("source", "add", "web", "docs", "--set", f"start={site.address}")


def test_suspended_and_gone_on_with(bare: Installation, site: Site) -> None:
    slow(bare, site)
    crawling = bare.start("crawl", "docs")
    begun(bare, site)
    assert bare.fine("run", "suspend", "--json").object == {"run": 1, "state": "suspended"}
    assert ended(crawling).code == 3
    assert bare.fine("run", "show", "--json").object["state"] == "suspended"
    assert bare.fine("run", "suspend", "1", "--json").object == {"run": 1, "state": "suspended"}, "again"
    report = bare.fine("run", "resume", "1", "--json").object
    assert (report["run"], report["state"], report["indexed"]) == (1, "finished", 61)
    assert bare.run("run", "resume").code == 1
    twice = len(site.asked) - len(set(site.asked))
    assert twice <= UNDER_WAY, "what was under way when it was suspended comes again, and nothing else"


def test_stopped_for_good_and_watched(bare: Installation, site: Site) -> None:
    slow(bare, site)
    crawling = bare.start("crawl", "docs")
    begun(bare, site)
    watching = bare.start("run", "watch", "--json")
    assert bare.fine("run", "stop", "1", "--json").object == {"run": 1, "state": "stopped"}
    ended(crawling)
    assert '"state": "stopped"' in ended(watching).out
    assert bare.fine("run", "stop", "--json").object == {"run": 1, "state": "stopped"}, "again"
    assert bare.run("run", "delete", "1").code == 1
    assert bare.fine("crawl", "docs", "--json").object["run"] == 2
    assert bare.fine("run", "delete", "1", "--json").object == {"run": 1, "state": "deleted"}
    assert [each["run"] for each in bare.fine("run", "list", "--json").objects] == [2]
    assert bare.run("run", "delete", "2").code == 1


@pytest.mark.parametrize("verb", ["watch", "suspend", "resume", "stop", "delete"])
def test_a_run_that_is_not_there(verb: str, world: World) -> None:
    done = world.home.run("run", verb, "99", "--json")
    assert (done.code, done.problem["detail"]) == (4, "There is no run 99.")
