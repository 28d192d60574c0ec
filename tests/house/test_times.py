"""Times that a person sees are written by one module, on the clock of a zone that stands beside them.

Elsewhere a moment is a number, or RFC 3339 in UTC by `base.clock.rfc3339` for programs and files.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.house.reading import PACKAGE, ROOT, Finding, Module, plant, read, report

WRITERS = {
    "model/schedule/timezones.py": "writes what a person sees",
    "base/clock.py": "writes what a program reads",
    "base/run_context.py": "lines of files",
    "receivers/warc.py": "records of WARC files",
    "app/sample/pages.py": "header fields of HTTP",
    "app/sample/answers.py": "header fields of HTTP",
    "search/query/ranges.py": "days of UTC, as queries name them",
    "search/results/facets.py": "days of UTC, as queries name them",
    "search/results/explain_score.py": "days of UTC, as queries name them",
    "web/pages/search_page.py": "days of UTC, as queries name them",
    "web/pages/formatting.py": "days of UTC, as queries name them",
}
"""Modules that write moments or days as text, and as what."""

_CALLS = {"strftime", "isoformat", "ctime", "asctime", "astimezone", "format_datetime", "formatdate", "fromtimestamp"}
_READERS = {"model/settings/crawl_windows.py", "model/schedule/recurrence.py"}
"""Modules that compute on the clock of a zone, and write nothing."""
_DATED = re.compile(r"%[YmdHMSbBjyZz]")
_MOMENT = re.compile(r"(?:\w+_(?:at|until)|not_before|until|time|hour|at)")
_DAYS = {"fields.until"}
"""Values of templates that are days, as a person typed them."""
_SHOWN = re.compile(r"\{\{\s*(?P<said>[^{}]*?)\s*\}\}")


def elsewhere(module: Module) -> Iterator[Finding]:
    """Places outside of the writers that write a moment as text."""
    if module.path.removeprefix(f"{PACKAGE}/") in {*WRITERS, *_READERS}:
        return
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and _called(node) in _CALLS:
            yield module.finding(node.lineno, f"writes a time by {_called(node)}: use timezones, or clock.rfc3339")
        elif isinstance(node, ast.FormattedValue) and _DATED.search(ast.unparse(node)):
            yield module.finding(node.lineno, "writes a time by a format: use timezones, or clock.rfc3339")


def _called(node: ast.Call) -> str:
    match node.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def raw(module: Module) -> Iterator[Finding]:
    """Sentences of the command line with a moment in them as programs read it."""
    for node in ast.walk(module.tree):
        match node:
            case ast.FormattedValue(value=ast.Subscript(slice=ast.Constant(value=str(name)))) if _MOMENT.fullmatch(
                name
            ):
                yield module.finding(node.lineno, f"shows {name!r} as programs read it: use timezones.wall_time")


def raw_in_template(path: str, text: str) -> Iterator[Finding]:
    """Values of a template that are moments, and shown without the filter for them."""
    for found in _SHOWN.finditer(text):
        name, _, filters = (part.strip() for part in found["said"].partition("|"))
        is_moment = "." in name and name not in _DAYS and _MOMENT.fullmatch(name.rpartition(".")[2])
        if is_moment and "moment" not in filters:
            yield Finding(path, text[: found.start()].count("\n") + 1, f"shows {name} without the filter `moment`")


def test_one_module_writes_times_for_people() -> None:
    found = [each for module in read(PACKAGE) if "/migrations/" not in module.path for each in elsewhere(module)]
    assert not found, report(found)


def test_the_command_line_shows_no_time_as_programs_read_it() -> None:
    found = [each for module in read(f"{PACKAGE}/cli") for each in raw(module)]
    assert not found, report(found)


def test_no_page_shows_a_time_as_programs_read_it() -> None:
    templates = sorted((ROOT / PACKAGE / "web" / "templates").glob("*.html"))
    found = [each for path in templates for each in raw_in_template(path.name, path.read_text())]
    assert templates
    assert not found, report(found)


def test_every_writer_is_there() -> None:
    assert not [name for name in (*WRITERS, *_READERS) if not (ROOT / PACKAGE / name).exists()]


@pytest.mark.parametrize(
    "line", ["x = at.strftime('%H:%M')", "x = f'{at:%Y-%m-%d}'", "x = at.isoformat()", "x = datetime.fromtimestamp(1)"]
)
def test_a_time_written_elsewhere_is_found(line: str) -> None:
    assert list(elsewhere(plant(line)))
    assert not list(elsewhere(plant(line, f"{PACKAGE}/model/schedule/timezones.py")))


@pytest.mark.parametrize("name", ["next_at", "suspended_until", "not_before", "time"])
def test_a_time_as_programs_read_it_is_found(name: str) -> None:
    assert list(raw(plant(f"say(f'Next: {{record[\"{name}\"]}}.')")))
    assert not list(raw(plant(f"say(f'Next: {{wall_time(record[\"{name}\"])}}.')")))
    assert list(raw_in_template("a.html", f"<p>{{{{ row.{name} }}}}</p>"))
    assert not list(raw_in_template("a.html", f"<p>{{{{ row.{name} | moment }}}}</p>"))
