"""Any number that is typed is refused in a sentence or works, in either database."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

from cormorant.cli import registry
from tests.cli.world import Done, InstalledCli

STEERED = ("show", "watch", "log", "suspend", "resume", "stop", "delete", "accept", "refuse", "index", "prune")
TYPED = (
    "-1",
    "0",
    "32768",
    str(2**31 - 1),
    str(2**31),
    "3000000000",
    str(2**63 - 1),
    str(2**63),
    str(10**30),
    "9" * 5_000,
)


class Numbered(NamedTuple):
    """A number of a command: the words of the command, the option or argument, and other required words."""

    words: tuple[str, ...]
    option: str
    needed: tuple[str, ...]

    def typed(self, number: str) -> list[str]:
        """The command with this number."""
        if self.option:
            return [*self.words, *self.needed, f"{self.option}={number}"]
        return [*self.words, "--", number, *self.needed]


def numbered() -> Iterator[Numbered]:
    """Every number that any command takes."""
    for command in registry.ALL.values():
        app: Any = getattr(importlib.import_module(f"cormorant.cli.{command.module}"), command.app)
        of_app: Any = typer.main.get_command(app)
        for name, one in getattr(of_app, "commands", {"": of_app}).items():
            words = (command.name, name) if name else (command.name,)
            for number in filter(_is_number, one.params):
                option = next((each for each in number.opts if each.startswith("-")), "")
                yield Numbered(words, option, tuple("x" for each in one.params if each.required and each is not number))


def _is_number(parameter: Any) -> bool:
    descriptor = getattr(parameter, "type_descriptor", None)
    return descriptor is not None and descriptor.annotation in (int, float)


EVERY = list(numbered())


@pytest.fixture
def stored(store_url: str, tmp_path: Path) -> InstalledCli:
    """An installation in which there is a source, and no run yet."""
    home = InstalledCli(tmp_path / "data", {"CORMORANT_STORE": store_url})
    home.fine("source", "add", "files", "papers", "--set", f"path={tmp_path}")
    return home


def is_said(done: Done) -> bool:
    """Whether the command succeeded, or explained its failure in one sentence."""
    is_explained = done.code in (1, 2, 4) and len(done.err.strip().splitlines()) == 1 and not done.out
    return (done.code == 0 or is_explained) and "went wrong" not in done.err and "refused a statement" not in done.err


def test_a_run_that_there_is_not_is_not_found(stored: InstalledCli) -> None:
    for number in TYPED[2:-1]:
        for verb in STEERED:
            done = stored.run("run", verb, number, *(["path:/x"] if verb == "prune" else []))
            assert (done.code, done.err) == (4, f"There is no run {number}.\n"), (verb, number)
        for option in ("--changed", "--run"):
            done = stored.run("document", "list", option, number)
            assert (done.code, done.err) == (4, f"There is no run {number}.\n"), (option, number)


def test_every_number_of_every_command_is_taken_or_refused_in_a_sentence(stored: InstalledCli) -> None:
    assert {each.option for each in EVERY} >= {
        "",
        "--limit",
        "--last",
        "--status",
        "--back",
        "--days",
        "--offset",
        "--port",
    }
    for each in EVERY:
        if each.words[0] in ("serve", "quickstart"):
            continue
        for number in TYPED:
            done = stored.run(*each.typed(number))
            assert is_said(done), (each, number[:40], done)


@pytest.mark.parametrize("words", ["serve", "quickstart"])
@pytest.mark.parametrize("number", ["-1", "65536", str(2**31), str(10**30)])
def test_a_port_that_there_is_not_is_refused(words: str, number: str, bare: InstalledCli) -> None:
    done = bare.run(words, "--port", number)
    assert (done.code, "--port takes" in done.err) == (2, True), done


@pytest.mark.parametrize("port", ["99999", "65536", "-1", "٣", "²", "", "9" * 5_000])
def test_an_address_without_a_port_that_there_is_is_refused(port: str, home: InstalledCli) -> None:
    away = InstalledCli(home.folder, {"CORMORANT_LISTEN": f"127.0.0.1:{port}"})
    done = away.run("serve")
    assert (done.code, "it takes HOST:PORT, like 127.0.0.1:8765, with a port up to 65535." in done.err) == (2, True)
    assert "with a port up to 65535" in away.run("doctor").out
    if len(port) < 10:
        away.fine("crawl", "papers")


@pytest.mark.parametrize("command", ["list", "recrawl"])
@pytest.mark.parametrize("number", ["-1", "10000", str(10**30)])
def test_a_status_that_there_is_not_is_refused(command: str, number: str, home: InstalledCli) -> None:
    done = home.run("document", command, "--status", number)
    assert (done.code, "--status takes" in done.err, len(done.err.splitlines())) == (2, True, 1), done
