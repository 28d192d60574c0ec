"""Recurrence rules of schedules and the times at which they fire.

They are parsed from entered text, and computed from a given moment.

    0 2 * * *                        cron (`cron.py`): 02:00 each day
    every 15 minutes                 every 6 hours at :30
    every day at 02:00               every 3 days at 22:30
    every week on sun at 02:00       every 2 weeks on mon,thu at 03:00
    every month on 1 at 04:00        every 2 months on 31 at 04:00 (a shorter month: on its last day)
    manual                           never by itself

A time is a minute of local time in a time zone, and comes once: a minute that a change of the clock skips is at the
first minute after the gap, a repeated minute is the first of the two. "Every 3 days" counts from the first time after
the moment at which the rule was written.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from calendar import monthrange
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

from cormorant.model.schedule import cron
from cormorant.model.schedule.timezones import zone_of

MANUAL: Final = "manual"
EXAMPLES: Final = "'0 2 * * *', '@daily', 'every 2 hours', 'every week on sun at 02:00' or 'manual'"
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY_MIN, _WEEK_DAYS, _YEAR_MONTHS = 24 * 60, 7, 12
_ONE_DAY: Final = timedelta(days=1)
_HORIZON_DAYS: Final = 44 * 366
"""Days within which every possible time comes: the 29th of February is a given day of the week within 40 years."""
_EVERY: Final = re.compile(
    r"every(?: (?P<count>\d{1,4}))? (?P<unit>minute|hour|day|week|month)s?"
    r"(?: on (?P<on>[a-z0-9, ]+?))?(?: at (?:(?P<hour>\d{1,2})?:(?P<minute>\d\d)))?"
)


class Unit(StrEnum):
    """The time unit that a recurrence counts."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"


class Falls(Protocol):
    """A rule for days."""

    def times(self, day: date) -> Sequence[int]:
        """Return the minutes of that day at which it fires, in order."""
        ...


class Every(NamedTuple):
    """Every `step` of a unit, counted from the day `first`.

    `on` are days of the week (Monday is 0), or the day of the month; `minute` is of the day, for hours of the hour.
    """

    unit: Unit
    step: int
    on: tuple[int, ...]
    minute: int
    first: date

    def times(self, day: date) -> Sequence[int]:
        """Return the minutes of that day at which it fires, in order."""
        passed = (day - self.first).days
        if passed < 0:
            return ()
        falls = False
        match self.unit:
            case Unit.MINUTE:
                return range(-passed * _DAY_MIN % self.step, _DAY_MIN, self.step)
            case Unit.HOUR:
                hours = range(-passed * 24 % self.step, 24, self.step)
                return [hour * 60 + self.minute for hour in hours]
            case Unit.DAY:
                falls = passed % self.step == 0
            case Unit.WEEK:
                falls = passed // _WEEK_DAYS % self.step == 0 and day.weekday() in self.on
            case Unit.MONTH:
                late = self.first.day > self._day_in(self.first)
                falls = day.day == self._day_in(day) and (_month(day) - _month(self.first) - late) % self.step == 0
        return (self.minute,) if falls else ()

    def _day_in(self, day: date) -> int:
        """Return the day on which it fires in the month of that day."""
        return min(self.on[0], monthrange(day.year, day.month)[1])


class Rhythm:
    """The times at which a schedule fires: a rule for days, in a time zone (None: that of the machine)."""

    def __init__(self, falls: Falls | None, zone: tzinfo | None = None) -> None:
        self._falls, self._zone = falls, zone

    def after(self, moment: float) -> float | None:
        """Return the first time after a moment, both in epoch seconds; None if there is none."""
        if self._falls is None:
            return None
        wall = self.wall(moment)
        day, passed = wall.date(), wall.hour * 60 + wall.minute + 1
        for _ in range(_HORIZON_DAYS):
            times = self._falls.times(day)
            for minute in times[bisect_left(times, passed) :]:
                at = self._moment(datetime.combine(day, time(minute // 60, minute % 60)))
                if at > moment:
                    return at
            passed = 0
            if day == date.max:
                break
            day += _ONE_DAY
        return None

    def wall(self, moment: float) -> datetime:
        """Return the local time at a moment, without a zone, so that it compares with other local times."""
        return datetime.fromtimestamp(moment, self._zone).replace(tzinfo=None, fold=0)

    def _moment(self, shown: datetime) -> float:
        """Return when the clock first shows a local time, or skips it."""
        # With fold=1 a skipped time is computed by the offset after the gap, which gives a moment before it.
        both = [shown.replace(tzinfo=self._zone, fold=fold).timestamp() for fold in (0, 1)]
        before, behind = min(both), max(both)
        if self.wall(before) == shown:
            return before
        while behind - before > 1:
            middle = (before + behind) // 2
            if self.wall(middle) < shown:
                before = middle
            else:
                behind = middle
        return behind


def read(text: str, zone: str = "", since: float = 0.0) -> Rhythm:
    """Parse entered text; `since` is when it was written, in epoch seconds.

    Raises ValueError for an invalid text, an unknown zone, and a rule that never fires.
    """
    clock = zone_of(zone)
    words = plain(text)
    if words == MANUAL:
        return Rhythm(None, clock)
    if words.startswith("every"):
        made = Rhythm(_every(text, words, Rhythm(None, clock).wall(since)), clock)
    else:
        made = Rhythm(cron.read(words), clock)
    if made.after(since) is None:
        raise ValueError(
            f"{text!r} would never fire: no such day comes within 40 years. Name a day that there is, like "
            "28 for the end of every month."
        )
    return made


def plain(text: str) -> str:
    """Return the stored form: lower case, single spaces."""
    return " ".join(text.lower().split())


def _every(text: str, words: str, since: datetime) -> Every:
    """Parse `every ...`, written at the local time `since`."""
    found = _EVERY.fullmatch(words)
    if found is None:
        raise ValueError(f"{text!r} says no time; write one like {EXAMPLES}.")
    unit, count = Unit(found["unit"]), int(found["count"] or 1)
    if count == 0:
        raise ValueError(f"{text!r}: every 0 {unit}s is never; write a number from 1 on.")
    on = _on(text, unit, found["on"])
    minute = _minute(text, unit, found["hour"], found["minute"])
    first = since.date()
    of_day = unit in (Unit.DAY, Unit.WEEK, Unit.MONTH)
    if of_day and since.hour * 60 + since.minute >= minute:
        first += _ONE_DAY
    return Every(unit, count, on, minute, first)


def _on(text: str, unit: Unit, given: str | None) -> tuple[int, ...]:
    """Return the named days."""
    if given is None:
        return (1,) if unit is Unit.MONTH else (0,)
    words = given.replace(",", " ").split()
    if unit is Unit.WEEK:
        days = [_weekday(word) for word in words]
        if not days or -1 in days:
            raise ValueError(f"{text!r}: behind `on` stand days of the week, like mon,thu.")
        return tuple(sorted({*days}))
    if unit is Unit.MONTH and len(words) == 1 and words[0].isdigit() and 1 <= int(words[0][:3]) <= 31:
        return (int(words[0][:3]),)
    meant = "a day from 1 to 31" if unit is Unit.MONTH else "nothing; days are named for weeks and months"
    raise ValueError(f"{text!r}: behind `on` stands {meant}.")


def _weekday(word: str) -> int:
    """Return the day of the week by its name or the beginning of it, -1 for an unknown one."""
    return next((at for at, name in enumerate(_DAYS) if len(word) >= 3 and name.startswith(word)), -1)


def _minute(text: str, unit: Unit, hour: str | None, minute: str | None) -> int:
    """Return the minute of the day, or of the hour if hours are counted."""
    if minute is None:
        return 0
    if unit is Unit.MINUTE or (unit is Unit.HOUR) != (hour is None):
        meant = {Unit.MINUTE: "nothing: leave `at` out", Unit.HOUR: "the minute, like at :30"}
        raise ValueError(f"{text!r}: behind `at` stands {meant.get(unit, 'a time of the day, like at 02:00')}.")
    if int(hour or 0) > 23 or int(minute) > 59:
        raise ValueError(f"{text!r}: {hour or ''}:{minute} is no time; write 00:00 to 23:59.")
    return int(hour or 0) * 60 + int(minute)


def _month(day: date) -> int:
    """Return the months since year 0."""
    return day.year * _YEAR_MONTHS + day.month
