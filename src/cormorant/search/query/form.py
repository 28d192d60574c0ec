"""Conversion of the fields of a search form to a query, and of a query to fields.

    Fields --composed--> text of a query --parse--> Query
    text of a query --taken_apart--> Fields, with parts that fit no field in `rest`

A query that is taken apart and composed again means the same, so a form that is opened from a query loses nothing of
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias, TypeGuard

from cormorant.model.attribute import AttributeType
from cormorant.search.index import query as ask
from cormorant.search.index.query import Field, Key, Number, Query, Range
from cormorant.search.index.tokenizer import words
from cormorant.search.query import filters, ranges
from cormorant.search.query.attribute_query import BUILT_IN_ATTRIBUTES, KnownAttributes, attribute_query, written
from cormorant.search.query.filters import Filters
from cormorant.search.query.lexer import LONGEST, OPERATORS
from cormorant.search.query.parser import parse
from cormorant.search.query.render import render
from cormorant.search.query.type_names import NAMES

PLACES: Final = {"title": Field.TITLE, "heading": Field.HEADINGS, "url": Field.ADDRESS, "link": Field.ANCHORS}
"""The fields in which words may be searched, besides everywhere."""
Plain: TypeAlias = ask.QueryWord | ask.Phrase | ask.Prefix
"""Parts of a query that a field for words can hold."""
_PIECE: Final = re.compile(r'"([^"]*)"|([^\s"]+)')
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_BEGINNING: Final = re.compile(r"([^\W_]{2,})\*")


@dataclass(frozen=True, slots=True)
class Fields:
    """The contents of the fields of a form.

    Days are like 2026-03-14; `rest` is a query by itself. `attributes` are names, each with the text typed after its
    colon. `every`, `any_of` and `none_of` hold words side by side, and phrases in quotes.
    """

    every: str = ""
    phrase: str = ""
    any_of: str = ""
    none_of: str = ""
    place: str = ""
    sources: tuple[str, ...] = ()
    site: str = ""
    type: str = ""
    language: str = ""
    since: str = ""
    until: str = ""
    rest: str = ""
    attributes: tuple[tuple[str, str], ...] = ()


def composed(fields: Fields, known: KnownAttributes = BUILT_IN_ATTRIBUTES) -> str:
    """Return the text of the query that the fields make; "" for an empty form.

    Invalid days and types are left out, and so are attributes that are not `known`.
    """
    where, rest = PLACES.get(fields.place), fields.rest.strip()
    every = [*_plain(fields.every, where), *_phrase(fields.phrase, where)]
    any_of, none_of = _plain(fields.any_of, where), _plain(fields.none_of, where)
    must: list[Query] = list(every)
    should: tuple[Query, ...] = ()
    if any_of and not every and not rest:
        should = tuple(any_of)
    elif any_of:
        must.append(ask.Or(tuple(any_of)) if len(any_of) > 1 else any_of[0])
    must += [*_places(fields), *_by_attributes(fields, known)]
    if none_of and not (must or should or rest):
        must.append(ask.Everything())
    text = render(ask.Clauses(tuple(must), should, tuple(none_of)))
    return " ".join(filter(None, (text, rest)))


def narrowed(text: str, sources: Sequence[str], chosen: Filters, known: KnownAttributes = BUILT_IN_ATTRIBUTES) -> str:
    """Return the text of a query narrowed to these sources and filters.

    The text is returned unchanged if the result would be too long, or could find nothing because the query names other
    values.
    """
    query, places = parse(text, known).query, tuple(filters.parts(sources, chosen).values())
    if not places or isinstance(query, ask.Nothing):
        return text
    clauses = _clauses(query)
    own = {each.key: each.values for each in clauses.must if isinstance(each, ask.Exact)}
    met = [_met(each, own) for each in places]
    named = {each.key for each in met if isinstance(each, ask.Exact)}
    others = tuple(each for each in clauses.must if not (isinstance(each, ask.Exact) and each.key in named))
    found = render(filters.within(replace(clauses, must=others), met))
    return found if len(found) <= LONGEST and not any(map(_is_nowhere, met)) else text


def _met(place: Query, own: Mapping[Key, Sequence[str]]) -> Query:
    """Intersect a filter with the values that the query itself has for the same key: side by side they would widen."""
    if not isinstance(place, ask.Exact) or place.key not in own:
        return place
    return replace(place, values=tuple(each for each in place.values if each in own[place.key]))


def _is_nowhere(place: Query) -> bool:
    return isinstance(place, ask.Exact) and not place.values


def _places(fields: Fields) -> Iterator[Query]:
    """Yield the filters of the fields."""
    if named := tuple(sorted({each for each in fields.sources if each})):
        yield ask.Exact(Key.SOURCE, named)
    if site := fields.site.strip().lower():
        yield ask.Exact(Key.SITE, (site,))
    if fields.type in NAMES:
        yield ask.Exact(Key.MIME, tuple(sorted(NAMES[fields.type])))
    if language := fields.language.strip().lower():
        yield ask.Exact(Key.LANGUAGE, (language,))
    if days := _days(fields.since, fields.until):
        yield days


def _by_attributes(fields: Fields, known: KnownAttributes) -> Iterator[Query]:
    """Yield the filters by attributes."""
    for given, text in fields.attributes:
        name, kind = known.get(given.lower(), ("", AttributeType.STRING))
        found = attribute_query(name, kind, text) if name and text.strip() else ""
        if not isinstance(found, str):
            yield found


def _days(since: str, until: str) -> Range | None:
    """Return the range from one day to another; an invalid day is left out."""
    low, high = ("" if day_fault(each) else each.strip() for each in (since, until))
    found = ranges.ranged("date", f"{low}..{high}") if low or high else None
    return found if isinstance(found, Range) else None


def day_fault(text: str) -> str:
    """Return the sentence on a field that should hold a day and does not, "" for a day and an empty field."""
    day = text.strip()
    if not day or (_DAY.fullmatch(day) and isinstance(ranges.ranged("date", day), Range)):
        return ""
    return "This is no day, so it was left out. Write one like 2026-03-14."


def _plain(text: str, where: Field | None) -> list[Plain]:
    """Return the parts of a field: words, prefixes, and phrases for texts in quotes or of more than one word."""
    found: list[Plain] = []
    for quoted, bare in _PIECE.findall(text):
        beginning = _BEGINNING.fullmatch(bare)
        if beginning:
            found.append(ask.Prefix(beginning[1], where))
        elif bare.isalnum():
            found.append(ask.QueryWord(bare.lower() if bare in OPERATORS else bare, where))
        else:
            found += _phrase(quoted or bare, where)
    return list(dict.fromkeys(found))


def _phrase(text: str, where: Field | None) -> list[Plain]:
    """Return these words as a phrase, without quotes, which would end it."""
    bare = " ".join(text.replace('"', " ").split())
    return [ask.Phrase(bare, where)] if words(bare) else []


def taken_apart(text: str, known: KnownAttributes = BUILT_IN_ATTRIBUTES) -> Fields:
    """Return the fields of a form that means the same as this query, which may name `known` attributes."""
    clauses = _clauses(parse(text, known).query)
    where = _where(clauses)
    filling = _Filling(where if where in (None, *PLACES.values()) else Field.TEXT)
    for part in clauses.must:
        if not (isinstance(part, ask.Everything) and _is_idle(clauses)):
            filling.require(part)
    filling.choose(clauses)
    for part in clauses.never:
        filling.forbid(part)
    return filling.fields()


def _clauses(query: Query) -> ask.Clauses:
    """Return a query as clauses; most queries are clauses already."""
    match query:
        case ask.Clauses():
            return query
        case ask.Nothing():
            return ask.Clauses()
        case ask.And():
            parts = query.parts
        case _:
            parts = (query,)
    never = tuple(each.part for each in parts if isinstance(each, ask.Not))
    return ask.Clauses(tuple(each for each in parts if not isinstance(each, ask.Not)), (), never)


def _is_idle(clauses: ask.Clauses) -> bool:
    """Say whether Everything is redundant beside the other parts."""
    return not clauses.should and (len(clauses.must) > 1 or bool(clauses.never))


def _where(clauses: ask.Clauses) -> Field | None:
    """Return the field in which all words are searched; Field.TEXT, which no form offers, if there are several."""
    leaves = [*ask.leaves(clauses), *(leaf for each in clauses.never for leaf in ask.leaves(each))]
    named = {leaf.field for leaf in leaves}
    return next(iter(named), None) if len(named) < 2 else Field.TEXT


class _Filling:
    """A form while it is filled from the parts of a query, whose words are searched in `where`."""

    def __init__(self, where: Field | None) -> None:
        self._where = where
        self._every: list[Plain] = []
        self._phrase: ask.Phrase | None = None
        self._any_of: Sequence[Plain] = ()
        self._none_of: list[Plain] = []
        self._placed: dict[str, str | tuple[str, ...]] = {}
        self._attributes: dict[str, str] = {}
        self._must: list[Query] = []
        self._should: tuple[Query, ...] = ()
        self._never: list[Query] = []

    def _fits(self, part: Query) -> TypeGuard[Plain]:
        """Say whether a field for words can hold a part."""
        if isinstance(part, ask.Prefix):
            return self._where is not Field.TEXT and _BEGINNING.fullmatch(f"{part.text}*") is not None
        return isinstance(part, ask.QueryWord | ask.Phrase) and self._where is not Field.TEXT

    def require(self, part: Query) -> None:
        """Take a part that must match."""
        if isinstance(part, ask.Phrase) and self._where is not Field.TEXT and self._phrase is None:
            self._phrase = part
        elif self._fits(part):
            self._every.append(part)
        elif isinstance(part, ask.Or) and not self._any_of and all(map(self._fits, part.parts)):
            self._any_of = [each for each in part.parts if self._fits(each)]
        elif isinstance(part, ask.Exact | Range) and (found := _placed(part)) and not found.keys() & self._placed:
            self._placed |= found
        elif isinstance(part, ask.AttributeMatch | ask.AttributeRange) and self._takes(part):
            self._attributes[part.name] = written(part)[0].partition(":")[2].replace('"', "")
        else:
            self._must.append(part)

    def _takes(self, part: ask.AttributeMatch | ask.AttributeRange) -> bool:
        """Say whether the form has an empty field that can hold a filter by an attribute."""
        return part.name not in self._attributes and len(written(part)) == 1

    def choose(self, clauses: ask.Clauses) -> None:
        """Take the optional parts: words go to `any_of` if one of them has to match, otherwise all go to `rest`."""
        should = [each for each in clauses.should if self._fits(each)]
        required = self._every or self._phrase or self._any_of or self._must
        if not required and len(should) == len(clauses.should):
            self._any_of = should
        else:
            self._should = clauses.should

    def forbid(self, part: Query) -> None:
        """Take a part that must not match."""
        if self._fits(part):
            self._none_of.append(part)
        else:
            self._never.append(part)

    def fields(self) -> Fields:
        """Return the filled form."""
        place = next((name for name, each in PLACES.items() if each is self._where), "")
        rest = render(ask.Clauses(tuple(self._must), self._should, tuple(self._never)))
        filled = Fields(
            every=_typed(self._every), phrase=self._phrase.text if self._phrase else "", any_of=_typed(self._any_of),
            none_of=_typed(self._none_of), place=place, rest=rest, attributes=tuple(self._attributes.items()),
        )  # fmt: skip
        placed: dict[str, Any] = dict(self._placed)
        return replace(filled, **placed)


def _placed(part: ask.Exact | Range) -> dict[str, str | tuple[str, ...]]:
    """Return the fields that a filter fills; none if the form cannot hold it as a whole."""
    if isinstance(part, Range):
        low, _, high = ranges.written(part).partition(":")[2].partition("..")
        whole = part.number is Number.MODIFIED and _days(low, high) == part
        return {name: day for name, day in (("since", low), ("until", high)) if day} if whole else {}
    if part.key is Key.SOURCE:
        return {"sources": part.values}
    if part.key is Key.MIME:
        names = [name for name, types in NAMES.items() if set(types) == set(part.values)]
        return {"type": names[0]} if names else {}
    name = {Key.SITE: "site", Key.LANGUAGE: "language"}.get(part.key)
    return {name: part.values[0]} if name and len(part.values) == 1 else {}


def _typed(leaves: Iterable[Plain]) -> str:
    """Return words as they are typed into a field."""
    return " ".join(render(replace(each, field=None)) for each in leaves)
