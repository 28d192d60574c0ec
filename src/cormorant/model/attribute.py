"""Search attributes: their names, their types, and values of these types.

    string   one line of text        number   a float         date   epoch seconds, UTC

A document may have several values of an attribute, all of one type. A value that cannot be converted to the type is
dropped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cormorant.model.content import Value

LONGEST_NAME: Final = 60
MOST_VALUES: Final = 100
"""Values of one attribute of a document that are kept."""
DATE_ENDING: Final = "_at"
"""Suffix of the names of date attributes."""
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:[.-][A-Za-z0-9_]+)*")
_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,3})?", re.ASCII)
_PART_OF_DATE: Final = re.compile(r"(\d{4})(?:-(\d{1,2}))?", re.ASCII)
_DAY_FIRST: Final = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", re.ASCII)
_LONGEST_DATE: Final = 64
_LAST_MOMENT: Final = 253_402_300_799.0
_FIRST_MOMENT: Final = -62_135_596_800.0
"""The ends of the years 9999 and 1; no calendar day lies outside."""


class AttributeType(StrEnum):
    """The type of the values of a search attribute."""

    STRING = "string"
    NUMBER = "number"
    DATE = "date"


BUILT_IN: Final = {
    "Author": AttributeType.STRING,
    "Category": AttributeType.STRING,
    "Comments": AttributeType.STRING,
    "Company": AttributeType.STRING,
    "Description": AttributeType.STRING,
    "Headline1": AttributeType.STRING,
    "Headline2": AttributeType.STRING,
    "Keywords": AttributeType.STRING,
    "Subject": AttributeType.STRING,
}
"""Attributes that converters set, besides the fields of every document."""
FIELDS: Final = {
    "Title": "title",
    "Mimetype": "type",
    "Language": "lang",
    "Host": "site",
    "LastModifiedDate": "date",
    "Url": "url",
    "Infosource": "source",
}
"""Search attributes that are fields of every document, with the names of these fields in a query."""


def attribute_name(text: str) -> str:
    """Return a valid name of an attribute. Raises ValueError, with a sentence, for an invalid one."""
    if len(text) > LONGEST_NAME or not _NAME.fullmatch(text):
        raise ValueError(
            f"{text[:LONGEST_NAME]!r} is no name of an attribute: it begins with a letter and has letters, digits, "
            f"underscores, dots and dashes, {LONGEST_NAME} at most."
        )
    return text


def is_attribute_name(text: str) -> bool:
    """Return whether a text may be the name of an attribute."""
    return len(text) <= LONGEST_NAME and _NAME.fullmatch(text) is not None


def type_by_value(name: str, value: Value) -> AttributeType:
    """Return the type of an undeclared attribute, by its name and a value of it."""
    if name.endswith(DATE_ENDING):
        return AttributeType.DATE
    values = each_value(value)
    numbers = bool(values) and not any(isinstance(each, str) for each in values)
    return AttributeType.NUMBER if numbers else AttributeType.STRING


def each_value(value: Value) -> Sequence[str | float]:
    """Return the values of an attribute as a sequence, even a single one."""
    return (value,) if isinstance(value, str | float | int) else tuple(value)


def typed(value: Value, wanted: AttributeType) -> Value | None:
    """Return a value converted to a type, None if no part of it can be; a value of the type is returned unchanged."""
    given = each_value(value)
    made = [each for each in (_typed(one, wanted) for one in given[:MOST_VALUES]) if each is not None]
    if given and len(made) == len(given) and all(one is other for one, other in zip(given, made, strict=True)):
        return value
    return shaped(value, made)


def shaped(given: Value, values: Iterable[str | float]) -> Value | None:
    """Return these values in the shape of another: several values stay a tuple, even if one or none is left."""
    found = tuple(dict.fromkeys(values))
    if not isinstance(given, str | float | int):
        return found or None  # type: ignore[return-value] # all of one type
    return found[0] if found else None


def packed(values: Iterable[str | float]) -> Value | None:
    """Return values in the form of an attribute, each once: a tuple of several, a single value, or None."""
    found = tuple(dict.fromkeys(values))
    if not found:
        return None
    return found[0] if len(found) == 1 else found  # type: ignore[return-value] # all of one type


def _typed(value: str | float, wanted: AttributeType) -> str | float | None:
    match wanted:
        case AttributeType.STRING:
            return value if isinstance(value, str) else written(value)
        case AttributeType.NUMBER:
            return number(value) if isinstance(value, str) else _finite(value)
        case AttributeType.DATE:
            return moment(value) if isinstance(value, str) else _within_calendar(value)


def written(value: float) -> str:
    """Return a number as a person writes it: 12 and not 12.0."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def number(text: str) -> float | None:
    """Return the number in a text, None for any other text. A comma is no decimal point, as it may separate thousands.

    Blanks around it are ignored.
    """
    bare = text.strip()
    return _finite(float(bare)) if _NUMBER.fullmatch(bare) else None


def moment(text: str) -> float | None:
    """Return the epoch seconds of a day or moment, None for any other text. UTC is assumed without a zone.

    Dates are as in ISO 8601 (a year or month is its first day), RFC 5322 3.3, or like 24.12.2026.
    """
    bare = text.strip()
    if not bare or len(bare) > _LONGEST_DATE:
        return None
    for read in (_iso, _part, _day_first, _of_mail):
        try:
            found = read(bare)
        except (ValueError, OverflowError, TypeError, IndexError):
            continue
        if found is not None:
            return _within_calendar(_seconds(found))
    return None


def _iso(text: str) -> datetime | None:
    return datetime.fromisoformat(text)


def _part(text: str) -> datetime | None:
    found = _PART_OF_DATE.fullmatch(text)
    return datetime(int(found[1]), int(found[2] or 1), 1, tzinfo=UTC) if found else None


def _day_first(text: str) -> datetime | None:
    found = _DAY_FIRST.fullmatch(text)
    return datetime(int(found[3]), int(found[2]), int(found[1]), tzinfo=UTC) if found else None


def _of_mail(text: str) -> datetime | None:
    return parsedate_to_datetime(text)


def _seconds(found: datetime) -> float:
    return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _within_calendar(value: float) -> float | None:
    return value if _FIRST_MOMENT <= value <= _LAST_MOMENT else None
