"""Filters that narrow the results of a query: values chosen from lists, and a range of days.

A choice has the same meaning as in the query: `type:pdf`, `site:example.org`, `date:2026-03..2026-05`. Values of one
list widen each other, lists narrow each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cormorant.model.attribute import AttributeType, is_attribute_name
from cormorant.search.index import query as ask
from cormorant.search.index.query import Key, Query, Range
from cormorant.search.query.attribute_query import attribute_query
from cormorant.search.query.ranges import ranged
from cormorant.search.query.type_names import ALIASES, NAMES, mimes

SOURCE, SITE, TYPE, LANGUAGE, CHANGED = LISTS = ("source", "site", "type", "language", "changed")
"""The lists of values, in the order in which they are offered."""
ATTRIBUTE: Final = "attribute:"
"""Prefix of an attribute's name in the name of the list of its values."""
_MONTH: Final = re.compile(r"\d{4}-\d{2}")
_DAYS: Final = "takes a day, month or year, like 2026-03-14 or 2026"


@dataclass(frozen=True, slots=True)
class Filters:
    """Values chosen from lists; an empty list selects all. `since` and `until` are days, months or years, or "".

    Both ends are included. `attributes` are names of attributes, each with a whole value; values of one attribute widen
    each other.
    """

    site: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    attributes: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        for name, value in (
            ("site", _lowered(self.site)), ("type", _lowered(ALIASES.get(each, each) for each in _lowered(self.type))),
            ("language", _lowered(self.language)), ("attributes", _different(self.attributes)),
            ("since", self.since.strip()), ("until", self.until.strip()),
        ):  # fmt: skip
            object.__setattr__(self, name, value)

    @property
    def faults(self) -> Mapping[str, str]:
        """The invalid filters by name, each with a sentence about the expected form."""
        found = {name: f"{name} {_DAYS}." for name in ("since", "until") if not _is_day(getattr(self, name))}
        unknown = [each for each in self.type if not mimes(each)]
        if unknown:
            there_is = ", ".join(name for name in NAMES if name not in ALIASES)
            found["type"] = f"There is no type {unknown[0]!r}. There is {there_is}, or a MIME type like text/html."
        return found

    @property
    def usable(self) -> Filters:
        """Return the filters without unknown types and invalid days."""
        known = tuple(each for each in self.type if mimes(each))
        days = {name: "" for name in ("since", "until") if not _is_day(getattr(self, name))}
        return replace(self, type=known, since=days.get("since", self.since), until=days.get("until", self.until))


def parts(sources: Sequence[str], chosen: Filters) -> dict[str, Query]:
    """Return the query for each list with chosen values, by the list's name."""
    usable = chosen.usable
    types = tuple(sorted({each for value in usable.type for each in mimes(value)}))
    found: dict[str, Query] = {
        name: ask.Exact(key, tuple(values))
        for name, key, values in (
            (SOURCE, Key.SOURCE, sources), (SITE, Key.SITE, usable.site), (TYPE, Key.MIME, types),
            (LANGUAGE, Key.LANGUAGE, usable.language),
        ) if values
    }  # fmt: skip
    found |= _attribute_parts(usable.attributes)
    days = ranged("date", f"{usable.since}..{usable.until}") if usable.since or usable.until else None
    if isinstance(days, Range):
        found[CHANGED] = days
    return found


def _attribute_parts(chosen: Sequence[tuple[str, str]]) -> dict[str, Query]:
    """Return the query for each attribute, by its list. A value like 2026-03 also means that month of a date."""
    matches, months = dict[str, ask.AttributeMatch](), dict[str, list[Query]]()
    for name, value in chosen:
        key = attribute_list(name)
        known = matches[key].texts if key in matches else ()
        matches[key] = ask.AttributeMatch(name, (*known, value), whole=True)
        span = attribute_query(name, AttributeType.DATE, value) if _MONTH.fullmatch(value) else ""
        if not isinstance(span, str):
            months.setdefault(key, []).append(span)
    return {key: ask.Or((match, *months[key])) if key in months else match for key, match in matches.items()}


def attribute_choice(text: str) -> tuple[str, str]:
    """Read a chosen value of an attribute, NAME=VALUE."""
    name, _, value = text.partition("=")
    return name, value


def attribute_list(name: str) -> str:
    """Return the name of the list of an attribute's values; names are compared without regard to case."""
    return f"{ATTRIBUTE}{name.lower()}"


def within(query: Query, places: Sequence[Query]) -> Query:
    """Narrow a query to these filters."""
    if not places:
        return query
    if isinstance(query, ask.Clauses):
        return replace(query, must=(*places, *query.must), least=int(query.needs_one and bool(query.should)))
    return ask.And((*places, query))


def _lowered(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.strip().lower() for each in values if each.strip()))


def _different(chosen: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    kept = ((name.strip(), " ".join(value.split())) for name, value in chosen)
    return tuple(dict.fromkeys(each for each in kept if is_attribute_name(each[0]) and each[1]))


def _is_day(text: str) -> bool:
    return not text or isinstance(ranged("date", f"{text}.."), Range)


NOTHING_CHOSEN: Final = Filters()
