"""Process log: each process writes its log to logs/PROCESS.log in the data folder, a JSON object a line.

A file that has grown too large is rotated, and the oldest one deleted. Lines about a run are written to the run's log
as well, or only there.
"""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING, Final

from cormorant.app.logs import run_log
from cormorant.base import run_context, secret_masking
from cormorant.base.run_context import RunLogSettings
from cormorant.store.db.drivers import secrets_of

if TYPE_CHECKING:
    from cormorant.app.build import BuildPlan

MOST_BYTES = 10_000_000
KEPT = 4
MOST_LINES, WITHIN_S = 500, 10.0
"""Lines of one event that a process writes in so many seconds: frequent errors must not fill the disk."""
MOST_EVENTS = 1_000
_OF_EVERY_RECORD: Final = frozenset((*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"))


def keep(plan: BuildPlan, process: str) -> None:
    """Write the log of this process from now on, at the configured level and above.

    A disk that refuses lines stops no work, and one event fills no disk. The password of the database is masked, as is
    every secret that this process opens, and secrets in addresses that it visits.
    """
    for each in secrets_of(plan.store_url):
        secret_masking.hide(each)
    files = plan.folder / "logs"
    own = RotatingFileHandler(
        files / f"{process}.log", maxBytes=MOST_BYTES, backupCount=KEPT, encoding="utf-8", delay=True
    )
    own.setLevel(plan.installation.log.upper())
    own.addFilter(_Flood())
    of_runs = run_log.RunFiles(files / run_log.FOLDER, process)
    for handler in (own, of_runs):
        handler.setFormatter(_Lines())
    logging.raiseExceptions = False
    root, ours, of_kinds = (logging.getLogger(name) for name in ("", "cormorant", run_context.ROOT))
    root.handlers, of_kinds.handlers, of_kinds.propagate = [own, of_runs], [of_runs], False
    root.setLevel(logging.WARNING)
    ours.setLevel(plan.installation.log.upper())
    of_kinds.setLevel(logging.INFO)


def follow(run: int, wish: RunLogSettings) -> None:
    """Keep a log of a run from now on; lines below the level of the process go to it alone."""
    run_context.follow(run, wish)
    _listen()


def leave(run: int) -> None:
    """Keep no log of this run any more."""
    run_context.leave(run)
    _listen()


def _listen() -> None:
    """Set the log level to the lowest one that the process or a run wants."""
    own = [each.level for each in logging.getLogger().handlers if isinstance(each, RotatingFileHandler)]
    wanted = [*own, *(wish.level for wish in run_context.followed().values())]
    if own:
        logging.getLogger("cormorant").setLevel(min(wanted))


class _Lines(logging.Formatter):
    """Formats a log record as a JSON object: `event`, `at`, `level`, `logger`, its extra fields, `exception`.

    With the run that it is about, and its source; secrets are masked.
    """

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        said: dict[str, object] = run_context.head(record.getMessage(), record.created, record.levelname, record.name)
        said |= {name: value for name, value in record.__dict__.items() if name not in _OF_EVERY_RECORD}
        said |= _of_run(said.get("run"), said.get("source"))
        if record.exc_info:
            said["exception"] = self.formatException(record.exc_info)
        return run_context.written(said)


def _of_run(number: object, source: object) -> dict[str, object]:
    number = number or run_context.current()
    if not number:
        return {}
    wish = run_context.followed().get(number) if isinstance(number, int) else None
    return {"run": number} | ({"source": source or wish.source} if wish is not None else {})


class _Flood(logging.Filter):
    """Passes MOST_LINES lines of one event in WITHIN_S seconds; the next line has the number of dropped ones."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the flood filter lets a log line through."""
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
