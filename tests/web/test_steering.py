"""Sources and runs from their beginning to their end by a program alone, asked over the network of a real server."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.cli.begin.test_serve import served
from tests.cli.world import Answer, InstalledCli, Site, serving
from tests.clocks import HANG_S, until
from tests.web.api.test_requests import held
from tests.web.asking import Got

PAGES = 8


@dataclass(frozen=True)
class Server:
    """A server that is at work, what it crawls, and a folder for what a test makes."""

    home: InstalledCli
    address: str
    site: Site
    folder: Path

    def ask(self, method: str, path: str, said: object = None) -> Got:
        """Ask once, with an object as JSON when there is one."""
        body = None if said is None else json.dumps(said).encode()
        fields = {} if said is None else {"Content-Type": "application/json"}
        asked = urllib.request.Request(f"{self.address}api/v1{path}", body, fields, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=HANG_S) as answer:
                return Got(answer.status, dict(answer.headers), answer.read().decode())
        except urllib.error.HTTPError as error:
            return Got(error.code, dict(error.headers), error.read().decode())

    def done(self, method: str, path: str, said: object = None) -> dict[str, Any]:
        """Ask for what has to be well and as it is described."""
        return held(method, path, self.ask(method, path, said))

    def refused(self, method: str, path: str, said: object = None) -> tuple[int, str, str]:
        """The refusal of an impossible request: status, code, sentence."""
        got = self.ask(method, path, said)
        return got.status, got.json["code"], got.json["detail"]

    def papers(self, name: str, count: int = PAGES) -> Path:
        """A source of files that is not crawled yet."""
        folder = self.folder / name
        folder.mkdir()
        for number in range(count):
            (folder / f"{number}.txt").write_text(f"Paper {number} about {name}.")
        made = self.done("POST", "/sources", {"kind": "files", "name": name, "settings": {"path": str(folder)}})
        assert (made["source"], made["kind"], made["version"]) == (name, "files", 1)
        return folder

    def order(self, name: str, **how: object) -> int:
        """Have one source crawled; the number of the run."""
        (run,) = self.done("POST", "/runs", {"sources": [name], **how})["runs"]
        return int(run["run"])

    def at(self, number: int, *states: str) -> dict[str, Any]:
        """The report of a run as soon as it is in one of these states."""

        def seen() -> dict[str, Any] | None:
            report = self.done("GET", f"/runs/{number}")
            assert report["state"] not in {"failed", "finished", "held", "pending"} - {*states}, report
            return report if report["state"] in states else None

        return until(seen)

    def crawled(self, name: str, **how: object) -> dict[str, Any]:
        """Have one source crawled to its end."""
        return self.at(self.order(name, **how), "finished")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("steering")
    home = InstalledCli(folder / "data")
    with serving(Site()) as site, served(home) as address:
        yield Server(home, address, site, folder)


def test_a_source_from_its_beginning_to_its_end(server: Server) -> None:
    server.papers("letters")
    report = server.crawled("letters")
    assert (report["indexed"], report["complete"]) == (PAGES, True)
    assert server.done("GET", "/search?q=letters")["total"] == PAGES
    seen = server.done("PATCH", "/sources/letters", {"settings": {"exclude": ["ends:/3.txt"]}, "preview": True})
    assert (seen["leave"], [each.rpartition("/")[2] for each in seen["leaving"]]) == (1, ["3.txt"])
    refused = server.ask("PATCH", "/sources/letters", {"settings": {"exclude": ["ends:/3.txt"]}})
    assert (refused.status, refused.json["code"], refused.json["leave"]) == (409, "conflict", 1)
    assert refused.json["leaving"] == seen["leaving"]
    assert refused.json["leave_rules"] == [{"rule": "boundary: exclude ends:/3.txt", "addresses": 1}]
    assert server.done("GET", "/sources/letters")["version"] == 1
    edited = server.done("PATCH", "/sources/letters", {"settings": {"exclude": ["ends:/3.txt"]}, "yes": True})
    assert (edited["version"], edited["settings"]["exclude"]) == (2, ["ends:/3.txt"])
    assert server.crawled("letters")["state"] == "finished"
    assert server.done("GET", "/search?q=letters")["total"] == PAGES - 1
    assert "exclude" not in server.done("PATCH", "/sources/letters", {"settings": {"exclude": None}})["settings"]
    status, code, says = server.refused("DELETE", "/sources/letters")
    assert (status, code, f"{PAGES - 1} documents would leave" in says) == (409, "conflict", True)
    gone = server.done("DELETE", "/sources/letters?yes=true")
    assert gone == {"source": "letters", "deleted": True, "documents": PAGES - 1, "schedules": []}
    assert server.ask("GET", "/sources/letters").status == 404


def test_a_source_is_as_the_command_has_it(server: Server) -> None:
    server.papers("bills", 1)
    record = server.done("GET", "/sources/bills")
    assert server.home.fine("source", "show", "bills", "--json").object == record
    judged = server.done("POST", "/sources/bills/test", {"no_fetch": True})
    printed = server.home.fine("source", "test", "bills", "--no-fetch", "--json").object
    assert judged == printed
    assert server.done("POST", "/schedules", {"schedule": "weekly", "sources": ["bills"], "when": "manual"})
    assert server.done("DELETE", "/sources/bills")["schedules"] == [{"schedule": "weekly", "alone": True}]


def test_a_source_that_cannot_be_crawled_as_it_is_is_kept_and_says_so(server: Server) -> None:
    said = {"kind": "files", "name": "away", "settings": {"path": str(server.folder / "nowhere")}}
    made = server.done("POST", "/sources", said)
    assert (made["problem"]["code"], "nowhere" in made["problem"]["detail"]) == ("unreachable", True)
    assert "problem" not in server.done("PATCH", "/sources/away", {"settings": {"path": str(server.folder)}})
    server.done("DELETE", "/sources/away")


@pytest.mark.parametrize(
    ("method", "path", "said", "what", "says"),
    [
        ("POST", "/sources", {"kind": "none", "name": "a"}, "404 not_found", "none"),
        ("POST", "/sources", {"kind": "web", "name": "a"}, "422 bad_setting", "start"),
        ("POST", "/sources", {"kind": "web", "name": "a/b"}, "400 usage", "cannot be the name"),
        ("POST", "/sources", {"name": "a"}, "422 usage", "`kind` has to be given"),
        ("PATCH", "/sources/none", {"settings": {"depth": 1}}, "404 not_found", "no source 'none'"),
        ("PATCH", "/sources/none", {"settings": {}}, "422 usage", "has to have something in it"),
        ("DELETE", "/sources/none", None, "404 not_found", "no source 'none'"),
        ("POST", "/sources/none/test", {"no_fetch": True}, "404 not_found", "no source 'none'"),
        ("POST", "/sources/none/test", {}, "400 usage", "`no_fetch`"),
        ("POST", "/runs", {"sources": ["none"]}, "404 not_found", "no source 'none'"),
        ("POST", "/runs", {"source": "none"}, "422 usage", "`source` is not known"),
        ("POST", "/runs", {"mode": "odd"}, "422 usage", "`mode` has to be 'accept', 'examine'"),
        ("POST", "/runs/999/stop", None, "404 not_found", "There is no run 999"),
        ("POST", "/runs/999/prune", {"rules": ["path:/x"]}, "404 not_found", "There is no run 999"),
        ("POST", "/runs/999/prune", {"rules": []}, "422 usage", "`rules` has to have something in it"),
        ("DELETE", "/runs/999", None, "404 not_found", "There is no run 999"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said(server: Server, method: str, path: str, said: object, what: str, says: str) -> None:
    status, code, sentence = server.refused(method, path, said)
    assert (f"{status} {code}", says in sentence) == (what, True), sentence


def test_nobody_learns_which_files_lie_here(server: Server) -> None:
    server.papers("maps", 1)
    for address in ("~/x", "0.txt"):
        assert server.refused("POST", "/sources/maps/test", {"address": address, "no_fetch": True})[1] == "bad_address"


def test_a_run_is_suspended_goes_on_and_is_stopped(server: Server) -> None:
    wait = server.site.answers
    wait["/slow"] = Answer("<title>Slow</title>", held=(going_on := Event()))
    server.site.page("/", "Start", "", ("/slow",))
    server.done("POST", "/sources", {"kind": "web", "name": "slow", "settings": {"start": [server.site.address]}})
    number = server.order("slow")
    try:
        until(lambda: "/slow" in server.site.asked)
        (again,) = server.done("POST", "/runs", {"sources": ["slow"], "refresh": "due"})["runs"]
        assert again == {"run": number, "source": "slow", "resumed": True, "as_before": True}
        assert server.refused("DELETE", f"/runs/{number}")[:2] == (409, "conflict")
        assert server.refused("DELETE", "/sources/slow?yes=true")[:2] == (409, "conflict")
        for _ in range(2):
            assert server.done("POST", f"/runs/{number}/suspend")["state"] == "suspended"
        assert server.done("POST", f"/runs/{number}/resume")["state"] != "suspended"
        for _ in range(2):
            assert server.done("POST", f"/runs/{number}/stop")["state"] == "stopped"
        status, code, says = server.refused("POST", f"/runs/{number}/resume")
        assert (status, code, "it is stopped" in says) == (409, "conflict", True)
    finally:
        going_on.set()
    newer = server.crawled("slow")["run"]
    assert newer > number
    for _ in range(2):
        assert server.done("DELETE", f"/runs/{number}") == {"run": number, "state": "deleted"}
    assert server.refused("DELETE", f"/runs/{newer}")[:2] == (409, "conflict")


def test_what_is_examined_is_pruned_and_indexed(server: Server) -> None:
    server.papers("drafts")
    number = server.order("drafts", mode="examine")
    assert server.at(number, "pending")["index_writes"] == 0
    pruned = server.done("POST", f"/runs/{number}/prune", {"rules": ["ends:/1.txt", "ends:nothing"]})
    assert (pruned["pruned"], pruned["left"], pruned["idle"]) == (1, PAGES - 1, ["ends:nothing"])
    server.done("POST", f"/runs/{number}/index")
    assert server.at(number, "finished")["indexed"] == PAGES - 1
    assert server.done("POST", f"/runs/{number}/index")["run"] == number
    assert server.refused("POST", f"/runs/{number}/accept")[:2] == (409, "conflict")


@pytest.mark.parametrize(("verb", "left"), [("accept", 1), ("refuse", PAGES)])
def test_a_held_run_is_answered(server: Server, verb: str, left: int) -> None:
    folder = server.papers(f"held-{verb}")
    server.crawled(f"held-{verb}")
    for number in range(1, PAGES):
        (folder / f"{number}.txt").unlink()
    number = server.order(f"held-{verb}")
    leaving = [each["url"] for each in server.at(number, "held")["leaving"]]
    assert len(leaving) == PAGES - 1
    status, code, says = server.refused("POST", "/runs", {"sources": [f"held-{verb}"]})
    assert (status, code, f"Run {number} of" in says) == (409, "conflict", True)
    server.papers(f"beside-{verb}", 1)
    both = server.done("POST", "/runs", {"sources": [f"held-{verb}", f"beside-{verb}"]})
    assert [each["source"] for each in both["runs"]] == [f"beside-{verb}"]
    assert [(each["detail"], each["leaving"]) for each in both["left_out"]] == [(says, leaving)]
    server.done("POST", f"/runs/{number}/{verb}")
    server.at(number, "finished")
    assert server.done("GET", f"/sources/held-{verb}")["documents"] == left


def test_deliveries_are_paused_and_go_on(server: Server) -> None:
    for verb, paused in (("pause", True), ("pause", True), ("resume", False)):
        assert server.done("POST", f"/provider/{verb}") == {"paused": paused}
        assert server.done("GET", "/system")["paused"] is paused


def test_the_system_is_what_status_says(server: Server) -> None:
    def both() -> tuple[dict[str, Any], dict[str, Any]] | None:
        printed, seen = server.home.fine("status", "--json").object, server.done("GET", "/system")
        roles = [[each["role"] for each in said["processes"]] for said in (printed, seen)]
        return (printed, seen) if roles[0] == roles[1] != [] and printed["sources"] == seen["sources"] else None

    printed, seen = until(both)  # its processes have begun, and what goes on was the same at both moments
    assert seen.keys() == printed.keys()


def test_a_run_under_way_says_how_long_it_will_take(server: Server) -> None:
    pages = [f"/page{number}" for number in range(80)]
    for each in pages:
        server.site.page(each, f"Page {each}", "kelp")
    server.site.page("/many", "Many", "", tuple(pages))
    start = {"start": [f"{server.site.address}many"], "delay_s": 0.25}
    server.done("POST", "/sources", {"kind": "web", "name": "many", "settings": start})
    number = server.order("many")

    def foreseen() -> dict[str, Any] | None:
        report = server.at(number, "waiting", "discovering", "retrieving")
        return report if report["eta_s"] and report["eta_s"]["most"] else None

    report = until(foreseen)
    assert 0 < report["eta_s"]["least"] < report["eta_s"]["most"]
    assert report["bottleneck"]
    assert server.home.fine("run", "show", str(number), "--json").object.keys() == report.keys()
    ended = server.done("POST", f"/runs/{number}/stop")
    assert "eta_s" not in ended
    assert server.done("GET", f"/runs/{number}")["eta_s"] is None
