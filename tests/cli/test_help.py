"""Every command explains itself, has an example, and the example works."""

from __future__ import annotations

import importlib
import io
import re
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import typer

from cormorant.cli import error_boundary, registry
from tests.cli.conftest import World
from tests.cli.world import InstalledCli, ended

EXAMPLE = re.compile(r"^ +(cormorant .*)$", re.MULTILINE)
FORKS = ("crawl", "quickstart", "run accept", "run refuse", "run resume", "receiver resend")
"""These start processes, so they are run as one."""
PROGRAM = Path(__file__).parents[2] / "examples" / "programs" / "manual_pages.py"
ITEMS = '{"items": [{"id": "17", "title": "Pump leaks", "content": "The pump leaks."}]}'
FILES = {
    "tickets.json": ITEMS,
    "part1.xml": '<feed mode="incremental"><item id="18"><title>Valve</title><content>Oil.</content></item></feed>',
    "part2.xml": '<feed mode="incremental"><item id="16" action="delete"/></feed>',
    "values.csv": "attribute,value,source,name,name:de\nDepartment,sales,,Sales,Vertrieb\n",
    "values.json": '{"attribute": "Department", "value": "sales", "source": null, "names": {"": "Sales"}}\n',
}
"""Files that examples name."""
SERVES = "serve"
"""This does not end."""
ENDS = {
    "cormorant source test intranet": 6,
    "cormorant run accept": 1,
    "cormorant run refuse": 1,
    "cormorant run suspend": 1,
    "cormorant run resume": 1,
    "cormorant run stop": 1,
    "cormorant run delete": 1,
    "cormorant document delete http://localhost:8000/draft.html": 4,
    "cormorant receiver edit": 4,
    "cormorant receiver delete": 4,
    "cormorant receiver faulty": 4,
    "cormorant receiver resend": 4,
    "cormorant receiver add webhook": 4,
    "cormorant source delete": 4,
    "cormorant secret edit": 4,
    "cormorant secret delete": 4,
    "cormorant token edit": 4,
    "cormorant token delete": 4,
    "cormorant trap accept": 4,
    "cormorant cache diff": 1,
    "cormorant lov edit": 4,
    "cormorant lov delete": 4,
    "cormorant crawl docs --detach": 3,
    "cormorant parameters show gentle": 4,
    "cormorant parameters edit gentle": 4,
    "cormorant parameters delete gentle": 4,
    "cormorant run prune 3": 4,
    "cormorant run index 3": 4,
    "cormorant run index": 1,
    "cormorant schedule show": 4,
    "cormorant schedule edit": 4,
    "cormorant schedule enable": 4,
    "cormorant schedule disable": 4,
    "cormorant schedule start": 4,
    "cormorant schedule delete": 4,
    "cormorant source test docs --address https://elsewhere.example": 3,
}
"""Messages of examples that fit no installation: no run is held or open, a name is unknown, no link leads there,
nothing has changed, an examined run waits for an answer."""


def command_lines() -> Iterator[list[str]]:
    """Every command with its subcommands, as words."""
    for command in registry.ALL.values():
        app: typer.Typer = getattr(importlib.import_module(f"cormorant.cli.{command.module}"), command.app)
        if app.registered_callback is None:
            yield [command.name]
        else:
            names = (each.name or getattr(each.callback, "__name__", "") for each in app.registered_commands)
            yield from ([command.name, name] for name in names)


LINES = list(command_lines())


def help_of(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert error_boundary.run([*words, "--help"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_no_default_is_a_word_of_the_program(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert "<class" not in help_of(words, capsys)


def test_the_overview_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    said = help_of([], capsys)
    for name in registry.ALL:
        assert re.search(rf"^  {name} +\w", said, re.MULTILINE), name
    assert len(EXAMPLE.findall(said)) >= 3


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_every_command_has_help_with_an_example(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    said = help_of(words, capsys)
    assert said.startswith(f"Usage: cormorant {' '.join(words)}")
    found = EXAMPLE.findall(said)
    assert found
    assert all(shlex.split(each)[1 : len(words) + 1] == words for each in found)
    assert not [each for each in found if re.search(r"[*?\[]", re.sub(r"'[^']*'", "", each))], "a shell expands it"
    assert "--data DIR" in said


def fitted(example: str, world: World, folder: Path) -> list[str]:
    """The words of an example, with this test's places in place of invented ones."""
    for invented, real in (
        ("http://localhost:8000/", world.site.address), ("https://handbook.example.org/", world.site.address),
        ("~/papers", str(world.papers)), ("/srv/papers", str(world.papers)),
        ("/tmp/found.jsonl", str(folder / "found.jsonl")), ("/srv/archive", str(folder)),
        ("/var/backups/", f"{folder}/"), ("password.txt", str(folder / "password.txt")),
        ("/srv/tickets.py", str(PROGRAM)), *((name, str(folder / name)) for name in FILES),
    ):  # fmt: skip
        example = example.replace(invented, real)
    words = shlex.split(example)[1:]
    ends = [words.index(each) for each in ("<", ">") if each in words]  # a redirection is the shell's
    return words[: min(ends, default=None)]


def prepared(name: str, home: InstalledCli, folder: Path) -> bytes:
    """Make what the examples of a command name; returns what they read from standard input."""
    for file, text in FILES.items():
        (folder / file).write_text(text)
    if name == "source script":
        with closing(sqlite3.connect(folder / "desk.db")) as database:
            database.execute("CREATE TABLE tickets (id INTEGER PRIMARY KEY, body TEXT)")
        given = (f"database=sqlite:///{folder}/desk.db", "table=tickets", "key=id", "log_table=ticket_changes")
        home.fine("source", "add", "table", "desk", *(word for each in given for word in ("--set", each)))
    if name == "push":
        home.fine("source", "add", "push", "tickets")
    if name == "source test":
        home.fine("source", "add", "federated", "intranet", "--set", "url=http://127.0.0.1:9/opensearch.xml")
    if name.startswith(("attribute ", "lov ")) and name != "attribute add":
        home.fine("source", "add", "files", "handbook", "--set", f"path={folder}")
        for attribute in ("Department", "Price"):
            home.fine("attribute", "add", attribute)
    if name in ("lov edit", "lov delete", "lov export"):
        for value in ("sales", "research"):
            home.fine("lov", "add", "Department", value)
    return {"push": ITEMS, "lov import": FILES["values.json"]}.get(name, "open sesame\n").encode()


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_examples_run(
    words: list[str], world: World, home: InstalledCli, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    if words == [SERVES]:
        pytest.skip("never ends; tests/cli/begin/test_serve.py runs it")
    said = help_of(words, capsys)
    name = " ".join(words)
    (tmp_path / "password.txt").write_text("open sesame\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(prepared(name, home, tmp_path))))
    if name in ("store restore", "store import"):
        for file in ("cormorant.tar", "rows.tar"):
            home.fine("store", "backup", str(tmp_path / file))
    if name in ("takedown show", "takedown lift", "takedown erase"):
        home.run("document", "takedown", "http://elsewhere.example/", "--reason", "For an example")
    for example in EXAMPLE.findall(said):
        given = fitted(example, world, tmp_path)
        if name.startswith(FORKS):
            more = ["--no-serve"] if name == "quickstart" and "--no-serve" not in given else []
            code = home.run(*given, *more).code
        else:
            code = error_boundary.run(["--data", str(home.folder), *given])
        expected = next((code for start, code in ENDS.items() if example.startswith(start)), 0)
        assert code == expected, f"{example}\nended {code}: {capsys.readouterr()}"


def imported(*words: str) -> list[str]:
    """The modules that one command imports, which is what its start takes."""
    command = [sys.executable, "-X", "importtime", "-m", "cormorant", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")]


def test_help_is_quick() -> None:
    """Some 130 modules, and 195 for a command, are imported in 0.1 and 0.15 s; the database is 0.3 s by itself."""
    everything, source = imported("--help"), imported("source", "--help")
    assert (len(everything) < 180, len(source) < 300) == (True, True), (len(everything), len(source))
    heavy = {"sqlalchemy", "pydantic", "fastapi", "tantivy", "pycurl", "asyncio", "cormorant.operate"}
    assert not heavy & {*everything, *source}


def test_no_arguments_are_wrong_usage(bare: InstalledCli) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "cormorant"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    done = ended(process)
    assert done.code == 2
    assert "Usage: cormorant" in done.out
