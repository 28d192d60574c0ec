"""Texts, moments and attributes of cells, whatever type a driver gives them."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from string import Formatter
from typing import Final
from urllib.parse import quote

from cormorant.model.content import Value

_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Characters that no page shows and some databases do not keep; surrogates stand for bytes that were no UTF-8."""
MAX_ATTRIBUTE: Final = 10_000
"""Characters of an attribute's value, or of a title."""


def clean(text: str) -> str:
    """Return a text without control characters and halves of characters."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def cell_text(value: object) -> str:
    """Return a cell as people read it; "" for one without a value, and for bytes that are no text."""
    match value:
        case None:
            return ""
        case str():
            return clean(value)
        case bool():
            return "yes" if value else "no"
        case bytes() | bytearray() | memoryview():
            return clean(decoded(bytes(value)) or "")
        case Decimal():
            return f"{value:f}"
        case Mapping():
            return clean(json.dumps(value, ensure_ascii=False, default=str))
        case list() | tuple() | set() | frozenset():
            return ", ".join(map(cell_text, value))
        case _:
            return clean(str(value))


def decoded(data: bytes) -> str | None:
    """Return bytes that are a text in UTF-8; None for others."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def moment_of(value: object) -> float | None:
    """Return a moment in epoch seconds; one without a zone is in UTC. None for what is none.

    A number counts seconds since the epoch, or milliseconds when it is beyond the year 5000.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float | Decimal):
        number = float(value)
        number = number / 1000 if abs(number) > 1e11 else number
        return number if math.isfinite(number) and abs(number) < 1e11 else None
    if isinstance(value, str):
        value = parsed_moment(value)
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day, tzinfo=datetime.UTC)
    if not isinstance(value, datetime.datetime):
        return None
    try:
        return (value if value.tzinfo else value.replace(tzinfo=datetime.UTC)).timestamp()
    except (OverflowError, ValueError):
        return None


def parsed_moment(text: str) -> datetime.datetime | None:
    """Return the moment that a text in the form of ISO 8601 means."""
    try:
        return datetime.datetime.fromisoformat(text.strip())
    except ValueError:
        return None


def attribute_value(name: str, value: object) -> Value | None:
    """Return a cell as the value of an attribute: dates as epoch seconds where its name ends `_at`; None for none."""
    if value is None:
        return None
    if name.endswith("_at"):
        return moment_of(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | Decimal):
        number = float(value)
        return number if math.isfinite(number) else str(value)
    if isinstance(value, list | tuple | set | frozenset):
        return tuple(filter(None, (cell_text(each)[:MAX_ATTRIBUTE] for each in value))) or None
    return cell_text(value)[:MAX_ATTRIBUTE] or None


def filled(template: str, values: Mapping[str, object], *, escaped: bool) -> str:
    """Return a template with the cells of columns in place of their names; percent-encoded when `escaped`.

    One that is a single column is that cell as it is: it holds a whole address.
    """
    parts, whole = list(Formatter().parse(template)), []
    if len(parts) == 1 and not parts[0][0] and parts[0][1] is not None:
        return cell_text(values.get(parts[0][1])).strip()
    for text, name, _, _ in parts:
        whole.append(text)
        if name is not None:
            cell = cell_text(values.get(name))
            whole.append(quote(cell, safe="", errors="replace") if escaped else cell)
    return "".join(whole).strip()


def split_names(value: object) -> Sequence[str]:
    """Return the names in a cell: those of an array, else split at commas, semicolons and line ends."""
    if isinstance(value, list | tuple | set | frozenset):
        names = list(map(cell_text, value))
    else:
        names = re.split(r"[,;\r\n]", cell_text(value))
    return [each.strip() for each in names if each.strip()]
