"""Kinds that packages add: installed, crawled with and searched; broken ones are named and harm nothing else."""

from __future__ import annotations

import csv
import json
import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from shutil import rmtree

import pytest

from cormorant.model.acl import ANYONE
from cormorant.operate.documents import cached_copy
from cormorant.search.reader import Question
from tests.cli import kept
from tests.clocks import HANG_S, until
from tests.journeys import commands
from tests.journeys.home import Home
from tests.journeys.maze import page, serving
from tests.journeys.plugins import EXAMPLES, announce, install

ROWS = (
    (1, "Printer on fire", "It burns in the harbour office.", "a"),
    (2, "Mole", "The mole dug up the lawn.", "a"),
    (3, "Ünusual / key", "A zebra crossed.", "a"),
)
PO = r"""
msgid ""
msgstr ""
"Project-Id-Version: Lighthouse 1.2\n"
"Language: de\n"

#: secretcomment.c:12
msgid "The lamp is out"
msgstr "Die Lampe ist \"erloschen\""
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that packages are installed into, for commands and whatever they start."""
    folder = tmp_path / "site"
    folder.mkdir()
    kept.run(["--version"], dict(os.environ), HANG_S)  # what commands are forked from has nothing installed
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


def fine(home: Home, *words: str) -> str:
    done = commands.run(home, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def fill(path: Path, rows: Sequence[tuple[object, ...]]) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE IF EXISTS documents")
        database.execute("CREATE TABLE documents (id INTEGER, title TEXT, body TEXT, changed TEXT)")
        database.executemany("INSERT INTO documents VALUES (?, ?, ?, ?)", rows)
        database.commit()


def test_a_kind_of_source_is_installed_crawled_and_searched(file_home: Home, site: Path, tmp_path: Path) -> None:
    install(EXAMPLES / "sqlite-source", site)
    fill(tmp_path / "desk.db", ROWS)
    assert "cormorant-sqlite 1.0" in fine(file_home, "source", "kinds")
    assert "The database, like /srv/desk.db." in fine(file_home, "source", "kinds", "sqlite")
    fine(file_home, "source", "add", "sqlite", "desk", "--set", f"path={tmp_path / 'desk.db'}")
    fine(file_home, "crawl")
    assert [len(each) for each in file_home.found("harbour", "mole", "zebra")] == [1, 1, 1]
    assert file_home.found("zebra") == [["sqlite://1/3"]]
    fill(tmp_path / "desk.db", [(1, "Printer is out", "Only smoke is left.", "b"), ROWS[2]])
    said = fine(file_home, "crawl")
    assert ("1 changed" in said, "1 unchanged" in said, "1 deleted" in said) == (True, True, True), said
    assert [len(each) for each in file_home.found("harbour", "smoke", "mole", "zebra")] == [0, 1, 0, 1]
    (tmp_path / "desk.db").unlink()
    lost = commands.run(file_home, "crawl")
    assert lost.returncode == 6, lost.stderr
    assert "Check the setting path." in lost.stdout + lost.stderr
    assert [len(each) for each in file_home.found("smoke", "zebra")] == [1, 1], "what cannot be listed is not gone"


def test_a_converter_is_installed_and_runs_in_a_limited_child(file_home: Home, site: Path, tmp_path: Path) -> None:
    install(EXAMPLES / "po-converter", site)
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "de.po").write_text(PO)
    (papers / "broken.po").write_text("nothing of the kind")
    (papers / "plain.txt").write_text("a lighthouse keeper")
    fine(file_home, "source", "add", "files", "papers", "--set", f"path={papers}")
    assert commands.run(file_home, "crawl").returncode == 3, "one file cannot be read"
    assert [len(each) for each in file_home.found("erloschen", "keeper", "secretcomment", "msgid")] == [1, 1, 0, 0]
    shown = file_home.shown(f"file://{papers}/de.po")
    assert (shown["title"], shown["mime"]) == ("Lighthouse 1.2", "text/x-gettext-translation")
    broken = file_home.explained(f"file://{papers}/broken.po")
    assert broken["status"] == 903
    assert "it holds no translations" in broken["because"]


def test_a_document_service_is_installed_and_passed(file_home: Home, site: Path, tmp_path: Path) -> None:
    install(EXAMPLES / "stamp-service", site)
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "draft.txt").write_text("DRAFT\nof the lighthouse report")
    (papers / "report.html").write_text("<p>A lighthouse report<p>Approved by: ada@example.org")
    assert "cormorant-stamps 1.0" in fine(file_home, "source", "services")
    services = ("--set", "services=stamps", "--set", "services=redact find=email")
    fine(file_home, "source", "add", "files", "papers", "--set", f"path={papers}", *services)
    lines = tmp_path / "lines.jsonl"
    fine(file_home, "receiver", "add", "jsonlines", "lines", "--set", f"path={lines}", "--set", "html=true")
    fine(file_home, "crawl")
    report, draft = f"file://{papers}/report.html", f"file://{papers}/draft.txt"
    assert file_home.found("lighthouse", "ada") == [[report], []]
    refused = file_home.explained(draft)
    assert (refused["verdict"], refused["status"]) == ("excluded", 982)
    assert "stamps: it is stamped DRAFT" in refused["because"]
    read = file_home.explained(report)["conversion"]
    assert ([each["service"] for each in read["services"]], read["withheld"]) == (["stamps", "redact"], True)
    assert "stamps (" in fine(file_home, "explain", report)
    (record,) = [json.loads(line) for line in lines.read_text().splitlines()]
    assert ("[removed]" in record["text"], record.get("html")) == (True, None)
    with file_home.house() as house, file_home.library() as library:
        (hit,) = library.find(Question("lighthouse"), ANYONE).hits
        copy = cached_copy.copy(house, library, hit.id)
    assert (copy.is_page, "[removed]" in copy.markup, "example.org" in copy.markup) == (False, True, False)
    assert hit.attributes["Approver"] == ["[removed]"]
    edited = commands.run(file_home, "source", "edit", "papers", "--set", "services=", "--preview").stderr
    assert "again" in edited, edited
    fine(file_home, "source", "edit", "papers", "--set", "services=", "--yes")
    fine(file_home, "crawl")
    assert [len(each) for each in file_home.found("lighthouse", "ada")] == [2, 1]


def test_an_installed_receiver_gets_events(file_home: Home, site: Path, tmp_path: Path) -> None:
    install(EXAMPLES / "host-counts", site)
    papers = tmp_path / "papers"
    papers.mkdir()
    for number in range(5):
        (papers / f"{number}.txt").write_text(f"paper {number}")
    fine(file_home, "source", "add", "files", "papers", "--set", f"path={papers}")
    fine(file_home, "receiver", "add", "host-counts", "counts", "--set", f"path={tmp_path / 'hosts.csv'}")
    fine(file_home, "crawl")
    (papers / "0.txt").unlink()
    fine(file_home, "crawl")
    with (tmp_path / "hosts.csv").open(newline="") as file:
        last, *counts = csv.reader(file)
    assert (last[0], counts) == ("last", [["file", "4"]])


BROKEN = "raise RuntimeError('the library is missing')\n"
SLOW = """
import threading
from cormorant.plugins import Format
FORMAT = Format("Slow", ("text/x-slow",), "slow_reader:convert", ("slow",))
"""
READER = """
import threading, time
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
def convert(body, task): ...
"""
TAKEN = """
from cormorant.plugins import BaseSource, Format
class Web(BaseSource):
    kind, about = "web", "A thief."
FORMAT = Format("Portable", ("application/pdf",), "taken:convert")
"""


def test_what_cannot_be_loaded_is_named_and_harms_nothing(file_home: Home, site: Path, tmp_path: Path) -> None:
    announce(site, "broken", "cormorant.sources", {"broken": "broken:Source"}, broken=BROKEN)
    announce(site, "gone", "cormorant.receivers", {"gone": "no_such_module:Receiver"})
    announce(site, "thief", "cormorant.sources", {"web": "taken:Web"}, taken=TAKEN)
    announce(site, "thief2", "cormorant.converters", {"pdf": "taken:FORMAT"})
    announce(site, "slow", "cormorant.converters", {"slow": "slow:FORMAT"}, slow=SLOW, slow_reader=READER)
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "a.txt").write_text("a lighthouse keeper")
    (papers / "b.slow").write_text("a slow keeper")
    kinds = fine(file_home, "source", "kinds")
    assert "web" in kinds
    assert "broken" not in kinds
    fine(file_home, "source", "add", "files", "papers", "--set", f"path={papers}")
    refused = commands.run(file_home, "source", "add", "broken", "x")
    assert refused.returncode == 1
    assert "'broken' of the package broken 1.0" in refused.stderr
    assert "RuntimeError: the library is missing." in refused.stderr
    assert commands.run(file_home, "crawl").returncode == 3
    assert [len(each) for each in file_home.found("lighthouse")] == [1]
    assert "starts threads" in file_home.explained(f"file://{papers}/b.slow")["because"]
    said = commands.run(file_home, "doctor", "--json").stdout
    for words in ("has the name of a built-in source", "application/pdf has a built-in converter", "no_such_module"):
        assert words in said


def test_a_kind_that_is_uninstalled_leaves_its_sources_to_be_seen(file_home: Home, site: Path, tmp_path: Path) -> None:
    install(EXAMPLES / "sqlite-source", site)
    fill(tmp_path / "desk.db", ROWS)
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.txt").write_text("a lighthouse keeper")
    fine(file_home, "source", "add", "sqlite", "desk", "--set", f"path={tmp_path / 'desk.db'}")
    fine(file_home, "source", "add", "files", "papers", "--set", f"path={tmp_path / 'papers'}")
    fine(file_home, "crawl")
    rmtree(site)
    assert "desk" in fine(file_home, "source", "list")
    fine(file_home, "doctor")
    fine(file_home, "crawl", "papers")
    assert [len(each) for each in file_home.found("zebra", "lighthouse")] == [1, 1]
    lost = commands.run(file_home, "crawl", "desk")
    assert lost.returncode == 4
    assert "There is no kind of source 'sqlite'." in lost.stderr


def test_a_reinstalled_receiver_gets_the_events_that_it_missed(file_home: Home, site: Path, tmp_path: Path) -> None:
    install(EXAMPLES / "host-counts", site)
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "a.txt").write_text("a lighthouse keeper")
    fine(file_home, "source", "add", "files", "papers", "--set", f"path={papers}")
    fine(file_home, "receiver", "add", "host-counts", "counts", "--set", f"path={tmp_path / 'hosts.csv'}")
    rmtree(site)
    with commands.begun(file_home, "crawl") as crawl:
        until(lambda: "There is no kind of receiver 'host-counts'." in fine(file_home, "receiver", "list", "--json"))
        until(lambda: file_home.found("lighthouse") != [[]])
        assert not (tmp_path / "hosts.csv").exists()
        site.mkdir()
        install(EXAMPLES / "host-counts", site)
        assert crawl.wait() == 0
    assert (tmp_path / "hosts.csv").read_text().splitlines()[1:] == ["file,1"]


def test_a_rewriter_is_installed_and_asked(file_home: Home, site: Path) -> None:
    install(EXAMPLES / "printed-rewriter", site)
    pages = {"/": page("Home", "harbour", "/a?print=1", "/a", "/calendar/2026"), "/a": page("A", "razorbills")}
    with serving(lambda path: pages.get(path, 404)) as maze:
        fine(file_home, "source", "add", "web", "birds", "--set", f"start={maze.home}", "--set", "rewriter=printed")
        fine(file_home, "crawl")
        assert sorted(maze.paths) == ["/", "/a"]
    assert file_home.found("razorbills") == [[maze.url("/a")]]
