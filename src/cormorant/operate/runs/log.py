"""Log of a run: the lines of every process of this machine, merged in the order of time."""

from __future__ import annotations

import heapq
import json
import logging
import re
import shutil
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from cormorant.base import run_context
from cormorant.base.errors import NotFoundError, UsageError
from cormorant.model.schedule.timezones import is_moment, localized_record, wall_time
from cormorant.operate.installation import Installation
from cormorant.operate.records.runs import LogLine
from cormorant.store.journal import runs

LEVELS: Final = ("debug", "info", "warning", "error")
KINDS: Final = ("run", *run_context.KINDS)
"""`run` is always written, the others if the settings of a source ask for them."""
_FILE = re.compile(r"(?P<process>[a-z0-9-]+)\.log(?:\.(?P<age>\d+))?")
_NONE: Final = (
    "Run {run} has no log on this machine, or its log was deleted: each source keeps the newest ones. `cormorant "
    "source edit NAME --set log_level=info` turns on the log of the next run."
)


class LogFilter(NamedTuple):
    """Filter of log lines: a level and above, one kind (None: all), and the last `most` lines (0: any number)."""

    level: str = "debug"
    kind: str | None = None
    most: int = 0


EVERY: Final = LogFilter()


def lines(house: Installation, number: int | None, wanted: LogFilter = EVERY) -> Iterator[LogLine]:
    """The lines of a run's log, or of the newest run's, as they were written.

    A line that a kill has cut short is skipped. Raises NotFoundError for an unknown run and for one without a log,
    UsageError for an unknown level or kind.
    """
    if wanted.level not in LEVELS:
        raise UsageError(f"A level is one of {', '.join(LEVELS)}, not {wanted.level!r}.")
    if wanted.kind is not None and wanted.kind not in KINDS:
        raise UsageError(f"A log is one of {', '.join(KINDS)}, not {wanted.kind!r}.")
    with house.store.read() as tx:
        run = runs.get(tx, number).id
    folder = _folder(house, run)
    if not folder.is_dir():
        raise NotFoundError(_NONE.format(run=run))
    least = logging.getLevelNamesMapping()[wanted.level.upper()]
    merged = heapq.merge(*(_of_process(each) for each in _files(folder)), key=lambda line: str(line.get("at", "")))
    found = (line for line in merged if _level(line) >= least and wanted.kind in (None, _kind(line)))
    return iter(deque(found, wanted.most)) if wanted.most else found


_HEAD: Final = ("at", "level", "event", "logger", "run", "source")


def as_text(line: Mapping[str, object]) -> str:
    """A line for a person: time, level, event, and its further fields."""
    rest = (f"{name}={_value(value)}" for name, value in line.items() if name not in _HEAD)
    at = str(line.get("at", ""))
    when = str(wall_time(at, precision="milliseconds")) if is_moment(at) else at
    return f"{when} {line.get('level', '')!s:<7} {line.get('event', '')!s:<10} {' '.join(rest)}"


def _value(value: Any) -> str:
    value = localized_record(value, precision="seconds")
    if isinstance(value, str) and value and not any(each in value for each in ' "='):
        return json.dumps(value, ensure_ascii=False)[1:-1]
    return json.dumps(value, ensure_ascii=False)


def forget(house: Installation, number: int) -> None:
    """Remove the log of a run."""
    shutil.rmtree(_folder(house, number), ignore_errors=True)


def summarize(house: Installation, report: Mapping[str, Any]) -> None:
    """Append the report of a run to its log, if there is one, as the process that carries it out does.

    A failing disk is ignored.
    """
    line = run_context.head("summary", house.clock.now(), "info", __name__)
    line |= {name: value for name, value in report.items() if value is not None}
    with suppress(OSError), (_folder(house, report["run"]) / "command.log").open("a", encoding="utf-8") as file:
        file.write(f"{run_context.written(line)}\n")


def _folder(house: Installation, number: int) -> Path:
    return house.folder / "logs" / "runs" / str(number)


def _files(folder: Path) -> list[list[Path]]:
    """The files of each process, the oldest first."""
    found: dict[str, list[tuple[int, Path]]] = {}
    for path in folder.iterdir():
        if named := _FILE.fullmatch(path.name):
            found.setdefault(named["process"], []).append((int(named["age"] or 0), path))
    return [[path for _, path in sorted(each, reverse=True)] for _, each in sorted(found.items())]


def _of_process(paths: list[Path]) -> Iterator[LogLine]:
    for path in paths:
        with suppress(OSError), path.open(encoding="utf-8", errors="replace") as file:
            yield from filter(None, map(_read, file))


def _read(text: str) -> LogLine | None:
    """A line, None for one that was cut short."""
    with suppress(ValueError):
        line = json.loads(text)
        return cast("LogLine", line) if isinstance(line, dict) else None
    return None


def _level(line: Mapping[str, object]) -> int:
    return logging.getLevelNamesMapping().get(str(line.get("level", "")).upper(), logging.INFO)


def _kind(line: Mapping[str, object]) -> str:
    name = str(line.get("logger", ""))
    return name.removeprefix(f"{run_context.ROOT}.") if name.startswith(f"{run_context.ROOT}.") else "run"
