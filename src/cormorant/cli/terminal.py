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
"""Control characters, with which the text of a document could move the cursor, colour, beep or reverse a terminal."""
SENTENCES = frozenset(("reason", "trouble", "error", "said"))
"""Fields with a sentence of ours, which may contain times."""
_WIDTH = 96
"""Characters of a line of text."""


def clean(text: object) -> str:
    """Return text that is safe to print."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", str(text))


class Terminal:
    """Standard output for results, standard error for messages."""

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
        """Return whether only problems are printed."""
        return self.asked.verbosity < 0 and not self.asked.json

    @property
    def live(self) -> bool:
        """Return whether standard error is a terminal, so that a live display may be shown."""
        return sys.stderr.isatty() and not self.asked.json and self.asked.verbosity >= 0

    @property
    def asks(self) -> bool:
        """Return whether a user is present to answer a question."""
        return sys.stdin.isatty() and sys.stderr.isatty() and not self.asked.json

    @property
    def coloured(self) -> bool:
        """Return whether standard output may have bold and colour."""
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR")

    def print(self, text: object = "") -> None:
        """Write a line of the result."""
        print(clean(text))

    def note(self, text: object) -> None:
        """Print a message, unless quiet."""
        if self.asked.verbosity >= 0:
            self.warn(text)

    def detail(self, text: object) -> None:
        """Print a message with -v."""
        if self.asked.verbosity > 0:
            self.warn(text)

    def warn(self, text: object) -> None:
        """Print a warning, always, after all earlier output; as an object for a program."""
        self._beside({"note": clean(text)} if self.json else text)

    def _beside(self, said: object) -> None:
        sys.stdout.flush()
        line = json.dumps(said, ensure_ascii=False) if isinstance(said, dict) else said
        print(clean(line), file=sys.stderr, flush=True)

    def problem(self, error: CormorantError) -> None:
        """Print a problem that does not end the command: a sentence, or an object for a program."""
        self._problems += 1
        self._beside(error.as_problem() if self.json else error.sentence)

    def explain(self, errors: Iterable[CormorantError]) -> None:
        """Write problem objects for a program, if users read the same in the output itself."""
        for each in errors if self.json else ():
            self.problem(each)

    def see_explained(self, code: int) -> None:
        """Write a problem object if a command ends with another code than 0 and has written none."""
        if code and self.json and not self._problems:
            from cormorant.base.errors import CormorantError, Incomplete, Unreachable

            kind = {3: Incomplete, 6: Unreachable}.get(code, CormorantError)
            self.problem(kind("Some checks failed. The answer on standard output names them."))

    def bold(self, text: str) -> str:
        """Return the text in bold if the terminal supports it. The text must be clean."""
        return f"\x1b[1m{text}\x1b[0m" if self.coloured else text

    def raw(self, text: str) -> None:
        """Write a line whose parts were cleaned one by one."""
        print(text)

    def record(self, record: Mapping[str, Any]) -> None:
        """Write one JSON object on one line."""
        print(json.dumps(record, ensure_ascii=False, default=str))

    def sentence(self, text: str, zone: str = "") -> None:
        """Write a sentence of ours, with its times in a zone given by name, else in the machine's."""
        self.print(localized(text, zone))

    def table(self, records: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> int:
        """Write records as JSON Lines, or these columns of them under headings; returns their number.

        Times are in the zone of the record's `time_zone`, if it has one, else in the machine's.
        """
        if self.json:
            count = 0
            for count, each in enumerate(records, 1):  # noqa: B007 - the number of records
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
        """Write settings as JSON Lines; else each with its default, and its description on the next line."""
        if self.json:
            self.table(records, ())
            return
        for each in records:
            name, default = each["setting"], "needed" if each["needed"] else show(each["default"])
            head = fill(f"{name}  ({default})", _WIDTH, subsequent_indent="    ") if default != "-" else name
            self.raw(self.bold(name) + head.removeprefix(name))
            self.raw(fill(clean(each["about"]), _WIDTH, initial_indent="    ", subsequent_indent="    "))

    def fields(self, record: Mapping[str, Any]) -> None:
        """Write one record: a JSON object, or a name and a value a line."""
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
        """Open the installation; `new` creates it if there is none. Raises NotFoundError, DataFolderError."""
        from cormorant.app.commands.open import opened

        plan = self.plan()
        self.detail(f"Data folder: {plan.folder}")
        with opened(plan, new=new, on_upgrade=self.upgraded) as house:
            yield house

    @contextmanager
    def alone(self) -> Iterator[Installation]:
        """Open the installation as its owner. Raises ConflictError while another process crawls or delivers."""
        from cormorant.app.commands.open import alone

        with alone(self.plan(), self.upgraded) as house:
            yield house

    @contextmanager
    def beside(self) -> Iterator[tuple[Installation, bool]]:
        """Open the installation beside other processes; yields whether one owns the folder.

        Raises ConflictError while another command has to be alone.
        """
        from cormorant.app.commands.open import beside

        with beside(self.plan(), self.upgraded) as opened:
            yield opened

    def upgraded(self, upgraded: Upgraded) -> None:
        """Report that the database was upgraded to the version of this program, and where its backup is."""
        self.note(
            f"The database was upgraded from version {upgraded.before} to {upgraded.now}. The old state is in "
            f"{upgraded.backup}."
        )


def _head(name: str, zone: str) -> str:
    """A heading of a table; `zone`: the common zone of its times."""
    head = name.removesuffix("_at").replace("_", " ").upper()
    return f"{head} ({zone})" if zone and name.endswith("_at") else head


def _zone(record: Mapping[str, Any]) -> str:
    """The name of the time zone of a record, "" for the machine's."""
    return str(record.get("time_zone") or "")


def _cell(name: str, record: Mapping[str, Any]) -> str:
    """A value of a record as text."""
    value, zone = record.get(name), _zone(record)
    return show(localized(value, zone) if name in SENTENCES and isinstance(value, str) else value, zone)


def _cells(records: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> tuple[str, list[list[str]]]:
    """The common time zone of a table, and its cells."""
    moments = [name for name in columns if name.endswith("_at")]
    shared, shown = wall_times((each.get(name), _zone(each)) for each in records for name in moments)
    times = iter(shown)
    rows = [[next(times) or "-" if name in moments else _cell(name, each) for name in columns] for each in records]
    return shared, rows


def show(value: object, zone: str = "") -> str:
    """A value as text for a table, with times in a zone given by name, else in the machine's."""
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
