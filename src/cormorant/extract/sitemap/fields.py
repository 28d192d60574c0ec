"""Parsing of the fields of a sitemap entry. When it was changed, how often that happens, how much it matters."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

FREQUENCIES: Final = {
    "always": 900, "hourly": 3_600, "daily": 86_400, "weekly": 604_800, "monthly": 2_592_000, "yearly": 31_536_000,
}  # fmt: skip
"""Seconds between changes by the words of `changefreq`; `never`, and what is none of them, is 0: nothing is said."""

_DATE: Final = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_MOST_CHARACTERS: Final = 64


def moment(text: str) -> tuple[float | None, float | None]:
    """Return the range of epoch seconds that a date covers (W3C-DTF or RFC 5322).

    A day is as long as it is.

    (None, None) for what is no date; a time without a zone is taken for UTC.
    """
    text = text.strip()
    if not text or len(text) > _MOST_CHARACTERS:
        return None, None
    if match := _DATE.fullmatch(text):
        return _span(int(match[1]), int(match[2] or 0), int(match[3] or 0))
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            at = read(text)
            seconds = (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
        return seconds, seconds
    return None, None


def _span(year: int, month: int, day: int) -> tuple[float | None, float | None]:
    """The first and the last second of a year, a month or a day."""
    later = (year, month, day + 1) if day else (year, month + 1, 1) if month else (year + 1, 1, 1)
    try:
        first = datetime(year, month or 1, day or 1, tzinfo=UTC).timestamp()
        if day:
            return first, first + 86_399
        if later[1] > 12:
            later = (year + 1, 1, 1)
        return first, datetime(*later, tzinfo=UTC).timestamp() - 1
    except (ValueError, OverflowError):
        return None, None


def weight(text: str) -> float | None:
    """A priority from 0 to 1; None when none is said."""
    text = text.strip()
    if not text or len(text) > _MOST_CHARACTERS:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return min(max(value, 0.0), 1.0) if value == value else None  # noqa: PLR0124 - it is no number when it differs
