"""Crawl windows: the crawl delay or suspension at an hour of the week.

Windows are parsed from text; a calendar finds the present one and its end.

    Mon:08-Fri:18 10            one stretch, nights included: ten seconds
    Mon-Fri 08-18 suspend       those hours of each of these days: no visits
    Sat-Sun 22:30-06 0.5        over midnight into the next day

Minutes count from Monday, 00:00, in the local time of a zone. Of overlapping windows the slowest applies.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from math import inf
from typing import Final, NamedTuple

from cormorant.model.settings.bounded import DAY_S

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY_MIN: Final = 24 * 60
_WEEK_MIN: Final = 7 * _DAY_MIN
SUSPEND: Final = "suspend"

_DAY = "([A-Za-z]+)"
_TIME = r"(\d{1,2})(?::(\d\d))?"
_STRETCH = re.compile(rf"{_DAY}:{_TIME}\s*-\s*{_DAY}:{_TIME}\s+(\S+)")
_HOURS = re.compile(rf"{_DAY}(?:\s*-\s*{_DAY})?\s+{_TIME}\s*-\s*{_TIME}\s+(\S+)")
EXAMPLE: Final = "'Mon-Fri 08-18 10', 'Sat:00-Sun:24 0.5' or 'Mon:08-Fri:18 suspend'"
EXAMPLE_OF_HOURS: Final = "'Mon-Fri 20-06', 'Sat:00-Sun:24' or 'Fri:18-Mon:06'"


class CrawlWindow(NamedTuple):
    """A part of the week in minutes, [start, end), which may wrap around its end; seconds of delay, `inf` to suspend.

    `text` is the entered line.
    """

    start: int
    end: int
    delay_s: float
    text: str

    def covers(self, minute: int) -> bool:
        """Return whether a minute of the week lies within the window."""
        return (minute - self.start) % _WEEK_MIN < self.end - self.start


class CurrentWindow(NamedTuple):
    """The present window (None if there is none), and its end in epoch seconds."""

    window: CrawlWindow | None
    until: float


class Calendar:
    """The windows of a week in a time zone; without one, in the machine's."""

    def __init__(self, windows: Sequence[CrawlWindow], zone: tzinfo | None = None) -> None:
        self._windows, self._zone = tuple(windows), zone
        self._edges = sorted({edge % _WEEK_MIN for each in windows for edge in (each.start, each.end)})

    def at(self, now: float) -> CurrentWindow:
        """Return the window at a moment (epoch seconds)."""
        if not self._windows:
            return CurrentWindow(None, inf)
        # Without a zone the moment is naive, so that additions follow the machine's own rules for summer time.
        moment = datetime.fromtimestamp(now, self._zone)
        minute = moment.weekday() * _DAY_MIN + moment.hour * 60 + moment.minute
        holding = max((each for each in self._windows if each.covers(minute)), key=_delay, default=None)
        ahead = min((edge - minute - 1) % _WEEK_MIN + 1 for edge in self._edges)
        turn = moment.replace(second=0, microsecond=0) + timedelta(minutes=ahead)
        return CurrentWindow(holding, max(turn.timestamp(), now + 1.0))

    def opens_at(self, now: float) -> float:
        """Return the epoch seconds when the current suspension ends; `now` without one, `inf` if never."""
        at = now
        for _ in range(len(self._edges) + 1):
            hour = self.at(at)
            if hour.window is None or hour.window.delay_s < inf:
                return at
            at = hour.until
        return inf


def _delay(window: CrawlWindow) -> float:
    return window.delay_s


def read_windows(lines: Sequence[str]) -> list[CrawlWindow]:
    """Parse windows. Raises ValueError that names the line and the valid form."""
    return [window for line in lines for window in _read(line, line.strip(), EXAMPLE)]


def read_hours(lines: Sequence[str]) -> list[CrawlWindow]:
    """Parse windows without a delay: hours of the week. Raises ValueError as well."""
    return [window for line in lines for window in _read(line, f"{line.strip()} 0", EXAMPLE_OF_HOURS)]


def _read(line: str, text: str, example: str) -> list[CrawlWindow]:
    """Parse a window from `text`, which is the entered line, perhaps with a delay appended."""
    stretch = _STRETCH.fullmatch(text)
    if stretch is not None:
        day, hour, minute, last, until, past, value = stretch.groups()
        start, end = _minute(line, day, hour, minute), _minute(line, last, until, past)
        _open_for_a_while(line, example, start, end)
        return [CrawlWindow(start, end if end > start else end + _WEEK_MIN, _value(line, value), line.strip())]
    hours = _HOURS.fullmatch(text)
    if hours is None:
        raise ValueError(f"{line!r} is no window of the week; write one like {example}.")
    day, last, hour, minute, until, past, value = hours.groups()
    opens, closes = _minute(line, "Mon", hour, minute), _minute(line, "Mon", until, past)
    _open_for_a_while(line, example, opens, closes)
    length = (closes - opens) % _DAY_MIN or _DAY_MIN
    first = _day(line, day)
    count = (_day(line, last or day) - first) % len(DAYS) + 1
    delay = _value(line, value)
    starts = [(first + each) % len(DAYS) * _DAY_MIN + opens for each in range(count)]
    return [CrawlWindow(start, start + length, delay, line.strip()) for start in starts]


def _open_for_a_while(line: str, example: str, opens: int, closes: int) -> None:
    """Raise ValueError for equal begin and end, which could mean always or never."""
    if opens == closes and example == EXAMPLE_OF_HOURS:
        raise ValueError(f"{line!r} closes as it opens. Write 00-24 for whole days, or leave windows out for always.")


def _day(line: str, name: str) -> int:
    short = name[:3].lower()
    if short not in DAYS or not _LONG[short].startswith(name.lower()):
        raise ValueError(f"{line!r}: {name!r} is no day; write Mon, Tue, Wed, Thu, Fri, Sat or Sun.")
    return DAYS.index(short)


_LONG: Final = {
    each[:3]: each for each in ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
}


def _minute(line: str, day: str, hour: str, minute: str | None) -> int:
    """Return the minute of the week; 24 is the end of a day."""
    hours, minutes = int(hour), int(minute or 0)
    if hours * 60 + minutes > _DAY_MIN or minutes > 59:
        raise ValueError(f"{line!r}: {hour}{':' + minute if minute else ''} is no time of a day; write 00 to 24.")
    return _day(line, day) * _DAY_MIN + hours * 60 + minutes


def _value(line: str, value: str) -> float:
    if value.lower() == SUSPEND:
        return inf
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= DAY_S:
        raise ValueError(
            f"{line!r}: {value!r} should be seconds between requests, like 10 or 0.5, {DAY_S:,} at the most, "
            f"or {SUSPEND}."
        )
    return seconds
