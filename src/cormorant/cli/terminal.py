"""Terminal of a command: its output, and its access to the installation."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import typer

from cormorant.cli.options import GlobalOptions
from cormorant.model.schedule.timezones import is_moment, localized, localized_record, wall_time, wall_times

if TYPE_CHECKING:
    from cormorant.app.build import BuildPlan
    from cormorant.base.errors import CormorantError
    from cormorant.operate.installation import Installation
    from cormorant.store.db.migrate import Upgraded

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What a stranger's title must not do to a terminal: move, colour, beep, turn around."""
SENTENCES = frozenset(("reason", "trouble", "error", "said"))
"""Fields that hold a sentence of ours, which may name moments."""
_WIDTH = 96
"""Letters of a line of text."""


def clean(text: object) -> str:
    """Return text that is safe to print."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", str(text))


class Terminal:
    """Standard output for what was asked, standard error for everything else."""

    def __init__(self, asked: GlobalOptions) -> None:
        self.asked = asked
        self._problems = 0
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]

    @property
    def json(self) -> bool:
        """Return whether the output is JSON for a program."""
        return self.asked.json

    @property
    def quiet(self) -> bool:
        """Return whether a person wants to read problems only."""
        return self.asked.verbosity < 0 and not self.asked.json

    @property
    def live(self) -> bool:
        """Return whether a person is watching, so that a live display may be shown."""
        return sys.stderr.isatty() and not self.asked.json and self.asked.verbosity >= 0

    @property
    def asks(self) -> bool:
        """Return whether a person is present to answer a question."""
        return sys.stdin.isatty() and sys.stderr.isatty() and not self.asked.json

    @property
    def coloured(self) -> bool:
        """Return whether standard output may have bold and colour."""
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR")

    def print(self, text: object = "") -> None:
        """Write a line that was asked for."""
        print(clean(text))

    def note(self, text: object) -> None:
        """Say something on the side, unless quiet."""
        if self.asked.verbosity >= 0:
            self.warn(text)

    def detail(self, text: object) -> None:
        """Say something on the side to who asked for more."""
        if self.asked.verbosity > 0:
            self.warn(text)

    def warn(self, text: object) -> None:
        """Say something on the side, always, behind what has been written before; to a program as an object."""
        self._beside({"note": clean(text)} if self.json else text)

    def _beside(self, said: object) -> None:
        sys.stdout.flush()
        line = json.dumps(said, ensure_ascii=False) if isinstance(said, dict) else said
        print(clean(line), file=sys.stderr, flush=True)

    def problem(self, error: CormorantError) -> None:
        """Tell of something that is wrong and does not end the command: a sentence, or an object to a program."""
        self._problems += 1
        self._beside(error.as_problem() if self.json else error.sentence)

    def explain(self, errors: Iterable[CormorantError]) -> None:
        """Write problem objects for a program, where a person reads the same in the answer itself."""
        for each in errors if self.json else ():
            self.problem(each)

    def see_explained(self, code: int) -> None:
        """Write a problem object where a command ends with this code, is not 0, and has written none."""
        if code and self.json and not self._problems:
            from cormorant.base.errors import CormorantError, Incomplete, Unreachable

            kind = {3: Incomplete, 6: Unreachable}.get(code, CormorantError)
            self.problem(kind("Some checks failed. The answer on standard output names them."))

    def bold(self, text: str) -> str:
        """Return the text, bold where that can be shown. The text must be clean."""
        return f"\x1b[1m{text}\x1b[0m" if self.coloured else text

    def raw(self, text: str) -> None:
        """Write a line whose parts were cleaned one by one."""
        print(text)

    def record(self, record: Mapping[str, Any]) -> None:
        """Write one JSON object on one line."""
        print(json.dumps(record, ensure_ascii=False, default=str))

    def sentence(self, text: str, zone: str = "") -> None:
        """Write a sentence of ours, with its moments on the clock of a zone by its name, else on the machine's."""
        self.print(localized(text, zone))

    def table(self, records: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> int:
        """Write records as JSON Lines, or these of their values under headings; returns how many.

        Moments are on the clock of the record's `time_zone`, where it has one, else on the machine's.
        """
        if self.json:
            count = 0
            for count, each in enumerate(records, 1):  # noqa: B007 - how many there were
                self.record(each)
            return count
        found = list(records)
        shared, rows = _cells(found, columns)
        heads = [_head(name, shared) for name in columns]
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        for row in (heads, *rows) if rows else ():
            print("  ".join(f"{value:<{width}}" for value, width in zip(row, widths, strict=True)).rstrip())
        return len(rows)

    def described(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Write settings as JSON Lines; else each with its default, and what it is for below that."""
        if self.json:
            self.table(records, ())
            return
        for each in records:
            name, default = each["setting"], "needed" if each["needed"] else show(each["default"])
            head = fill(f"{name}  ({default})", _WIDTH, subsequent_indent="    ") if default != "-" else name
            self.raw(self.bold(name) + head.removeprefix(name))
            self.raw(fill(clean(each["about"]), _WIDTH, initial_indent="    ", subsequent_indent="    "))

    def fields(self, record: Mapping[str, Any]) -> None:
        """Write one thing: a JSON object, or a name and a value a line."""
        if self.json:
            self.record(record)
            return
        width = max(map(len, record), default=0)
        for name in record:
            print(f"{name:<{width}}  {_cell(name, record)}")

    def plan(self) -> BuildPlan:
        """Return the build plan of the installation that the global options name.

        Raises BadSetting for a wrong configuration.
        """
        from cormorant.app.build import BuildPlan
        from cormorant.app.settings import data_folder, load

        asked = self.asked
        return BuildPlan(
            data_folder(Path(asked.data) if asked.data else None), load(Path(asked.config) if asked.config else None)
        )

    @contextmanager
    def house(self, *, new: bool = False) -> Iterator[Installation]:
        """Open the installation; `new` makes it when there is none. Raises NotFoundError, DataFolderError."""
        from cormorant.app.commands.open import opened

        plan = self.plan()
        self.detail(f"Data folder: {plan.folder}")
        with opened(plan, new=new, on_upgrade=self.upgraded) as house:
            yield house

    @contextmanager
    def alone(self) -> Iterator[Installation]:
        """Open the installation while nobody crawls or delivers. Raises ConflictError when somebody does."""
        from cormorant.app.commands.open import alone

        with alone(self.plan(), self.upgraded) as house:
            yield house

    @contextmanager
    def beside(self) -> Iterator[tuple[Installation, bool]]:
        """Open the installation whoever crawls or delivers; says whether somebody does.

        Raises ConflictError while another command has to be alone.
        """
        from cormorant.app.commands.open import beside

        with beside(self.plan(), self.upgraded) as opened:
            yield opened

    def upgraded(self, upgraded: Upgraded) -> None:
        """Say that the database was brought to the version of this program, and where it is as it was."""
        self.note(
            f"The database was upgraded from version {upgraded.before} to {upgraded.now}. The old state is in "
            f"{upgraded.backup}."
        )


def _head(name: str, zone: str) -> str:
    """A heading of a table; `zone`: the one that all of its moments share."""
    head = name.removesuffix("_at").replace("_", " ").upper()
    return f"{head} ({zone})" if zone and name.endswith("_at") else head


def _zone(record: Mapping[str, Any]) -> str:
    """The name of the zone on whose clock the moments of a record are, "" for the machine's."""
    return str(record.get("time_zone") or "")


def _cell(name: str, record: Mapping[str, Any]) -> str:
    """A value of a record as a person reads it."""
    value, zone = record.get(name), _zone(record)
    return show(localized(value, zone) if name in SENTENCES and isinstance(value, str) else value, zone)


def _cells(records: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> tuple[str, list[list[str]]]:
    """The zone that all moments of a table share, and its cells."""
    moments = [name for name in columns if name.endswith("_at")]
    shared, shown = wall_times((each.get(name), _zone(each)) for each in records for name in moments)
    times = iter(shown)
    rows = [[next(times) or "-" if name in moments else _cell(name, each) for name in columns] for each in records]
    return shared, rows


def show(value: object, zone: str = "") -> str:
    """A value as a person reads it in a table, moments on the clock of a zone by its name, else on the machine's."""
    match value:
        case None | "":
            return "-"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:,.3f}".rstrip("0").rstrip(".")
        case list() | tuple():
            return ", ".join(show(each, zone) for each in value) or "-"
        case dict():
            return json.dumps(localized_record(value, zone), ensure_ascii=False, default=str)
        case str() if is_moment(value):
            return str(wall_time(value, zone))
        case _:
            return clean(value).replace("\n", " ")


def of(context: typer.Context) -> Terminal:
    """The terminal of a command under way."""
    found = context.obj
    assert isinstance(found, Terminal)  # noqa: S101 - `typer_apps.call` put it there
    return found
