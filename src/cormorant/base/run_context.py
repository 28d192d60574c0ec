"""Run context of log lines: the run that a line belongs to, and the runs that keep a log of their own.

    follow(run, settings) ... with within(run): a line of any logger -> belongs to that run
                              wants("fetch")? -> said("fetch", run, address=...)      off: one look-up in a set

There is one list for each process, since a module that logs cannot know the settings of its run's source. Handlers of
the loggers decide where lines go (`app/logs/run_log.py`); a program that only uses this module has none.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Final, NamedTuple

from cormorant.base import secret_masking

KINDS: Final = ("fetch", "screened", "site", "header")
"""Kinds of lines that are only written if a source asks for them: they are too many otherwise."""
ROOT: Final = "cormorant.run"
"""Parent logger of these kinds; its lines are about a run and do not enter the log of the process."""
_current: ContextVar[int] = ContextVar("run", default=0)
_followed: dict[int, RunLogSettings] = {}
_wanted: set[str] = set()


class RunLogSettings(NamedTuple):
    """Log settings of one run of a source: minimum `logging` level and kinds of lines to keep.

    A file that has grown to `most_bytes` is rotated; `backlog` older files are kept.
    """

    source: str
    level: int = logging.INFO
    kinds: frozenset[str] = frozenset()
    most_bytes: int = 10_000_000
    backlog: int = 2


def follow(run: int, wish: RunLogSettings) -> None:
    """Keep a log of a run from now on, or change its settings."""
    _followed[run] = wish
    _look()


def leave(run: int) -> None:
    """Keep no log of this run any more."""
    _followed.pop(run, None)
    _look()


def followed() -> Mapping[int, RunLogSettings]:
    """The runs with a log of their own."""
    return _followed


def _look() -> None:
    wanted = {kind for wish in _followed.values() for kind in wish.kinds}
    _wanted.update(wanted)
    _wanted.intersection_update(wanted)


def wants(kind: str) -> bool:
    """Return whether any run of this process wants log lines of this kind."""
    return kind in _wanted


@contextmanager
def within(run: int) -> Iterator[None]:
    """Attribute everything logged in the block to this run."""
    token = _current.set(run)
    try:
        yield
    finally:
        _current.reset(token)


def current() -> int:
    """The run of the current context, 0 for none."""
    return _current.get()


def said(kind: str, run: int | None = None, /, **what: object) -> None:
    """Write a line of a kind if its run wants it; by default for the run of the current context."""
    number = current() if run is None else run
    wish = _followed.get(number)
    if wish is not None and kind in wish.kinds:
        logging.getLogger(f"{ROOT}.{kind}").info(kind, extra={"run": number, **what})


def head(event: str, at: float, level: str, logger: str) -> dict[str, object]:
    """Return the first fields of a log line; `at` is in epoch seconds, `level` is a level name of `logging`."""
    moment = datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return {"event": event, "at": moment, "level": level.lower(), "logger": logger}


def written(said: Mapping[str, object]) -> str:
    """A log line as a JSON object, with secrets masked."""
    return json.dumps(_without(dict(said)))


def _without(value: object) -> object:
    """A value with secrets masked at every depth; other than plain values become text first."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return [_without(each) for each in value]
    if isinstance(value, dict):
        return {_text(str(name)): _without(each) for name, each in value.items()}
    return _text(value if isinstance(value, str) else repr(value))


def _text(text: str) -> str:
    return secret_masking.redacted(secret_masking.masked(text))
