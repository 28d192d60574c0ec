"""Writes the pages of `docs/reference/` from the code: settings, statuses, outcomes, commands, the interface, errors.

    python -m docs.generate            write them
    python -m docs.generate --check    say which are not as they would be written; ends with 1 when one is not

`tests/house/test_docs.py` asks the same, so a page is never older than what it tells of.
"""

# ruff: noqa: INP001 - a folder of pages is no package

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import fields
from io import StringIO
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from unittest import mock

import typer
from pydantic.fields import FieldInfo

from cormorant.app.settings import InstallationSettings
from cormorant.base.metrics import EVERY
from cormorant.cli import options, registry
from cormorant.cli.registry import Command
from cormorant.frontier.policy.transition import VisitConditions, fate
from cormorant.frontier.progress.url_states import TRANSITIONS
from cormorant.frontier.state.enqueue import _AGAIN
from cormorant.model import outcome as ends
from cormorant.model.content import Content
from cormorant.model.outcome import Outcome, OutcomeKind
from cormorant.model.resource import Resource, Role, UrlState
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.run import Counters
from cormorant.model.settings.source import Settings, SourceSettings
from cormorant.model.status import TABLE
from cormorant.plugins import RECEIVERS, SOURCES
from cormorant.sources.rules import DOCUMENT_TYPES, RULE_TYPES
from cormorant.store.journal.counters import CONVERSION, NON_INDEXABLE, count_outcome
from docs import api, counted, deliveries, formats

HERE = Path(__file__).parent / "reference"
WIDTH = "80"
BAR = "\\|"
WRITTEN = "<!-- Written by docs/generate.py from the code. Change the code, then run: python -m docs.generate -->\n"


def main(arguments: list[str]) -> int:
    """Write the pages, or say which are out of date."""
    old = stale()
    if "--check" in arguments:
        sys.stdout.writelines(f"{path} is not what docs/generate.py writes\n" for path in old)
        return 1 if old else 0
    HERE.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    sys.stdout.writelines(f"wrote {path}\n" for path in old)
    return 0


def stale() -> list[Path]:
    """The pages that are missing or differ from what would be written."""
    return [path for path, text in pages().items() if not path.exists() or path.read_text(encoding="utf-8") != text]


def pages() -> Mapping[Path, str]:
    """Every page with its text."""
    made = {
        "settings": _settings(), "status": _statuses(), "outcomes": _outcomes(), "cli": _commands(),
        "api": (*api.interface(), *deliveries.paragraphs()), "errors": api.codes(), "metrics": _metrics(),
        "formats": formats.paragraphs(),
    }  # fmt: skip
    return {HERE / f"{name}.md": "\n".join((WRITTEN, *lines)).rstrip() + "\n" for name, lines in made.items()}


def _table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """A Markdown table, with a blank line behind it."""
    head = list(heads)
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        cells = (str(cell).replace("|", BAR) for cell in row)
        yield f"| {' | '.join(cells)} |"
    yield ""


# ------------------------------------------------------------------------------------------------------------- metrics


def _metrics() -> Iterator[str]:
    yield "# Figures\n"
    yield (
        "The figures of `/metrics`, for Prometheus and programs that understand its format; access and alerts are\n"
        "under [watch over it](../how-to/monitoring.md). Times are seconds since 1970. A figure that has nothing\n"
        "to say is left out.\n"
    )
    rows = ((f"`{each.name}`", each.kind, ", ".join(f"`{name}`" for name in each.labels), each.about) for each in EVERY)
    yield from _table(("name", "kind", "labels", "what it is"), rows)


# ------------------------------------------------------------------------------------------------------------ settings


def _settings() -> Iterator[str]:
    yield "# Settings\n"
    yield (
        "Settings of a source or receiver are given with `--set NAME=VALUE`. A setting that takes a list is given\n"
        "once for each value. Durations are seconds. Sizes are bytes, or a number with kB, MB, GB, KiB, MiB or GiB.\n"
        "`cormorant source show NAME --effective` shows every setting of a source and where its value comes from.\n"
    )
    for kind in SOURCES.values():
        yield f"## A {kind.name} source\n\n{kind.about}\n"
        yield from _fields(kind.settings)
    yield "### Rules\n"
    yield (
        "The rules of `include`, `exclude`, `index_include` and `index_exclude` of a web source. A files source takes\n"
        "patterns and some of these; see [files](../how-to/files.md), and\n"
        "[choose what is crawled](../how-to/boundaries.md) for how they work together.\n"
    )
    yield from _rules(RULE_TYPES)
    yield "`index_include` and `index_exclude` take these as well:\n"
    yield from _rules(DOCUMENT_TYPES)
    for receiver in RECEIVERS.values():
        yield f"## A {receiver.name} receiver\n\n{receiver.about}\n"
        yield from _fields(receiver.settings, shared=())
    yield "## The installation\n"
    yield (
        "Environment variables, or `[installation]` in the TOML file that `--config` names, there in small letters\n"
        "and without `CORMORANT_`. The environment wins. `CORMORANT_DATA` names the data folder when `--data` does\n"
        "not.\n"
    )
    named = {f"CORMORANT_{name.upper()}": field for name, field in InstallationSettings.model_fields.items()}
    yield from _rows(named)


def _rules(types: Mapping[str, str]) -> Iterator[str]:
    said = ((name, *text.partition("; ")[::2]) for name, text in types.items())
    examples = ((name, f"`{example.replace(' or ', '` or `')}`", meaning) for name, example, meaning in said)
    return _table(("rule", "example", "matches"), examples)


def _fields(settings: type[Settings], shared: Iterable[str] = SourceSettings.model_fields) -> Iterator[str]:
    """The settings of a kind: its own, then those of `shared` that every kind has."""
    every = {name: settings.model_fields[name] for name in settings.used_names()}
    own = {name: field for name, field in every.items() if name not in SourceSettings.model_fields}
    return _rows(own | {name: every[name] for name in shared if name in every})


def _rows(named: Mapping[str, FieldInfo]) -> Iterator[str]:
    rows = ((f"`{name}`", _takes(field), _default(field), field.description) for name, field in named.items())
    return _table(("setting", "takes", "default", "what for"), rows)


_WORDS: Mapping[Any, str] = MappingProxyType(
    {str: "text", int: "whole number", float: "number", bool: "true or false", Path: "path", type(None): ""}
)


def _takes(field: FieldInfo) -> str:
    """The values that a field takes, in words, with their bounds."""
    bounds = ", ".join(filter(None, map(_bound, field.metadata)))
    return f"{_kind(field.annotation)}{', ' if bounds else ''}{bounds}"


def _kind(annotation: Any) -> str:
    if annotation in _WORDS:
        return _WORDS[annotation]
    inner = get_args(annotation)
    if get_origin(annotation) is Annotated:
        return ", ".join(
            filter(None, (_kind(inner[0]), *(_bound(rule) for each in inner[1:] for rule in each.metadata)))
        )
    if get_origin(annotation) is Literal:
        return " or ".join(f"`{each}`" for each in inner)
    if get_origin(annotation) is tuple:
        return f"list of {_kind(inner[0])}".replace("whole number", "numbers").replace("list of text", "list")
    if get_origin(annotation) is Union or "|" in str(annotation):
        return " or ".join(filter(None, map(_kind, inner)))
    raise TypeError(annotation)


def _bound(rule: object) -> str:
    """One bound of a number in words, "" for other constraints."""
    for name, word in (("ge", "at least"), ("gt", "more than"), ("le", "at most")):
        value = getattr(rule, name, None)
        if value is not None:
            return f"{word} {value:,}"
    return ""


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "must be given"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, tuple):
        return ", ".join(f"`{each}`" for each in value) or "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return "none" if value in ("", None) else f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


# ------------------------------------------------------------------------------------------------------------ statuses


def _statuses() -> Iterator[str]:
    yield "# Status numbers\n"
    yield (
        "Every visited address has a status: that of HTTP, or one of ours from 901 on. `outcome` is what a visit\n"
        "with this status usually ends as ([outcomes](outcomes.md)). Reserved numbers are given by nothing here;\n"
        "older systems used them. Numbers of HTTP that are not listed are shown with the words of their class\n"
        "(RFC 9110 section 15).\n"
    )
    rows = (
        (row.number, row.text, "reserved" if row.reserved else row.outcome.name.lower(), row.cause, row.advice)
        for row in TABLE.values()
    )
    yield from _table(("status", "meaning", "outcome", "why", "what to do"), rows)


# ------------------------------------------------------------------------------------------------------------ outcomes


def _outcomes() -> Iterator[str]:
    yield "# Outcomes\n"
    yield (
        "A visit ends with exactly one of nine outcomes. The tables show how each outcome changes the row of an\n"
        "indexed document (`frontier/policy/transition.py`) and which counters it adds to\n"
        "(`store/journal/counters.py`).\n"
    )
    web, listed = (VisitConditions(1, lists, 0.0) for lists in (False, True))
    yield "## Effects of an outcome\n"
    yield from _table(
        ("outcome", "means", "search", "a web page is visited again", "a listed file is visited again"),
        ((name, means, _findable(end, web), _again(end, web), _again(end, listed)) for name, means, end in _ends()),
    )
    yield (
        "A failure without a response (refused, timed out, unknown host name, untrusted certificate, broken off) is\n"
        "counted over runs: as statuses 1020 to 1023. At the fifth, 1024, the document is gone. A run that would\n"
        "delete too many documents is held by\n"
        "[the deletion guard](../explanation/what-survives-a-kill.md#what-is-not-deleted-by-mistake). A run is also\n"
        "held if most documents get one and the same text, and a single document if a login page came in its place:\n"
        "[false pages](../how-to/doubts.md).\n"
    )
    yield "## Counters\n"
    yield (
        "The eight classic counters come first in the report; most outcomes have a counter of their own as well. The\n"
        "[status table](status.md) has the usual outcome of each status; the visit itself decides.\n"
    )
    yield from _table(
        ("outcome", "statuses", "counters"),
        ((name, _listed(_numbers(end)), ", ".join(_counted(end)) or "`deferred`, at the end of the run")
         for name, _, end in _ends()),
    )  # fmt: skip
    yield (
        "`non_indexable` counts instead of `rejected` if the fetched document may not be indexed\n"
        f"({_listed(NON_INDEXABLE)}); `conversion_failures` instead of `fetch_failures` if no converter could read it\n"
        f"({_listed(CONVERSION)}).\n"
    )
    yield from counted.paragraphs()
    yield "## Sets\n"
    yield from (
        "`document list` shows for each address `indexed`, `to visit`, `to index`, or the outcome of its last visit",
        "(gone, moved, failed, excluded and so on). `--state` and programs use these sets:",
        "",
    )
    yield from _table(("`document list --state`", "which"), SETS.items())
    yield (
        "An address is in one set at a time. The table lists all transitions between sets. While a process works on\n"
        "an address (older systems call this retrieving, providing and postprocessing), the address stays in its set,\n"
        "so a restart loses nothing.\n"
    )
    moves = ((cause, start, to) for cause, ways in TRANSITIONS.items() for start, to in ways.items())
    yield from _table(("when", "from", "to"), ((cause, start, " or ".join(to)) for cause, start, to in moves))


SETS = {
    "todo": "known and not visited yet, or still to be visited in the open run",
    "found": "visited, and waiting for delivery to a receiver",
    "finished": "visited in the open run, and delivered",
    "old": "visited in an earlier run and not in the open one; after a run, every address without an error",
    "error": "the last visit ended as failed, deferred, quarantined or held, or a receiver rejected the document",
    "excluded": "excluded by a gate; `document list --excluded` lists these",
}

_RULED = Ruling(admitted=False, gate=Gate.BOUNDARY, rule="exclude prefix:...", status=964)
_CONTENT = Content("https://example.org/", b"x", "text/html")
_KNOWN = Resource(
    1, 1, 1, "https://example.org/", Role.DOCUMENT, 1, 0, int(OutcomeKind.OK), 200, "", "", "", b"x", b"x", 1,
    indexed=True,
)  # fmt: skip


def _ends() -> Iterator[tuple[str, str, Outcome]]:
    """Each outcome: its name, the docstring of its class, and an example."""
    one: tuple[Outcome, ...] = (
        ends.Ok(_CONTENT, None), ends.Unchanged(), ends.Moved("https://example.org/new"), ends.Gone(),
        ends.Excluded(_RULED, _RULED.status), ends.Deferred(503, ""), ends.Failed(403, ""), ends.Quarantined(""),
        ends.Held(""),
    )  # fmt: skip
    said = dict(re.findall(r"^    ([A-Z]\w+)  +(.+)$", ends.__doc__ or "", re.MULTILINE))
    for each in one:
        yield type(each).__name__.lower(), said[type(each).__name__], each


def _findable(end: Outcome, at: VisitConditions) -> str:
    return "finds it" if fate(_KNOWN, end, at).kept else "no longer finds it"


def _again(end: Outcome, at: VisitConditions) -> str:
    """When it is visited again."""
    became = fate(_KNOWN, end, at)
    if became.not_before:
        return f"in this run, after {became.not_before:g} s or what the server asks for; then after twice as long"
    always = became.state is UrlState.READY or became.outcome in _AGAIN
    return "in the next run" if always else "when its size, time or inode changes"


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


def _numbers(end: Outcome) -> list[int]:
    return [row.number for row in TABLE.values() if row.outcome is OutcomeKind(end.kind) and not row.reserved]


def _counted(end: Outcome) -> list[str]:
    """The counters that one such visit adds to."""
    counters = Counters()
    kind = OutcomeKind(end.kind)
    count_outcome(counters, kind, end.status, answered=isinstance(end, ends.Ok | ends.Unchanged | ends.Held))
    more = ["`new` or `changed`"] if isinstance(end, ends.Ok) else []
    return [f"`{each.name}`" for each in fields(counters) if getattr(counters, each.name)] + more


# ------------------------------------------------------------------------------------------------------------ commands


def _commands() -> Iterator[str]:
    yield "# Commands\n"
    yield "The texts of `--help`, command by command. These options go with every command and are left out below:\n"
    yield f"```text\n{options.HELP}\n```\n"
    yield (
        "Exit codes: 0 done; 1 failed; 2 wrong usage; 3 done, but some documents failed that had not failed so\n"
        "before, search does not find what was found, or a person has to answer; 4 no such thing; 5 not permitted;\n"
        "6 a server or database could not be reached; 130 interrupted, state kept\n"
        "(`serve`, and `quickstart` while it serves, end with 0 when SIGTERM asks them to).\n"
    )
    yield (
        "With `--json` standard output and standard error are JSON Lines. Standard error has problem objects, at\n"
        "least one with any exit code but 0, whose `code` [does not change](errors.md), and objects with a `note`,\n"
        "which `-q` leaves out.\n"
    )
    yield (
        "With `-q` a crawl that goes well prints nothing, as a nightly job wants it; what a person should look at is\n"
        "on standard error. The report is in `run show`, and with `--json` it is printed all the same. `run watch`\n"
        "prints it also with `-q`, since it was asked for.\n"
    )
    for section, those in registry.SECTIONS.items():
        yield f"## {section}\n"
        for command in those:
            for path in _paths(command):
                yield f"### `{' '.join(('cormorant', command.name, *path))}`\n"
                yield f"```text\n{_help(command, path)}\n```\n"


def _paths(command: Command) -> list[tuple[str, ...]]:
    """The sub-commands of a command, one path each; the empty path when it has none."""
    inner = getattr(typer.main.get_command(_app(command)), "commands", {})
    return [(name,) for name in inner] or [()]


def _app(command: Command) -> typer.Typer:
    app: typer.Typer = getattr(importlib.import_module(f"cormorant.cli.{command.module}"), command.app)
    return app


def _help(command: Command, path: tuple[str, ...]) -> str:
    """The output of `--help`, without the options that every command has."""
    shown = StringIO()
    with redirect_stdout(shown), mock.patch.dict(os.environ, {"COLUMNS": WIDTH}):
        _app(command)([*path, "--help"], prog_name=f"cormorant {command.name}", standalone_mode=False)
    text = shown.getvalue().partition("  Options of every command")[0]
    lines = (line.rstrip() for line in text.splitlines() if "-h, --help" not in line)
    return re.sub(r"\nOptions:\n(?=\n|$)", "\n", "\n".join(lines)).strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
