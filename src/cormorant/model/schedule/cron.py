"""Cron expressions: the days and minutes at which they fire.

The five fields of crontab(5).

    minute 0-59, hour 0-23, day of the month 1-31, month 1-12 or jan-dec, day of the week 0-7 or sun-sat
    each: * or a number, a list 1,15, a range mon-fri, a step */10 or 8-18/2
    or one word for all five: @hourly, @daily, @weekly, @monthly, @yearly

If both the day of the month and that of the week are given, either has to match, unless one of the two begins with *:
then both have to (as in Debian's cron).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final, NamedTuple

WORDS: Final = {
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
}  # fmt: skip
LONGEST: Final = 200
"""The longest expression, in characters: more than five complete lists need."""


class _Field(NamedTuple):
    """One of the five fields: its name, its bounds, and names for its numbers from the first on."""

    name: str
    first: int
    last: int
    names: tuple[str, ...] = ()


_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_SUNDAY: Final = 7
"""Another number of Sunday, so that a range can end with it."""
_FIELDS: Final = (
    _Field("minute", 0, 59), _Field("hour", 0, 23), _Field("day of the month", 1, 31),
    _Field("month", 1, 12, _MONTHS), _Field("day of the week", 0, _SUNDAY, _WEEKDAYS),
)  # fmt: skip


class Cron(NamedTuple):
    """A parsed expression. `of_day` are minutes of a day in order; of the days of the week Monday is 0.

    `either`: a day of the month and one of the week are given, and one of them has to match.
    """

    of_day: tuple[int, ...]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either: bool

    def times(self, day: date) -> Sequence[int]:
        """Return the minutes of that day at which it fires, in order."""
        if day.month not in self.months:
            return ()
        in_month, in_week = day.day in self.days, day.weekday() in self.weekdays
        falls = in_month or in_week if self.either else in_month and in_week
        return self.of_day if falls else ()


def read(text: str) -> Cron:
    """Parse an expression. Raises ValueError that names the wrong field and its valid values."""
    given = text.strip().lower()
    if given.startswith("@") and given not in WORDS:
        raise ValueError(f"{text!r} is none of {', '.join(WORDS)}.")
    words = WORDS.get(given, given).split()
    if len(words) != len(_FIELDS) or len(given) > LONGEST:
        raise ValueError(
            f"{text[:LONGEST]!r} is no cron expression: that has five fields (minute, hour, day of the month, month, "
            "day of the week), like '0 2 * * *' for 02:00 each day."
        )
    minutes, hours, days, months, weekdays = map(_values, _FIELDS, words)
    return Cron(
        tuple(hour * 60 + minute for hour in sorted(hours) for minute in sorted(minutes)),
        frozenset(days), frozenset(months), frozenset((each - 1) % 7 for each in weekdays),
        either=not words[2].startswith("*") and not words[4].startswith("*"),
    )  # fmt: skip


def _values(field: _Field, text: str) -> set[int]:
    """Return the numbers that a field names."""
    return {value for part in text.split(",") for value in _part(field, part)}


def _part(field: _Field, text: str) -> range:
    """Return the numbers of one entry of a list: a number, a range, or steps through one."""
    span, slash, step = text.partition("/")
    if span == "*":
        first, last = field.first, field.last - (field.last == _SUNDAY)
    else:
        begin, dash, end = span.partition("-")
        first = _number(field, text, begin)
        last = _number(field, text, end) if dash else first
        last = _SUNDAY if dash and field.last == _SUNDAY and last == 0 else last
        if slash and not dash:
            raise _wrong(field, text, f"steps need a range, like {first}-{field.last}/{step or 2}")
    if last < first:
        raise _wrong(field, text, "a range goes upwards")
    if slash and not (_is_number(step) and int(step)):
        raise _wrong(field, text, "behind the / stands how far a step goes, from 1 on")
    return range(first, last + 1, int(step) if slash else 1)


def _number(field: _Field, text: str, value: str) -> int:
    if value in field.names:
        return field.names.index(value) + field.first
    if not _is_number(value) or not field.first <= int(value) <= field.last:
        named = f" or {field.names[0]} to {field.names[-1]}" if field.names else ""
        raise _wrong(field, text, f"it takes {field.first} to {field.last}{named}")
    return int(value)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _wrong(field: _Field, text: str, why: str) -> ValueError:
    return ValueError(f"{text!r} cannot be the {field.name} of a cron expression: {why}.")
