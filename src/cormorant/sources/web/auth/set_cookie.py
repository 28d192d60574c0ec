"""Parser of the Set-Cookie field. RFC 6265 sections 5.1.1, 5.1.4 and 5.2; pure."""

from __future__ import annotations

import re
from calendar import timegm
from typing import NamedTuple

MAX_COOKIE = 4_096
"""Characters of name and value together (RFC 6265 section 6.1)."""
MAX_ATTRIBUTE = 1_024
"""Characters of the value of an attribute; a longer one is left out."""
_DELIMITER = re.compile(r"[\x09\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+")
_TIME = re.compile(r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D.*)?", re.DOTALL)
_DAY = re.compile(r"(\d{1,2})(?:\D.*)?", re.DOTALL)
_YEAR = re.compile(r"(\d{2,4})(?:\D.*)?", re.DOTALL)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


class SetCookie(NamedTuple):
    """A cookie as a server set it. `domain` is "" and `path` is "" where it named none that counts.

    `expires` is in epoch seconds, None for a cookie of the session.
    """

    name: str
    value: str
    domain: str
    path: str
    secure: bool
    expires: float | None


def parse(text: str, now: float) -> SetCookie | None:
    """Read one Set-Cookie field; None for what is no cookie."""
    pair, *rest = text.split(";")
    name, equals, value = pair.partition("=")
    name, value = name.strip(" \t"), value.strip(" \t")
    if not (equals and name) or len(name) + len(value) > MAX_COOKIE:
        return None
    said: dict[str, str] = {}
    for each in rest:
        key, _, argument = each.partition("=")
        key, argument = key.strip(" \t").lower(), argument.strip(" \t")
        if len(argument) <= MAX_ATTRIBUTE and _counts(key, argument):
            said[key] = argument
    path = said.get("path", "")
    return SetCookie(
        name, value, said.get("domain", "").lower().removeprefix("."), path if path.startswith("/") else "",
        "secure" in said, _expires(said, now),
    )  # fmt: skip


def _counts(key: str, argument: str) -> bool:
    """Return whether an attribute replaces an earlier one of its name.

    One that cannot be read does not, but a path always does.
    """
    if key == "max-age":
        return re.fullmatch(r"-?\d+", argument) is not None
    if key == "expires":
        return date(argument) is not None
    return key != "domain" or bool(argument)


def _expires(said: dict[str, str], now: float) -> float | None:
    if "max-age" in said:
        seconds = int(said["max-age"][:12])
        return now + seconds if seconds > 0 else 0.0
    return date(said["expires"]) if "expires" in said else None


def date(text: str) -> float | None:
    """The epoch seconds of a cookie-date (RFC 6265 section 5.1.1), None for what is none."""
    found: dict[str, tuple[int, ...]] = {}
    for token in _DELIMITER.split(text):
        _take(token, found)
    if len(found) < 4:
        return None
    (hour, minute, second), (day,), (month,), (year,) = (found[each] for each in ("time", "day", "month", "year"))
    year += 1900 if 70 <= year <= 99 else 2000 if year <= 69 else 0
    if not (1 <= day <= 31 and year >= 1601 and hour <= 23 and minute <= 59 and second <= 59):
        return None
    return float(timegm((year, month, day, hour, minute, second))) if day <= _days(year, month) else None


def _take(token: str, found: dict[str, tuple[int, ...]]) -> None:
    """See what a token is: each part of a date is taken once, in this order of trying."""
    if "time" not in found and (said := _TIME.fullmatch(token)):
        found["time"] = (int(said[1]), int(said[2]), int(said[3]))
    elif "day" not in found and (said := _DAY.fullmatch(token)):
        found["day"] = (int(said[1]),)
    elif "month" not in found and token[:3].lower() in _MONTHS:
        found["month"] = (_MONTHS.index(token[:3].lower()) + 1,)
    elif "year" not in found and (said := _YEAR.fullmatch(token)):
        found["year"] = (int(said[1]),)


def _days(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def default_path(path: str) -> str:
    """The path of a cookie that names none: the folder of what was asked for (RFC 6265 section 5.1.4)."""
    folder = path.partition("?")[0].rpartition("/")[0]
    return folder or "/"
