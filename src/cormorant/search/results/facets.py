"""Facets of search results: the choices that narrow them, and how many matches each would leave.

A list is counted without the values chosen from it, so that its other values stay available. A count is the total of
the narrowed search (for the limits see `search.index.protocol.IndexReader.tally`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from cormorant.model.attribute import AttributeType
from cormorant.search.index.facet_request import ByAttribute, ByKey, Counts, Since, Split
from cormorant.search.index.filter_fields import filed_under
from cormorant.search.index.query import Key, Query
from cormorant.search.query import filters
from cormorant.search.query.filters import CHANGED, LANGUAGE, LISTS, SITE, SOURCE, TYPE, Filters, within
from cormorant.search.query.type_names import ALIASES, NAMES

MOST_CHOICES: Final = 50
"""Values of one list that are offered, those with most results first."""
WEEK, MONTH, YEAR = AGES = ("week", "month", "year")
"""The past week, the past month of 30 days, and this year. Days are those of UTC."""
_TYPES: Final = {mime: name for name, types in NAMES.items() if name not in ALIASES for mime in types}


class FacetValue(NamedTuple):
    """A value, its number of results, and whether it is chosen. `since` is the day that a value of CHANGED means."""

    value: str
    results: int
    chosen: bool
    since: str = ""


class Facet(NamedTuple):
    """The offered values of one facet, and the number of `others` that are not offered."""

    name: str
    choices: tuple[FacetValue, ...]
    others: int = 0


Tally = Callable[[Query, Sequence[Split]], Sequence[Counts]]
"""Counts the matches of a query by facet value, for each split."""


def attribute_facets(
    tally: Tally, query: Query, sources: Sequence[str], chosen: Filters, names: Mapping[str, AttributeType]
) -> tuple[Facet, ...]:
    """Count results by the values of attributes, one facet for each. Dates count by month, newest first."""
    places = filters.parts(sources, chosen)
    found = []
    for name, kind in names.items():
        key = filters.attribute_list(name)
        narrowed = within(query, [place for each, place in places.items() if each != key])
        (counts,) = tally(narrowed, [ByAttribute(name, by_month=kind is AttributeType.DATE)])
        picked = [value for each, value in chosen.attributes if filters.attribute_list(each) == key]
        facet = _facet(key, [counts], picked)
        if kind is AttributeType.DATE:
            facet = facet._replace(choices=tuple(sorted(facet.choices, key=lambda each: each.value, reverse=True)))
        found.append(facet._replace(name=name))
    return tuple(found)


def facets(tally: Tally, query: Query, sources: Sequence[str], chosen: Filters, today: date) -> tuple[Facet, ...]:
    """Count the results that each choice would leave of a query, which is given without the present choices."""
    places = filters.parts(sources, chosen)
    asked: dict[Query, list[str]] = {}
    for name in LISTS:
        others = [place for each, place in places.items() if each != name]
        asked.setdefault(within(query, others), []).append(name)
    days = _days(today)
    counted: dict[str, list[Counts]] = {}
    for narrowed, names in asked.items():
        splits = [(name, split) for name in names for split in _splits(name, chosen, days)]
        for (name, _), counts in zip(splits, tally(narrowed, [split for _, split in splits]), strict=True):
            counted.setdefault(name, []).append(counts)
    values = {SOURCE: tuple(sources), SITE: chosen.site, TYPE: chosen.type, LANGUAGE: chosen.language}
    return (
        *(_facet(name, counted[name], values[name]) for name in LISTS if name != CHANGED),
        _changed(counted[CHANGED][0], chosen, days),
    )


def _splits(name: str, chosen: Filters, days: Mapping[str, date]) -> Iterator[Split]:
    """Yield the splits by which a list is counted."""
    match name:
        case filters.SOURCE:
            yield ByKey(Key.SOURCE)
        case filters.SITE:
            yield ByKey(Key.SITE)
        case filters.LANGUAGE:
            yield ByKey(Key.LANGUAGE)
        case filters.TYPE:
            yield ByKey(Key.MIME, _TYPES)
            if any("/" in each for each in chosen.type):  # one of several that count under one name
                yield ByKey(Key.MIME)
        case _:
            yield Since({name: _moment(day) for name, day in days.items()})


def _facet(name: str, counted: Sequence[Counts], chosen: Sequence[str]) -> Facet:
    """Return one facet: the chosen values, and the values worth offering."""
    first, *more = counted
    known = {value: count for counts in (*more, first) for value, count in counts.items()}
    offered = set(_offered(name, first)) | set(chosen)
    ranked = sorted(offered, key=lambda value: (-known.get(value, 0), value))
    shown = {*ranked[:MOST_CHOICES], *chosen}
    choices = [FacetValue(value, known.get(value, 0), value in chosen) for value in ranked if value in shown]
    return Facet(name, tuple(choices), len(ranked) - len(choices))


def _offered(name: str, counts: Counts) -> Iterable[str]:
    """Return the values worth offering.

    A domain whose results are all of one host is left out beside that host, and dialects beside their language. A site
    that is a number belongs to a source without hosts, and means nothing to a reader.
    """
    if name == LANGUAGE:
        return [value for value in counts if "-" not in value]
    if name != SITE:
        return counts
    parts = {part for own in counts for part in filed_under(Key.SITE, own)[1:] if counts.get(part) == counts[own]}
    return {each for each in counts if each not in parts and not each.isdecimal()}


def _changed(counts: Counts, chosen: Filters, days: Mapping[str, date]) -> Facet:
    since = chosen.since if not chosen.until else ""
    return Facet(CHANGED, tuple(
        FacetValue(age, counts.get(age, 0), since == day.isoformat(), day.isoformat())
        for age, day in days.items() if counts.get(age) or since == day.isoformat()
    ))  # fmt: skip


def _days(today: date) -> dict[str, date]:
    """Return the first day of each age."""
    return {WEEK: today - timedelta(7), MONTH: today - timedelta(30), YEAR: date(today.year, 1, 1)}


def _moment(day: date) -> float:
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()
