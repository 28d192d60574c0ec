"""Runs are steered from a terminal: watched, suspended, gone on with, stopped, forgotten."""

from __future__ import annotations

import pytest

from cormorant.base.clock import pause
from tests.cli.begin.test_serve import served
from tests.cli.conftest import World
from tests.cli.world import Answer, InstalledCli, Site, ended
from tests.clocks import until

LOOKS = 300
UNDER_WAY = 5
"""Requests at once to a host of this machine, and its robots.txt."""


def begun(home: InstalledCli, site: Site) -> None:
    """Wait until a crawl has begun to ask for pages."""
    for _ in range(LOOKS):
        if len(site.asked) > 3:
            return
        pause(0.1)
    raise AssertionError(site.asked)


def slow(home: InstalledCli, site: Site) -> None:
    """A source of sixty slow pages."""
    site.page("/", "Harbour office", "All about it.", tuple(f"/berth/{number}" for number in range(60)))
    for number in range(60):
        site.page(f"/berth/{number}", f"Berth {number}", f"Berth number {number}.")
        site.answers[f"/berth/{number}"].wait_s = 0.5
    home.fine("source", "add", "web", "docs", "--set", f"start={site.address}")


def test_the_log_of_a_run(bare: InstalledCli, site: Site) -> None:
    """The log has the regular events, those that the source asks for, and its report at the end, but no secrets."""
    for name, value in (("key", "CANARY-key-7"), ("door", "CANARY-door-8")):
        kept = bare.folder.with_name(name)
        kept.write_text(value)
        bare.fine("secret", "add", name, "--file", str(kept))
    start = f"{site.address}?access_token=CANARY-start-9"
    links = ("/ferries", "/ferries?api_key=CANARY-link-1", "/private/x")
    site.page("/?access_token=CANARY-start-9", "Harbour office", "All about it.", links)
    names = ("fetch", "screened", "site", "header")
    logs = [each for name in names for each in ("--set", f"logs={name}")]
    asked = ("--set", "headers=X-Key: secret:key", "--set", "credentials=basic ada secret:door", "--set", "depth=2")
    bare.fine("source", "add", "web", "docs", "--set", f"start={start}", *asked, *logs)
    bare.run("crawl", "docs")
    report, lines = bare.fine("run", "show", "--json").object, bare.fine("run", "log", "--json").objects
    assert {(each["run"], each["source"]) for each in lines} == {(1, "docs")}
    assert [each["at"] for each in lines] == sorted(each["at"] for each in lines)
    assert (lines[0]["event"], lines[0]["settings"]["depth"]) == ("begins", 2)
    fields = {name: each[name] for each in lines if each["event"] == "run" for name in each}
    assert {fields["started_at"], fields["finished_at"]} == {report["started_at"], report["finished_at"]}
    assert fields["unlisted"] == []
    assert (lines[-1]["event"], lines[-1]["fetched"]) == ("summary", report["fetched"])
    kinds = {name: [each for each in lines if each["event"] == name] for name in names}
    assert all(kinds.values()), {name: len(each) for name, each in kinds.items()}
    assert len(kinds["header"]) == report["requests"] == sum(each["requests"] for each in kinds["fetch"])
    private = next(each for each in kinds["screened"] if each["address"].endswith("/private/x"))
    assert (private["gate"], private["status"]) == ("robots", 970)
    assert bare.fine("run", "log", "1", "--only", "screened", "--json").objects == kinds["screened"]
    assert bare.fine("run", "log", "--last", "1", "--json").objects == lines[-1:]
    said = bare.fine("run", "log").out
    assert "X-Key: ***" in said
    assert "access_token=***" in said
    texts = [path.read_text() for path in (bare.folder / "logs").rglob("*.log*")]
    assert len(texts) > 3
    assert not [each for each in (*texts, said) if "CANARY" in each]
    assert bare.run("run", "log", "7").code == 4
    assert bare.run("run", "log", "--level", "loud").code == 2
    bare.fine("source", "edit", "docs", "--set", "log_level=off", "--yes")
    bare.run("crawl", "docs")
    bare.run("crawl", "docs")
    none = bare.run("run", "log", "2")
    assert (none.code, "Run 2 has no log" in none.err) == (4, True)
    bare.fine("run", "delete", "1")
    assert not (bare.folder / "logs" / "runs" / "1").exists()


def test_suspended_and_gone_on_with(bare: InstalledCli, site: Site) -> None:
    slow(bare, site)
    crawling = bare.start("crawl", "docs")
    begun(bare, site)
    assert bare.fine("run", "suspend", "--json").object == {"run": 1, "state": "suspended"}
    assert ended(crawling).code == 3
    assert bare.fine("run", "show", "--json").object["state"] == "suspended"
    assert bare.fine("run", "suspend", "1", "--json").object == {"run": 1, "state": "suspended"}, "again"
    resumed = bare.fine("run", "resume", "1", "--json")
    assert "Continuing run 1 of 'docs', which was suspended." in resumed.err
    report = resumed.object
    assert (report["run"], report["state"], report["indexed"]) == (1, "finished", 61)
    assert bare.run("run", "resume").code == 1
    twice = len(site.asked) - len(set(site.asked))
    assert twice <= UNDER_WAY, "what was under way when it was suspended comes again, and nothing else"


def test_stopped_for_good_and_watched(bare: InstalledCli, site: Site) -> None:
    slow(bare, site)
    crawling = bare.start("crawl", "docs")
    begun(bare, site)
    watching = bare.start("run", "watch", "--json")
    assert bare.fine("run", "stop", "1", "--json").object == {"run": 1, "state": "stopped"}
    assert ended(crawling).code == 3, "it has not done what was asked for"
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


def test_a_run_that_is_stopped_while_too_much_would_leave_takes_nothing_out_of_search(
    bare: InstalledCli, site: Site
) -> None:
    site.page("/", "Harbour office", "All about it.", tuple(f"/berth/{number}" for number in range(30)))
    for number in range(30):
        site.page(f"/berth/{number}", f"Berth {number}", "A berth.")
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}", "--set", "delay_s=0")
    bare.fine("crawl")
    for number in range(30):
        site.answers[f"/berth/{number}"] = Answer("gone", 404, wait_s=0.0 if number < 28 else 30.0)
    crawl = bare.start("crawl", "docs", "--json")
    until(lambda: bare.fine("status", "--json").object["sources"][0]["would_leave"] >= 25)
    assert len(bare.fine("search", "a berth", "--limit", "50", "--json").objects) == 31, "while it is under way"
    (said,) = [each for each in bare.fine("run", "show", "--json").object["problems"] if each["kind"] == "held"]
    assert "search finds them until it is complete" in said["sentence"]
    bare.fine("run", "stop")
    ended(crawl)
    assert len(bare.fine("search", "a berth", "--limit", "50", "--json").objects) == 31
    assert "documents of 31 would leave the index" in bare.fine("status").out
    shown = bare.fine("document", "show", f"{site.address}berth/1", "--json").object
    assert (shown["outcome"], shown["indexed"]) == ("gone", True)
    for number in range(30):
        site.answers[f"/berth/{number}"].wait_s = 0.0
    assert bare.run("crawl", "--json").object["state"] == "held"
    assert bare.fine("status", "--json").object["sources"][0]["would_leave"] == 0
    bare.fine("run", "accept")
    bare.fine("crawl")
    assert [each["url"] for each in bare.fine("search", "berth", "--json").objects] == [site.address]


def test_the_log_of_a_run_that_is_stopped_ends_with_what_its_report_says(bare: InstalledCli, site: Site) -> None:
    slow(bare, site)
    with served(bare):
        bare.fine("crawl", "docs", "--detach")
        until(lambda: len(site.asked) > 12)
        bare.fine("run", "stop")
        until(lambda: bare.fine("run", "log", "--last", "1", "--json").object["event"] == "summary")
        said = bare.fine("run", "log", "--last", "1", "--json").object
        report = bare.fine("run", "show", "--json").object
    assert {name: said[name] for name in ("fetched", "requests", "bytes", "to_fetch")} == {
        name: report[name] for name in ("fetched", "requests", "bytes", "to_fetch")
    }
