"""Filters by an attribute, as a person types them after its name and a colon.

Department:sales   Department:"human resources"     words of a value, side by side
Department:="Human Resources"                       the whole value
Price:10   Price:10..20   Price:>10                 a number; both ends included
Due_at:2026-03   Due_at:2026-01-01..                whole days, UTC
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from cormorant.model.attribute import BUILT_IN, AttributeType, number, written as plain
from cormorant.search.index.query import AttributeMatch, AttributeRange, Query
from cormorant.search.index.tokenizer import words
from cormorant.search.query import ranges

KnownAttributes = Mapping[str, tuple[str, AttributeType]]
"""Attributes that a query may name: their names and types, by names in lower case."""
BUILT_IN_ATTRIBUTES: Final[KnownAttributes] = MappingProxyType(
    {name.lower(): (name, kind) for name, kind in BUILT_IN.items()}
)
"""The attributes of every installation."""
WHOLE: Final = "="
"""Sign before a value that has to match as a whole."""
_COMPARED: Final = re.compile(r"(>=|<=|>|<)(.*)")
_EXPECTED: Final = {
    AttributeType.STRING: "words, or = and a whole value",
    AttributeType.NUMBER: "a number like 10, >10 or 10..20",
    AttributeType.DATE: "a day, month or year, like 2026-03-14 or 2026, or two with .. between them",
}
_BARE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9./-]*[A-Za-z0-9]|[A-Za-z0-9]")


def attribute_query(name: str, kind: AttributeType, text: str) -> Query | str:
    """Return the filter that a text means, or a sentence with the expected form."""
    text = text.strip()
    complaint = f"{name}: takes {_EXPECTED[kind]}."
    if text.startswith(WHOLE) and kind is not AttributeType.DATE:
        whole = " ".join(text.removeprefix(WHOLE).replace('"', " ").split())
        return AttributeMatch(name, (whole,), whole=True) if whole else complaint
    if kind is AttributeType.STRING:
        bare = " ".join(text.replace('"', " ").split())
        return AttributeMatch(name, (bare,)) if words(bare) else complaint
    read = _number if kind is AttributeType.NUMBER else _days
    step = _beyond if kind is AttributeType.NUMBER else _moment_beyond
    try:
        low, high = _compared(text, read, step) or _between(text, read)
    except ValueError:
        return complaint
    return AttributeRange(name, low, high, is_date=kind is AttributeType.DATE)


_Ends = tuple[float | None, float | None]
_Span = tuple[float, float]


def _compared(text: str, read: Callable[[str], _Span], step: Callable[[float, float], float]) -> _Ends | None:
    found = _COMPARED.fullmatch(text)
    if found is None:
        return None
    low, high = read(found[2].strip())
    return {
        ">": (step(high, math.inf), None), ">=": (low, None), "<": (None, step(low, -math.inf)), "<=": (None, high),
    }[found[1]]  # fmt: skip


def _between(text: str, read: Callable[[str], _Span]) -> _Ends:
    """Read one value, or two of which one may be left out. Raises ValueError for anything else."""
    first, dots, second = text.partition("..")
    if not dots:
        return read(first)
    if not (first or second):
        raise ValueError(text)
    low, high = read(first)[0] if first else None, read(second)[1] if second else None
    if low is not None and high is not None and low > high:
        low, high = read(second)[0], read(first)[1]
    return low, high


def _number(text: str) -> _Span:
    found = number(text)
    if found is None:
        raise ValueError(text)
    return found, found


def _days(text: str) -> _Span:
    found = ranges.days(text)
    return found.low, found.high


def _beyond(value: float, towards: float) -> float:
    return math.nextafter(value, towards)


def _moment_beyond(value: float, towards: float) -> float:
    return value + math.copysign(ranges.MOMENT_S, towards)


def written(node: AttributeMatch | AttributeRange) -> list[str]:
    """Return a filter as texts that could be typed; several are alternatives."""
    if isinstance(node, AttributeMatch):
        mark = WHOLE if node.whole else ""
        return [f"{node.name}:{_quoted(mark, text)}" for text in node.texts]
    write = ranges.day if node.is_date else plain
    low, high = (write(each) if each is not None else "" for each in (node.low, node.high))
    return [f"{node.name}:{low if low == high and low else f'{low}..{high}'}"]


def _quoted(mark: str, text: str) -> str:
    return f"{mark}{text}" if _BARE.fullmatch(text) else f'"{mark}{text}"'
