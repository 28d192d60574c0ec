"""Global options stand anywhere, and are not mistaken for others."""

from __future__ import annotations

import pytest

from cormorant.base.errors import UsageError
from cormorant.cli.options import Asked, split


@pytest.mark.parametrize(
    ("argv", "asked", "rest"),
    [
        ([], Asked(), []),
        (["--json", "status"], Asked(json=True), ["status"]),
        (["status", "--json"], Asked(json=True), ["status"]),
        (["--data", "d", "run", "list", "-q"], Asked("d", verbosity=-1), ["run", "list"]),
        (["run", "--data=d", "list", "-vv"], Asked("d", verbosity=2), ["run", "list"]),
        (["-v", "-v", "x"], Asked(verbosity=2), ["x"]),
        (["--config", "c.toml", "x"], Asked(config="c.toml"), ["x"]),
        (["search", "--", "--json", "-q"], Asked(), ["search", "--", "--json", "-q"]),
        (["source", "add", "--set", "user_agent=-q"], Asked(), ["source", "add", "--set", "user_agent=-q"]),
    ],
)
def test_split(argv: list[str], asked: Asked, rest: list[str]) -> None:
    assert split(argv) == (asked, rest)


@pytest.mark.parametrize("argv", [["--data"], ["--data="], ["x", "--config"], ["--data", "--json"]])
def test_an_option_without_its_value_is_refused(argv: list[str]) -> None:
    with pytest.raises(UsageError, match="needs a"):
        split(argv)
