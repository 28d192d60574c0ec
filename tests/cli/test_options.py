"""Global options stand anywhere, and are not mistaken for others."""

from __future__ import annotations

import subprocess
import sys

import pytest

from cormorant.base.errors import UsageError
from cormorant.cli.options import GlobalOptions, split
from tests.cli.world import here


@pytest.mark.parametrize(
    ("argv", "asked", "rest"),
    [
        ([], GlobalOptions(), []),
        (["--json", "status"], GlobalOptions(json=True), ["status"]),
        (["status", "--json"], GlobalOptions(json=True), ["status"]),
        (["--data", "d", "run", "list", "-q"], GlobalOptions("d", verbosity=-1), ["run", "list"]),
        (["run", "--data=d", "list", "-vv"], GlobalOptions("d", verbosity=2), ["run", "list"]),
        (["-v", "-v", "x"], GlobalOptions(verbosity=2), ["x"]),
        (["--config", "c.toml", "x"], GlobalOptions(config="c.toml"), ["x"]),
        (["search", "--", "--json", "-q"], GlobalOptions(), ["search", "--", "--json", "-q"]),
        (["source", "add", "--set", "user_agent=-q"], GlobalOptions(), ["source", "add", "--set", "user_agent=-q"]),
    ],
)
def test_split(argv: list[str], asked: GlobalOptions, rest: list[str]) -> None:
    assert split(argv) == (asked, rest)


@pytest.mark.parametrize("argv", [["--data"], ["--data="], ["x", "--config"], ["--data", "--json"]])
def test_an_option_without_its_value_is_refused(argv: list[str]) -> None:
    with pytest.raises(UsageError, match="needs a"):
        split(argv)


LOGS = """
import logging
from cormorant import cli
from cormorant.cli import error_boundary as boundary
boundary.run = lambda _: logging.getLogger("library").warning("torn") or 0
cli.main()
"""
"""A command during which a library logs something."""


@pytest.mark.parametrize(
    ("argv", "everything"), [(["-vv"], True), (["-v", "--verbose"], True), (["-v"], False), (["-v", "-q", "-v"], False)]
)
def test_only_a_doubled_verbose_shows_early_tracebacks_and_debug_logs(argv: list[str], everything: bool) -> None:
    assert ("Traceback" in here(*argv, "--data").err) is everything
    done = subprocess.run([sys.executable, "-c", LOGS, *argv], capture_output=True, text=True, check=True)
    assert ("torn" in done.stderr) is everything
