"""The search page from a terminal: it says where it is, lets others crawl meanwhile, and ends when asked to."""

from __future__ import annotations

import http.client
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.processes import web
from cormorant.app.processes.web import Reach
from cormorant.app.settings import InstallationSettings as Settings
from cormorant.base.errors import ConflictError
from tests.cli.conftest import World
from tests.cli.world import InstalledCli, Site, ended
from tests.clocks import HANG_S, until
from tests.journeys.crawling import ROOT


@contextmanager
def served(home: InstalledCli, *words: str) -> Iterator[str]:
    """Serve for the length of a block; the address."""
    process = home.start("serve", "--port", "0", "--json", *words)
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["address"]
    finally:
        process.send_signal(signal.SIGTERM)
        ended(process)


def get(address: str) -> tuple[int, str]:
    """Status and body."""
    with urllib.request.urlopen(address, timeout=HANG_S) as answer:
        return answer.status, answer.read().decode()


def answers(address: str) -> bool:
    """Whether anything listens there."""
    host, port = address.removeprefix("http://").rstrip("/").split(":")
    with socket.socket() as attempt:
        return attempt.connect_ex((host, int(port))) == 0


def test_search_page_and_crawls_meanwhile(home: InstalledCli, site: Site) -> None:
    site.page("/", "Albatross", "A wanderer.")
    with served(home) as address:
        assert "What are you looking for?" in get(address)[1]
        assert "Ferry timetable" in get(f"{address}search?q=quixotic")[1]
        home.fine("source", "add", "web", "more", "--set", f"start={site.address}")
        done = home.run("crawl", "more")
        assert done.code == 0, done
        assert "is already running here and will do this crawl" in done.err
        assert "Albatross" in get(f"{address}search?q=albatross")[1]
        other = home.run("serve", "--port", "0")
        assert (other.code, "is running on" in other.err) == (1, True)
        again = home.run("serve", "--port", address.rstrip("/").rpartition(":")[2])
        assert (again.code, f"Cormorant already serves {home.folder}" in again.err) == (1, True), again
        assert home.fine("index", "rebuild", "--json").object["damaged"] == 0
        assert "Albatross" in get(f"{address}search?q=albatross")[1]
    assert not answers(address)


def test_a_crawl_is_refused_the_port_of_the_page(home: InstalledCli) -> None:
    with served(home) as address:
        home.fine("source", "add", "web", "self", "--set", f"start={address}")
        done = home.run("crawl", "self", "--json")
        assert done.code == 3
        assert done.object["fetched"] == 0
        assert done.object["problems"][0]["status"] == 974
        tried = home.run("source", "test", "self", "--json")
        assert tried.object["status"] == 974, tried


def ask(port: str, path: str, **headers: str) -> int:
    """The status of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=HANG_S)
    try:
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


def test_beyond_this_machine_all_but_search_needs_the_token_that_is_shown_once(home: InstalledCli) -> None:
    words = ("serve", "--port", "0", "--json", "--host", "0.0.0.0", "--name", "search.example.org")
    shown = []
    for _ in range(2):
        process = home.start(*words)
        try:
            assert process.stdout is not None
            shown.append(json.loads(process.stdout.readline()))
            port = shown[-1]["address"].rstrip("/").rpartition(":")[2]
            assert shown[-1]["address"] == f"http://search.example.org:{port}/"
            bearer = {"Authorization": f"Bearer {shown[0]['token']}"}
            assert ask(port, "/search?q=quixotic", Host=f"search.example.org:{port}") == 200
            assert ask(port, "/search?q=quixotic", Host="other.example.org") == 421
            assert [ask(port, "/api/openapi.json"), ask(port, "/api/openapi.json", **bearer)] == [401, 200]
        finally:
            process.send_signal(signal.SIGTERM)
            ended(process)
    assert ["token" in each for each in shown] == [True, False]
    assert [each["token"] for each in home.fine("token", "list", "--json").objects] == ["first"]
    logs = "".join(path.read_text() for path in (home.folder / "logs").glob("*.log"))
    assert shown[0]["token"] not in logs


def test_a_proxy_is_believed_when_it_is_named(home: InstalledCli) -> None:
    said = {"X-Forwarded-For": "192.0.2.7", "Authorization": "Bearer wrong"}
    for words, places in (((), 1), (("--proxy", "127.0.0.1"), 2)):
        with served(home, "--name", "search.example.org", *words) as address:
            port = address.rstrip("/").rpartition(":")[2]
            assert {ask(port, "/", **said) for _ in range(10)} == {401}
            assert ask(port, "/", **said) == 429
            other = said | {"X-Forwarded-For": "192.0.2.8"}
            assert ask(port, "/", **other) == (401 if places == 2 else 429)


def test_private_pages_need_the_token_on_this_machine_too(home: InstalledCli) -> None:
    with served(home, "--private") as address:
        port = address.rstrip("/").rpartition(":")[2]
        assert [ask(port, path) for path in ("/", "/search?q=a", "/health/ready")] == [401, 401, 200]


@pytest.mark.parametrize(
    ("words", "others"),
    [(("--name", "x.example.org"), "others may search what is for everyone"), (("--private",), "nobody may search")],
)
def test_who_may_search_is_said_with_the_first_token(home: InstalledCli, words: tuple[str, ...], others: str) -> None:
    process = home.start("serve", "--port", "0", *words)
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(3)]
    process.send_signal(signal.SIGTERM)
    ended(process)
    assert said[1].startswith("First token: ")
    assert others in said[2]


def said_while_serving(home: InstalledCli, *words: str) -> str:
    """The notes of `serve` until all of its processes are at work."""
    process = home.start_fresh("serve", "--port", "0", "--json", *words)
    assert process.stdout is not None
    process.stdout.readline()
    until(lambda: len(processes_of(home)) >= 5)
    process.send_signal(signal.SIGTERM)
    return ended(process).err


def test_pages_behind_a_login_are_named_before_others_find_them(home: InstalledCli) -> None:
    beyond = ("--name", "search.example.org")
    assert "with a login" not in said_while_serving(home, *beyond)
    home.fine("source", "edit", "docs", "--set", "headers=X-Tenant: blue", "--yes")
    assert "finds the documents that were crawled with a login: docs." in said_while_serving(home, *beyond)
    for words in ((), (*beyond, "--private")):
        assert "with a login" not in said_while_serving(home, *words)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0), (signal.SIGHUP, 130)])
def test_it_ends_when_asked_to(number: int, code: int, home: InstalledCli) -> None:
    process = home.start("serve", "--port", "0")
    assert process.stdout is not None
    address = process.stdout.readline().split()[2]
    until(lambda: answers(address))
    process.send_signal(number)
    done = ended(process)
    assert done.code == code
    assert "All data is kept" in done.err
    assert not answers(address)


def test_pages_of_the_same_folder_are_not_served_twice(home: InstalledCli) -> None:
    with served(home) as address:
        port = int(address.rstrip("/").rpartition(":")[2])
        with pytest.raises(ConflictError, match=f"Cormorant already serves .* at port {port}: open that page"):
            web.bind(Reach("127.0.0.1", port, named=False), BuildPlan(home.folder, Settings()))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_quickstart_serves_at_the_end(number: int, code: int, bare: InstalledCli, world: World) -> None:
    process = bare.start("quickstart", str(world.papers), "--port", "0")
    output = process.stdout
    assert output is not None
    line = until(lambda: next((each for each in iter(output.readline, "") if "Search page" in each), None))
    assert "Notice to mariners" in get(f"{line.split()[2]}search?q=mariners")[1]
    process.send_signal(number)
    assert ended(process).code == code


def test_documents_without_use_are_no_failure_of_a_first_look(bare: InstalledCli, tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    for name, said in (("tides.txt", "Tides."), ("broken.pdf", "%PDF-1.4 and no more"), ("blank.html", "<p> </p>")):
        (tmp_path / "papers" / name).write_text(said)
    done = bare.run("quickstart", "--no-serve", str(tmp_path / "papers"))
    assert (done.code, "broken.pdf" in done.err, "no text" in done.err) == (0, True, True), done


def test_what_ends_make_ends_what_it_runs(bare: InstalledCli, world: World) -> None:
    words = ["make", "run", "SERVE=1", "PORT=0", f"START={world.papers}", "-o", ".venv/.stamp-run"]
    environment = {**os.environ, "CORMORANT_DATA": str(bare.folder)}
    process = subprocess.Popen(
        [*words, f"BIN={Path(sys.executable).parent}"], cwd=ROOT, env=environment, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    output = process.stdout
    assert output is not None
    line = until(lambda: next((each for each in iter(output.readline, "") if "Search page" in each), None))
    process.terminate()
    ended(process)
    assert not answers(line.split()[2])


def test_quickstart_twice_uses_the_same_sources(bare: InstalledCli, world: World, empty_url: str) -> None:
    bare = InstalledCli(bare.folder, {"CORMORANT_STORE": empty_url})
    for _ in range(2):
        done = bare.run("quickstart", "--no-serve", str(world.papers), world.site.address)
        assert done.code == 0, done
        assert f"Try a search: cormorant --data {shlex.quote(str(bare.folder))} search " in done.out
    kinds = {each["source"]: each["kind"] for each in bare.fine("source", "list", "--json").objects}
    assert kinds == {"papers": "files", "127.0.0.1": "web"}
    assert len(bare.fine("run", "list", "--json").objects) == 4


def test_quickstart_without_a_name_takes_the_sample(bare: InstalledCli) -> None:
    done = bare.run("quickstart", "--no-serve")
    assert done.code == 0, done
    assert "'sample-site': finished" in done.out
    assert "  1. " in done.out
    assert bare.fine("search", "cormorant", "--json").objects
    report = bare.fine("run", "list", "--source", "sample-site", "--json").object
    assert report["indexed"] > 10
    again = bare.run("crawl")
    assert (again.code, "1 document fails as before" in again.out) == (0, True), "a file of the sample is damaged"
    assert "Serving the bundled sample at http://127.0.0.1:" in again.err
    report = bare.fine("run", "show", "3", "--json").object
    assert (report["source"], report["complete"], report["failed"]) == ("sample-documents", True, 1)
    report = bare.fine("run", "show", "4", "--json").object
    assert (report["source"], report["complete"], report["failed"]) == ("sample-site", True, 0)
    assert report["unchanged"] > 10
    assert "Serving" not in bare.run("crawl", "sample-documents").err
    shutil.rmtree(bare.folder)


def test_without_an_index_there_is_nothing_to_search(bare: InstalledCli, world: World) -> None:
    plain = InstalledCli(bare.folder, {"CORMORANT_INDEX": "none"})
    assert plain.run("quickstart", "--no-serve", str(world.papers)).code == 0
    done = plain.run("search", "harbour")
    assert (done.code, "without an index" in done.err) == (1, True)


def test_processes_are_all_gone_after_the_end(home: InstalledCli) -> None:
    process = home.start_fresh("serve", "--port", "0")
    until(lambda: len(processes_of(home)) >= 5)
    process.send_signal(signal.SIGTERM)
    ended(process)
    assert not processes_of(home)


def processes_of(home: InstalledCli) -> list[str]:
    """Command lines of processes that work on this folder."""
    done = subprocess.run(["ps", "-ww", "-eo", "args"], capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if str(home.folder) in line]
