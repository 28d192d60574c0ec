"""Run context of log lines: the run that a line belongs to, and the runs that want to record it.

What a run's own log holds beside the process's.

    follow(run, Wish) ... with within(run): a line of whoever logs -> it is of that run
                          wants("fetch")? -> said("fetch", run, address=...)      off: one look at a set

One list a process, as there is one log: whoever says something cannot know what its run's source is set to. Where the
lines go is for who listens to the loggers (`app/logs/run_log.py`); nobody listens in a program that only uses this one.
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
"""What is only written where a source asks for it: too much else."""
ROOT: Final = "cormorant.run"
"""Logger of all of them; what it gets is of a run and not for the log of the process."""
_current: ContextVar[int] = ContextVar("run", default=0)
_followed: dict[int, RunLogSettings] = {}
_wanted: set[str] = set()


class RunLogSettings(NamedTuple):
    """Log settings of one run of a source: minimum `logging` level and kinds of lines to keep.

    A file that has grown to `most_bytes` is put aside, beside `backlog` others.
    """

    source: str
    level: int = logging.INFO
    kinds: frozenset[str] = frozenset()
    most_bytes: int = 10_000_000
    backlog: int = 2


def follow(run: int, wish: RunLogSettings) -> None:
    """Keep a log of a run from now on, or keep it otherwise."""
    _followed[run] = wish
    _look()


def leave(run: int) -> None:
    """Keep none any more."""
    _followed.pop(run, None)
    _look()


def followed() -> Mapping[int, RunLogSettings]:
    """The runs of which a log is kept."""
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
    """The run that things are said of now, 0 for none."""
    return _current.get()


def said(kind: str, run: int | None = None, /, **what: object) -> None:
    """Write a line of a kind, for a run that wants it; by itself for that of the block."""
    number = current() if run is None else run
    wish = _followed.get(number)
    if wish is not None and kind in wish.kinds:
        logging.getLogger(f"{ROOT}.{kind}").info(kind, extra={"run": number, **what})


def head(event: str, at: float, level: str, logger: str) -> dict[str, object]:
    """Return the first fields of a log line; `at` is in epoch seconds, `level` is a level name of `logging`."""
    moment = datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return {"event": event, "at": moment, "level": level.lower(), "logger": logger}


def written(said: Mapping[str, object]) -> str:
    """A line of a log, as an object of JSON, without what is hidden."""
    return json.dumps(_without(dict(said)))


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
    return secret_masking.redacted(secret_masking.masked(text))
