"""Ranges of days, sizes or steps, as a person types them.

date:2026  date:2026-03..2026-05-14  date:>2026-01-01  after:2026-01-01      whole days, UTC
size:>1MB  size:10kB..2MB            depth:<3  depth:0..2                    both ends included
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from cormorant.search.index.query import Number, Range

FIELDS: Final = {"date": Number.MODIFIED, "size": Number.SIZE, "depth": Number.DEPTH}
"""Names before a colon, and the numbers that they compare."""
_RELATIVES: Final = {"after": ">=", "before": "<"}
"""Other names of `date`, and the comparison with the day after them."""
NAMES: Final = frozenset((*FIELDS, *_RELATIVES))
_EXPECTED: Final = {
    Number.MODIFIED: "a day, month or year, like 2026-03-14 or 2026, or two with .. between them",
    Number.SIZE: "a size like 500kB or >2MB, or two with .. between them",
    Number.DEPTH: "a number like 2 or <3, or two with .. between them",
}
_UNITS: Final = {"": 1, "b": 1, "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000}
_SIZE: Final = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)\s?([kmg]?b?)", re.IGNORECASE | re.ASCII)
_DAY: Final = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?", re.ASCII)
_COMPARED: Final = re.compile(r"(>=|<=|=|>|<)(.*)")
MOMENT_S: Final = 0.001
"""The step from one moment to the next."""
_LAST_MOMENT_S: Final = 86_400.0 - MOMENT_S


class RangeSpan(NamedTuple):
    """The range that one value stands for: from its first moment, byte or step to its last."""

    low: float
    high: float


def ranged(name: str, text: str) -> Range | str:
    """Return the range that a text means, or a sentence with the expected form."""
    number = FIELDS.get(name, Number.MODIFIED)
    read = _READERS[number]
    text = f"{_RELATIVES.get(name, '')}{text.strip()}"
    try:
        return _compared(number, text, read) or _between(number, text, read)
    except ValueError:
        return f"{name}: takes {_EXPECTED[number]}."


def written(node: Range) -> str:
    """Return a range as it could be typed."""
    name = next(name for name, number in FIELDS.items() if number is node.number)
    write = day if node.number is Number.MODIFIED else _whole
    low, high = (write(each) if each is not None else "" for each in (node.low, node.high))
    return f"{name}:{low}..{high}"


def _compared(number: Number, text: str, read: Callable[[str], RangeSpan]) -> Range | None:
    """Read a value after a comparison sign: `>` begins with the next day, byte or step, `<` ends before the value."""
    found = _COMPARED.fullmatch(text)
    if found is None:
        return None
    value, step = read(found[2].strip()), 0.001 if number is Number.MODIFIED else 1.0
    return {
        ">": Range(number, value.high + step, None), ">=": Range(number, value.low, None),
        "<": Range(number, None, value.low - step), "<=": Range(number, None, value.high),
        "=": Range(number, value.low, value.high),
    }[found[1]]  # fmt: skip


def _between(number: Number, text: str, read: Callable[[str], RangeSpan]) -> Range:
    """Read one value, or two of which one may be left out. Raises ValueError for anything else."""
    first, dots, second = text.partition("..")
    if not dots:
        return Range(number, *read(first))
    if not (first or second):
        raise ValueError(text)
    low, high = read(first).low if first else None, read(second).high if second else None
    if low is not None and high is not None and low > high:
        low, high = read(second).low, read(first).high
    return Range(number, low, high)


def days(text: str) -> RangeSpan:
    """Return the moments of a day, month or year, epoch seconds in UTC. Raises ValueError for anything else."""
    found = _DAY.fullmatch(text)
    if found is None:
        raise ValueError(text)
    year, month, of_month = int(found[1]), int(found[2] or 0), int(found[3] or 0)
    first = date(year, month or 1, of_month or 1)
    last = date(year, month or 12, of_month or calendar.monthrange(year, month or 12)[1])
    return RangeSpan(_start(first), _start(last) + _LAST_MOMENT_S)


def _start(when: date) -> float:
    return datetime(when.year, when.month, when.day, tzinfo=UTC).timestamp()


def _bytes(text: str) -> RangeSpan:
    found = _SIZE.fullmatch(text)
    if found is None:
        raise ValueError(text)
    unit = found[2].lower()
    size = round(float(found[1]) * _UNITS[unit if unit in _UNITS else f"{unit}b"])
    return RangeSpan(size, size)


def _steps(text: str) -> RangeSpan:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError(text)
    return RangeSpan(int(text), int(text))


def day(moment: float) -> str:
    """Return the day of a moment as it is typed."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=moment + 0.0005)).date().isoformat()


def _whole(value: float) -> str:
    return str(int(value))


_READERS: Final[dict[Number, Callable[[str], RangeSpan]]] = {
    Number.MODIFIED: days, Number.SIZE: _bytes, Number.DEPTH: _steps,
}  # fmt: skip
