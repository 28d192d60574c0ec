"""What pages show can be typed: commands, options, settings, variables, targets and modules that exist."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest
import typer

from cormorant.app.settings import InstallationSettings
from cormorant.base.errors import UsageError
from cormorant.cli import options, registry
from cormorant.plugins import RECEIVERS, SOURCES
from tests.house.reading import ROOT, Finding, report, text_of
from tests.house.shown import PROGRAM, blocks, inline, programs
from tests.house.test_readme import PAGES

TARGET = re.compile(r"^([a-z]+):.*## ", re.MULTILINE)
VARIABLE = re.compile(r"(?<![\w*])CORMORANT_[A-Z_]*[A-Z]\b(?!_)")
OF_TESTS = {"CORMORANT_SUITES", "CORMORANT_SUITE_RECORDS"}
PLACEHOLDER = re.compile(r"\.\.\.|…")
TAUGHT = [page for page in PAGES if page.startswith("docs/how-to/") or page == "docs/tutorial.md"]


def wrong(words: Sequence[str]) -> str:
    """Why a command of ours cannot be typed so, empty when it can. Words in capitals may stand for others."""
    try:
        _, rest = options.split([word for word in words if not PLACEHOLDER.fullmatch(word)])
        if not rest:
            return ""
        command = registry.find(rest[0])
    except UsageError as error:
        return error.sentence
    found: Any = typer.main.get_command(
        getattr(importlib.import_module(f"cormorant.cli.{command.module}"), command.app)
    )
    name, given = rest[0], rest[1:]
    if hasattr(found, "commands"):
        if not given or given[0].isupper():
            return ""
        if given[0] not in found.commands:
            return f"`{name}` has no {given[0]!r}"
        found, name, given = found.commands[given[0]], f"{name} {given[0]}", given[1:]
    context = found.context_class(found, info_name=name)
    try:
        found.make_parser(context).parse_args(list(given))
    except Exception as error:  # noqa: BLE001 - typer may bring a click of its own
        return f"`{name}`: {error}"
    return _unknown_setting(name, given)


def _unknown_setting(name: str, given: Sequence[str]) -> str:
    """The first setting behind `--set` that no kind has, or the kind that is named does not."""
    settings = [value for option, value in pairwise(given) if option == "--set"]
    of_kind = name in ("source add", "receiver add")  # a set of parameters has settings of any kind
    every: Mapping[str, Any] = RECEIVERS if name.startswith("receiver") else SOURCES
    kinds = [every[word] for word in given if word in every] if of_kind else list(every.values())
    if of_kind and not kinds:
        return ""  # a kind that a package adds
    known = {field for kind in kinds for field in kind.settings.model_fields}
    for each in settings:
        if "=" in each and each.partition("=")[0] not in known:
            return f"`{name}`: there is no setting {each.partition('=')[0]!r}"
    return ""


def _lines(markdown: str) -> Iterator[tuple[int, str]]:
    """Every line that a page shows, with where its block begins."""
    for block in blocks(markdown):
        yield from ((block.line, line.command) for line in block.lines)


def untypable(page: str, markdown: str) -> Iterator[Finding]:
    """Commands of a page that cannot be typed: ours, targets of the Makefile, modules of Python."""
    targets = set(TARGET.findall(text_of("Makefile")))
    for line, shown in _lines(markdown):
        for words in programs(shown):
            fault = ""
            if words[0].rpartition("/")[2] == PROGRAM:
                fault = wrong(words[1:])
            elif words[0] == "make":
                named = [word for word in words[1:] if "=" not in word and not word.startswith("-")]
                fault = ", ".join(f"no target {each!r}" for each in named if each not in targets)
            elif words[0].rpartition("/")[2].startswith("python") and words[1:2] == ["-m"]:
                fault = "" if _is_module(words[2]) else f"no module {words[2]!r}"
            if fault:
                yield Finding(page, line, fault)
    for command in inline(markdown):
        for words in programs(command):
            if fault := wrong(words[1:]):
                yield Finding(page, 1, f"`{command}`: {fault}")


def _is_module(name: str) -> bool:
    place = name.replace(".", "/")
    return (
        name in sys.stdlib_module_names
        or name == "pytest"
        or any((ROOT / top / f"{place}{end}").exists() for top in ("", "src") for end in (".py", "/__main__.py"))
    )


def silent(page: str, markdown: str) -> Iterator[Finding]:
    """Blocks with a command of ours that are not run and do not say why."""
    for block in blocks(markdown):
        ours = any(words[0] == PROGRAM for line in block.lines for words in programs(line.command))
        if ours and not block.is_run and not block.left_out:
            yield Finding(
                page, block.line, "is not run: begin it with `$ cormorant`, or say why: <!-- not run: why -->"
            )


def test_what_is_shown_can_be_typed() -> None:
    found = [finding for page in PAGES for finding in untypable(page, text_of(page))]
    assert not found, report(found)


def test_what_is_shown_is_run_or_says_why_not() -> None:
    found = [finding for page in PAGES for finding in silent(page, text_of(page))]
    assert not found, report(found)


@pytest.mark.parametrize("page", TAUGHT)
def test_who_teaches_shows_something_that_is_run(page: str) -> None:
    assert any(block.is_run for block in blocks(text_of(page))), "give it an example that can be run"


def test_variables_are_those_of_the_installation() -> None:
    known = {f"CORMORANT_{name.upper()}" for name in InstallationSettings.model_fields} | {"CORMORANT_DATA"} | OF_TESTS
    named = {(page, name) for page in PAGES for name in VARIABLE.findall(text_of(page))}
    assert not {(page, name) for page, name in named if name not in known}


@pytest.mark.parametrize(
    "line",
    [
        "$ cormorant crawll docs",
        "$ cormorant source ad web docs",
        "$ cormorant search ferry --limits 3",
        "$ cormorant run show --json && cormorant run acept",
        "$ CORMORANT_LOG=debug cormorant crawl --now",
        "$ cormorant source add web docs --set strat=http://localhost/",
        "$ cormorant source add files docs --set start=http://localhost/",
        "$ cormorant receiver add jsonlines found --set file=x",
        "$ make documents",
        "$ .venv/bin/python -m cormorant.samples",
    ],
)
@pytest.mark.parametrize("block", ["```console\n{}\n```\n", "<!-- not run: x -->\n```sh\n{}\n```\n"])
def test_what_cannot_be_typed_is_found(line: str, block: str) -> None:
    prompted = "console" in block
    assert list(untypable("a.md", block.format(line if prompted else line.removeprefix("$ "))))


@pytest.mark.parametrize(
    "said", ["`cormorant serv`", "`cormorant source edit NAME --sett path=...`", "`cormorant run x`"]
)
def test_what_cannot_be_typed_is_found_in_the_text(said: str) -> None:
    assert list(untypable("a.md", f"Say {said}.\n"))


def test_what_can_be_typed_is_left_alone() -> None:
    page = (
        "`cormorant crawl NAME --force`, `cormorant explain ADDRESS`, `cormorant source edit NAME --set path=...`\n"
        "```console\n$ echo x | cormorant secret add wiki > y  # a word\n$ cormorant --data d source add web docs \\\n"
        "    --set start=http://localhost/ --json\n{}\n$ make docs PORT=1\n```\n"
    )
    assert not list(untypable("a.md", page))


@pytest.mark.parametrize("block", ["```sh\ncormorant crawl\n```\n", "```console\n$ cd x\n$ cormorant crawl\n```\n"])
def test_a_block_that_is_silently_not_run_is_found(block: str) -> None:
    assert list(silent("a.md", block))
    assert not list(silent("a.md", f"<!-- not run: asks a person -->\n{block}"))
