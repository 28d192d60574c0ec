"""Dates and times of cells: serial numbers, sections of format codes that display them, and their ISO 8601 forms.

A serial number counts days: 1 is 1900-01-01, and 60 a 29 February that 1900 never had, as in Lotus 1-2-3 (ECMA-376-1
18.17.4.1); in the 1904 system 0 is 1904-01-01. Its fraction is the time of the day.
"""

from __future__ import annotations

import datetime
import math
from typing import Final, NamedTuple

from cormorant.extract.document.cells.format_tokens import FormatMark, FormatSection, format_sections
from cormorant.extract.document.cells.locale_data import LocaleData

DAYS_TO_1904: Final = 1462
"""The serial number, in the 1900 system, of the day that is 0 in the other."""

_DAY: Final = 86_400
_END: Final = 2_958_466
"""The serial number of the day after 9999-12-31."""
_LEAP_DAY: Final = 60
_FIRST: Final = datetime.date(1899, 12, 30).toordinal()
_MAX_SUBSECOND: Final = 9


class SerialMoment(NamedTuple):
    """A serial number as a date and a time. `weekday` is 0 for Sunday, `fraction` the part of a second."""

    year: int
    month: int
    day: int
    weekday: int
    hour: int
    minute: int
    second: int
    fraction: float
    elapsed: int
    """Whole seconds since serial number 0."""

    @property
    def iso_date(self) -> str:
        """The date in ISO 8601."""
        return f"{self.year:04}-{self.month:02}-{self.day:02}"

    @property
    def iso_time(self) -> str:
        """The time in ISO 8601, without seconds where there are none."""
        return f"{self.hour:02}:{self.minute:02}" + (f":{self.second:02}" if self.second else "")


def moment_of(serial: float, *, from_1904: bool = False, places: int = 0) -> SerialMoment | None:
    """Return the moment of a serial number, rounded to `places` of a second, None when it is no date."""
    if from_1904:
        serial += DAYS_TO_1904
    if not 0 <= serial < _END:
        return None
    days = math.floor(serial)
    seconds = round((serial - days) * _DAY, places)
    if seconds >= _DAY:
        days, seconds = days + 1, 0.0
        if days >= _END:
            return None
    whole = int(seconds)
    elapsed = (days - DAYS_TO_1904 * from_1904) * _DAY + whole
    minutes, second = divmod(whole, 60)
    hour, minute = divmod(minutes, 60)
    year, month, day = _civil(days)
    return SerialMoment(year, month, day, (days + 6) % 7, hour, minute, second, seconds - whole, elapsed)


def serial_of(moment: datetime.datetime, *, from_1904: bool = False) -> float:
    """Return the serial number of a moment without a time zone."""
    days = moment.toordinal() - _FIRST
    days -= days <= _LEAP_DAY
    time = moment.hour * 3600 + moment.minute * 60 + moment.second + moment.microsecond / 1e6
    return days - DAYS_TO_1904 * from_1904 + time / _DAY


def _civil(days: int) -> tuple[int, int, int]:
    if days == _LEAP_DAY:
        return 1900, 2, 29
    if days == 0:
        return 1900, 1, 0
    date = datetime.date.fromordinal(_FIRST + days + (days < _LEAP_DAY))
    return date.year, date.month, date.day


class DateSection:
    """A section of a format code that shows a date, a time or both."""

    def __init__(self, section: FormatSection, locale: LocaleData, *, from_1904: bool = False) -> None:
        """Read a section; its own language counts for names, `locale` where it names none."""
        self._locale = section.locale or locale
        self._decimal = locale.decimal
        if section.system:
            code = self._locale.long_date if section.system == "date" else self._locale.time
            section = next(format_sections(code))
        self._tokens = [(token.kind, token.text) for token in section.tokens]
        self._from_1904 = from_1904
        self._half_day = any(kind is FormatMark.AM_PM for kind, _ in self._tokens)
        self._places = max((len(text) - 1 for kind, text in self._tokens if kind is FormatMark.SUBSECOND), default=0)
        self._places = min(self._places, _MAX_SUBSECOND)
        self._mark_minutes()
        letters = {text[0] for kind, text in self._tokens if kind is FormatMark.DATE}
        self._elapsed = any(kind is FormatMark.ELAPSED for kind, _ in self._tokens)
        self._timed = not letters.isdisjoint("hsn") or self._elapsed

    def _mark_minutes(self) -> None:
        """Turn "m" into "n" where it means minutes: after hours or before seconds."""
        units = [place for place, (kind, _) in enumerate(self._tokens) if kind in (FormatMark.DATE, FormatMark.ELAPSED)]
        letters = ["", *(self._tokens[place][1][0] for place in units), ""]
        for number, place in enumerate(units, 1):
            kind, text = self._tokens[place]
            if (
                kind is FormatMark.DATE
                and text in ("m", "mm")
                and (letters[number - 1] == "h" or letters[number + 1] == "s")
            ):
                self._tokens[place] = (kind, text.replace("m", "n"))

    def words(self, serial: float) -> tuple[str, str]:
        """Return a serial number as displayed, and its ISO 8601 form; "" twice if it is no date.

        The ISO form is YYYY-MM-DD, with HH:MM where the section shows a time, "" for a span of time.
        """
        moment = moment_of(serial, from_1904=self._from_1904, places=self._places)
        if moment is None:
            return "", ""
        return "".join([self._shown(kind, text, moment) for kind, text in self._tokens]), self._iso_form(serial, moment)

    def _iso_form(self, serial: float, moment: SerialMoment) -> str:
        if self._elapsed:
            return ""
        if not self._timed:
            return moment.iso_date
        return moment.iso_time if serial < 1 else f"{moment.iso_date} {moment.iso_time}"

    def _shown(self, kind: FormatMark, text: str, moment: SerialMoment) -> str:
        if kind is FormatMark.DATE:
            return self._unit(text[0], len(text), moment)
        if kind is FormatMark.ELAPSED:
            return f"{moment.elapsed // {'h': 3600, 'm': 60, 's': 1}[text[0]]:0{min(len(text), 9)}}"
        if kind is FormatMark.SUBSECOND:
            return self._decimal + f"{moment.fraction:.{self._places}f}"[2:]
        if kind is FormatMark.AM_PM:
            return _half_of_day(text, moment.hour)
        return text

    def _unit(self, letter: str, length: int, moment: SerialMoment) -> str:
        if letter == "m":
            return self._month(length, moment.month)
        if letter == "d" and length > 2:
            return (self._locale.short_days if length == 3 else self._locale.days)[moment.weekday]
        if letter == "a":
            return (self._locale.short_days if length == 3 else self._locale.days)[moment.weekday]
        if letter in "yeb":
            year = moment.year + 543 * (letter == "b")
            return f"{year % 100:02}" if letter != "e" and length < 3 else str(year)
        if letter == "g":
            return ""
        hour = (moment.hour % 12 or 12) if self._half_day else moment.hour
        value = {"d": moment.day, "h": hour, "n": moment.minute, "s": moment.second}[letter]
        return f"{value:02}" if length > 1 else str(value)

    def _month(self, length: int, month: int) -> str:
        if length > 2:
            name = (self._locale.short_months if length == 3 else self._locale.months)[month - 1]
            return name[0] if length == 5 else name
        return f"{month:02}" if length == 2 else str(month)


def _half_of_day(text: str, hour: int) -> str:
    first, _, second = text.partition("/")
    return second if hour >= 12 else first
