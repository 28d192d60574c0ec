"""Formatting of numbers for people."""

from __future__ import annotations

_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def size(count: float) -> str:
    """Bytes with a unit, like 3.2 MB."""
    for unit in _UNITS[:-1]:
        if count < 1000:
            return f"{count:,.0f} {unit}" if unit == "bytes" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:,.1f} {_UNITS[-1]}"


def duration(seconds: float) -> str:
    """Seconds as a length of time, like 0.4 s, 1:05 min, 2:10 h, 3.5 days."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}:{rest:02} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02} h" if hours < 48 else f"{hours / 24:.1f} days"


def plural(count: int, one: str, many: str = "") -> str:
    """A count with its word: 1 document, 1,200 documents."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
