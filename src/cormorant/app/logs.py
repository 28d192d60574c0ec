"""Where does a process say what it did? In the data folder: logs/PROCESS.log, an object of JSON a line.

The newest is put aside when it has grown, beside the ones before; the oldest goes. What is said of a run is written
into the run's log as well, or there alone.
"""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

from cormorant.app import runlogs
from cormorant.base import masking, runlog
from cormorant.base.runlog import Wish
from cormorant.store.drivers import secrets_of

if TYPE_CHECKING:
    from structlog.typing import EventDict, WrappedLogger

    from cormorant.app.build import Plan

MOST_BYTES = 10_000_000
KEPT = 4
MOST_LINES, WITHIN_S = 500, 10.0
"""Lines of one event that a process writes in so many seconds: what fails a thousand times a second fills no disk."""
MOST_EVENTS = 1_000


def keep(plan: Plan, process: str) -> None:
    """Write from now on what this process says, at the level that is set and above.

    A disk that refuses it stops nothing, and one event fills no disk. The password of the database is masked, and so is
    every secret that this process opens, whoever says it, and a secret in an address that it was led to.
    """
    for each in secrets_of(plan.store_url):
        masking.hide(each)
    files = plan.folder / "logs"
    own = RotatingFileHandler(
        files / f"{process}.log", maxBytes=MOST_BYTES, backupCount=KEPT, encoding="utf-8", delay=True
    )
    own.setLevel(plan.installation.log.upper())
    own.addFilter(_Flood())
    of_runs = runlogs.RunFiles(files / runlogs.FOLDER, process)
    for handler in (own, of_runs):
        handler.setFormatter(_formatter())
    logging.raiseExceptions = False
    root, ours, of_kinds = (logging.getLogger(name) for name in ("", "cormorant", runlog.ROOT))
    root.handlers, of_kinds.handlers, of_kinds.propagate = [own, of_runs], [of_runs], False
    root.setLevel(logging.WARNING)
    ours.setLevel(plan.installation.log.upper())
    of_kinds.setLevel(logging.INFO)


def follow(run: int, wish: Wish) -> None:
    """Keep a log of a run from now on; what it wants below the level of the process is said for it alone."""
    runlog.follow(run, wish)
    _listen()


def leave(run: int) -> None:
    """Keep none any more."""
    runlog.leave(run)
    _listen()


def _listen() -> None:
    """Have as much said as the process or a run wants."""
    own = [each.level for each in logging.getLogger().handlers if isinstance(each, RotatingFileHandler)]
    wanted = [*own, *(wish.level for wish in runlog.followed().values())]
    if own:
        logging.getLogger("cormorant").setLevel(min(wanted))


def _formatter() -> logging.Formatter:
    from structlog import processors, stdlib

    return stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            processors.TimeStamper(fmt="iso", utc=True, key="at"), stdlib.add_log_level, stdlib.add_logger_name,
            stdlib.ExtraAdder(),
        ],
        processors=[
            stdlib.ProcessorFormatter.remove_processors_meta, processors.format_exc_info, _of_run, _masked,
            processors.JSONRenderer(default=repr),
        ],
    )  # fmt: skip


def _of_run(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """With the run that it is said of, and the source of that."""
    number = event.get("run") or runlog.current()
    if number:
        wish = runlog.followed().get(number) if isinstance(number, int) else None
        event["run"] = number
        if wish is not None:
            event.setdefault("source", wish.source)
    return event


def _masked(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    return {_text(name): _without(value) for name, value in event.items()}


class _Flood(logging.Filter):
    """Lets through MOST_LINES lines of one event in WITHIN_S seconds; the next one says how many there were more."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is written."""
        key = record.name, str(record.msg)[:100]
        since, count = self._seen.get(key, (record.created, 0))
        if not 0 <= record.created - since < WITHIN_S:
            if count > MOST_LINES:
                record.__dict__["left_out"] = count - MOST_LINES
            since, count = record.created, 0
        if len(self._seen) >= MOST_EVENTS:
            self._seen.clear()
        self._seen[key] = since, count + 1
        return count < MOST_LINES


def _without(value: object) -> object:
    """A value without what is hidden, however deep it stands there; what is no plain value becomes text first."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return [_without(each) for each in value]
    if isinstance(value, dict):
        return {_text(str(name)): _without(each) for name, each in value.items()}
    return _text(value if isinstance(value, str) else repr(value))


def _text(text: str) -> str:
    return masking.redacted(masking.masked(text))
