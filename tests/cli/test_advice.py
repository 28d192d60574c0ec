"""Advice can be followed: the commands, options and settings that it names exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.app.settings import InstallationSettings
from cormorant.model.status import TABLE, StatusText
from cormorant.plugins import RECEIVERS, SERVICES, SOURCES
from tests.cli.test_help import LINES, help_of
from tests.house.reading import ROOT

COMMANDS = {tuple(words) for words in LINES}
GROUPS = {words[0] for words in LINES if len(words) > 1}
SETTINGS = {
    name
    for settings in (
        *(each.settings for each in SOURCES.values()), *(each.settings for each in RECEIVERS.values()),
        *(each.Settings for each in SERVICES.every().values()),
    )
    for name in settings.model_fields
} | set(InstallationSettings.model_fields)  # fmt: skip
COMMAND = re.compile(r"(?:`|(?<= )')cormorant ([a-z]+)(?: ([a-z]+))?")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
WORDS = frozenset(("the", "it", "its", "links"))
"""Words in these places that are no names."""
LATER = (
    "login form", "rewrite", "suspend", "schedule", "plug-in", "plugin",
)  # fmt: skip
"""Names that this version does not have."""


def unknown_commands(text: str) -> Iterator[str]:
    """Commands that a text names and that do not exist."""
    for command, word in COMMAND.findall(text):
        if (command,) not in COMMANDS and (command, word) not in COMMANDS and not (command in GROUPS and not word):
            yield f"{command} {word}"


def unknown_settings(advice: str) -> Iterator[str]:
    """Settings that an advice names and that do not exist: what has an underscore, and what is to be raised or set."""
    named = set(re.findall(r"\b[a-z]+_[a-z_]+\b", advice)) | set(re.findall(r"\bsettings? ([a-z_]+)", advice))
    named |= {name for verb, name in re.findall(r"\b(Raise|Lower|set|lower|raise) ([a-z_]+)\b", advice)}
    yield from sorted(named - SETTINGS - WORDS)


@pytest.mark.parametrize("row", TABLE.values(), ids=lambda row: str(row.number))
def test_the_advice_of_a_status(row: StatusText) -> None:
    assert not list(unknown_commands(row.advice))
    assert not list(unknown_settings(row.advice))
    assert not [word for word in LATER if word in row.advice.lower()]


def test_options_that_an_advice_names(capsys: pytest.CaptureFixture[str]) -> None:
    every = "".join(help_of(list(words), capsys) for words in LINES)
    for row in TABLE.values():
        for option in OPTION.findall(row.advice):
            assert re.search(rf"{option}\b", every), (row.number, option)


def texts() -> Iterator[Path]:
    """The texts for users: the sentences of the code, and the pages."""
    yield from (ROOT / "src").rglob("*.py")
    yield ROOT / "README.md"
    yield from (path for path in (ROOT / "docs").rglob("*.md") if "adr" not in path.parts)


@pytest.mark.parametrize("path", [*texts()], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_that_are_named_exist(path: Path) -> None:
    assert not list(unknown_commands(path.read_text()))


@pytest.mark.parametrize("path", [*texts()], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_settings_that_are_given_exist(path: Path) -> None:
    given = re.findall(r"--set ([a-z_]+)=|`([a-z]+_[a-z_]+)=[^`]*`", path.read_text())
    assert {left or right for left, right in given} <= SETTINGS


def test_what_does_not_exist_is_found() -> None:
    assert list(unknown_commands("See 'cormorant plugins', `cormorant trap list` and `cormorant run idle`.")) == [
        "plugins ", "run idle",
    ]  # fmt: skip
    assert not list(unknown_commands("See 'cormorant run accept' and `cormorant crawl X`, `cormorant run --help`."))
    assert list(unknown_settings("Lower per_host and hosts_at_twice, or set login to a form.")) == [
        "hosts_at_twice", "login",
    ]  # fmt: skip
