"""Search page: the parsed request, and the links of the choices on it.

Invalid values of parameters are ignored, except of `all`, `as_typed` and `why`, which are answered with 422 before. A
note reports an invalid day, or a page that does not exist: the nearest page is shown instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

from fastapi import Request

from cormorant.search.query.form import narrowed
from cormorant.search.reader import (
    Answer,
    Facet,
    FacetValue,
    Filters,
    GroupBy,
    Hit,
    KnownAttributes,
    Question,
    Sort,
    attribute_choice,
    attribute_list,
)
from cormorant.web.pages import score
from cormorant.web.pages.formatting import MOST_PAGES, UNKNOWN, HitView, per_page, per_parameter, shown
from cormorant.web.pages.labels import LISTS, label

MOST_CHOSEN = 50
"""Values of one list that can be chosen together."""
FEW = 6
"""Values of a list that are shown while it is not expanded."""
FAR = 1_000_000
"""A page number beyond all results."""
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_NUMBER = re.compile(r"\s*\+?0*([0-9]+)\s*")
SORTS = {Sort.RELEVANCE: "Relevance", Sort.NEWEST: "Newest", Sort.OLDEST: "Oldest", Sort.TITLE: "Title"}
GROUPS = {None: "One list", GroupBy.SOURCE: "By source", GroupBy.SITE: "By site"}
_E = TypeVar("_E", bound=StrEnum)


class FacetLink(NamedTuple):
    """A value that can be chosen, its link, and its number of results (None: not shown).

    `raw` is the value itself where its text is a name for it, else "".
    """

    text: str
    address: str
    chosen: bool = False
    results: int | None = None
    raw: str = ""


class List(NamedTuple):
    """A list of values to choose from; `more` expands it."""

    title: str
    links: tuple[FacetLink, ...]
    more: FacetLink | None


class GroupView(NamedTuple):
    """A group of hits; `name` is empty if hits are not grouped. `all` links to all hits of the group."""

    name: str
    hits: tuple[HitView, ...]
    all: FacetLink | None = None


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """The parsed parameters of the search page. `opened` is the expanded list.

    `offered` are attributes whose values are offered beside results.
    """

    q: str
    page: int
    per: int
    every: bool
    sources: tuple[str, ...]
    chosen: Filters
    sort: Sort
    group: GroupBy | None
    opened: str
    notes: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    as_typed: bool = False
    offered: tuple[str, ...] = ()

    @property
    def question(self) -> Question:
        """Question for the search library."""
        return Question(
            self.q, self.sources, self.per, (self.page - 1) * self.per, self.sort, not self.every, self.chosen,
            self.group, facets=True, languages=self.languages, as_typed=self.as_typed, facet_attributes=self.offered,
        )  # fmt: skip

    @property
    def given(self) -> dict[str, Any]:
        """The parameters of this search in the order of its address, without the page."""
        return {
            "q": self.q, "source": self.sources, "site": self.chosen.site, "type": self.chosen.type,
            "language": self.chosen.language, "attribute": _written(self.chosen.attributes),
            "from": self.chosen.since, "to": self.chosen.until,
            "sort": self.sort if self.sort is not Sort.RELEVANCE else "", "group": self.group or "",
            "all": "1" if self.every else "", "per": per_parameter(self.per), "as_typed": "1" if self.as_typed else "",
        }  # fmt: skip

    def address(self, **changes: object) -> str:
        """Return the URL of this search with these parameters changed, on its first page unless given."""
        given = self.given | changes
        return "/search?" + urlencode({name: value for name, value in given.items() if value}, doseq=True)

    def form(self, known: KnownAttributes) -> str:
        """Return the URL of the advanced form for this search, with the choices in its fields."""
        text = narrowed(self.q, self.sources, self.chosen, known)
        parameters = {"q": text, "sort": self.given["sort"], "per": self.given["per"]}
        return "/advanced?" + urlencode({name: value for name, value in parameters.items() if value})

    def allowed(self, answer: Answer, sees: Callable[[str], bool]) -> SearchRequest:
        """Return the same search without chosen attributes of which its reader sees nothing, as without unknown ones.

        Each hit of the index proves that all of them are seen.
        """
        chosen = self.chosen.attributes
        if not chosen or not all(hit.federated for hit in answer.hits):
            return self
        names = {name for name, _ in chosen if sees(name)}
        kept = tuple(each for each in chosen if each[0] in names)
        return self if kept == chosen else replace(self, chosen=replace(self.chosen, attributes=kept))

    def within(self, answer: Answer) -> SearchRequest:
        """Return the same search for the last existing page, if its own page lies beyond."""
        last = max(1, -(-min(answer.reachable, MOST_PAGES * self.per) // self.per))
        if self.page <= last:
            return self
        if not answer.reachable:
            return replace(self, page=1)
        note = f"There is no page {self.page:,}; this is the last one, page {last}."
        return replace(self, page=last, notes=(*self.notes, note))

    def kept(self, *names: str) -> list[tuple[str, str]]:
        """Return the hidden fields of a form: all parameters except those with these names."""
        found: list[tuple[str, str]] = []
        for name, value in self.given.items():
            if name not in names and value:
                found += [(name, each) for each in ([value] if isinstance(value, str) else value)]
        return found


def asked(request: Request, q: str, *, every: bool, as_typed: bool, offered: tuple[str, ...] = ()) -> SearchRequest:
    """Parse the parameters of the search page."""
    given = request.query_params

    def several(name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each for each in given.getlist(name) if each))[:MOST_CHOSEN]

    picked = tuple(map(attribute_choice, several("attribute")))
    days = (given.get("from", ""), given.get("to", ""))
    said = Filters(several("site"), several("type"), several("language"), *days, _known(picked, offered))
    names = {"since": "From", "until": "To"}
    notes = [
        f"{names[each]} was ignored: it needs a day, for example 2026-03-14." for each in said.faults if each in names
    ]
    page = _page(given.get("page", ""))
    if page < 1:
        notes.append("There is no such page; pages count from 1. This is the first one.")
    opened = given.get("more", "")
    return SearchRequest(
        q, max(1, page), per_page(given.get("per", "")), every, several("source"), said.usable,
        _one_of(Sort, given.get("sort")) or Sort.RELEVANCE,
        _one_of(GroupBy, given.get("group")),
        opened if opened in (*LISTS, *map(attribute_list, offered)) else "", tuple(notes),
        score.languages(request), as_typed, offered,
    )  # fmt: skip


def _known(picked: Sequence[tuple[str, str]], offered: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the chosen values of attributes that are offered."""
    names = {name.lower(): name for name in offered}
    return tuple((names[name.lower()], value) for name, value in picked if name.lower() in names)


def _written(chosen: Sequence[tuple[str, str]]) -> list[str]:
    return [f"{name}={value}" for name, value in chosen]


def _page(text: str) -> int:
    """Return the number of a page: 1 if none is given, 0 for a text that is no number, FAR for all greater ones."""
    if not text.strip():
        return 1
    found = _NUMBER.fullmatch(text)
    if found is None:
        return 0
    return int(found[1]) if len(found[1]) < len(str(FAR)) else FAR


def shown_as(
    asked: SearchRequest, answer: Answer, known: KnownAttributes, labels: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """Return the values that the search page shows beside those of every page.

    `known` are the attributes that a query may name, `labels` the display names of listed values of those offered.
    """
    return {
        "address": asked.address, "form": asked.form(known), "page": asked.page, "every": asked.every, "answer": answer,
        "notes": (*asked.notes, *answer.notes), "kept": asked.kept("q", "as_typed"),
        "dates": asked.kept("from", "to"),
        "since": asked.chosen.since, "until": asked.chosen.until,
        "lists": [*_lists(asked, answer.facets), *_attribute_lists(asked, answer.attribute_facets, labels)],
        "corrected": list(_corrected(answer)), "typed": asked.address(as_typed="1"),
        "found_by": answer.answered if answer.is_corrected else asked.q,
        "chips": [*_chips(asked), *_attribute_chips(asked, labels)],
        "clear": _cleared(asked), "groups": _groups(asked, answer),
        "sorts": [
            FacetLink(text, asked.address(sort="" if sort is Sort.RELEVANCE else sort), sort is asked.sort)
            for sort, text in SORTS.items()
        ],
        "groupings": [
            FacetLink(text, asked.address(group=group or ""), group is asked.group) for group, text in GROUPS.items()
        ],
    }  # fmt: skip


def _corrected(answer: Answer) -> Iterator[tuple[str, bool]]:
    """Yield the words of the corrected query, each with whether it is new."""
    typed = answer.understood.text.split()
    for word in answer.answered.split() if answer.is_corrected else ():
        yield word, word not in typed


def _one_of(kind: type[_E], text: str | None) -> _E | None:
    return kind(text) if text is not None and text in [*kind] else None


def _values(asked: SearchRequest) -> dict[str, Sequence[str]]:
    """Return the chosen values, by list."""
    chosen = asked.chosen
    return {"source": asked.sources, "site": chosen.site, "type": chosen.type, "language": chosen.language}


def _without(asked: SearchRequest, name: str, value: str) -> str:
    """Return the URL of this search without one choice."""
    return asked.address(**{name: [each for each in _values(asked)[name] if each != value]})


def _lists(asked: SearchRequest, facets: Sequence[Facet]) -> Iterator[List]:
    """Yield the lists with values to choose from."""
    for facet in facets:
        worth = 1 if facet.name == "changed" else 2
        if len(facet.choices) >= worth or any(each.chosen for each in facet.choices):
            opened = facet.name == asked.opened
            few = facet.choices if opened else [
                each for number, each in enumerate(facet.choices) if number < FEW or each.chosen
            ]  # fmt: skip
            links = tuple(_choice(asked, facet.name, each) for each in few)
            left = len(facet.choices) - len(few)
            more = FacetLink(f"{left} more", asked.address(more=facet.name)) if left else None
            yield List(LISTS[facet.name], links, more)


def _attribute_lists(
    asked: SearchRequest, facets: Sequence[Facet], labels: Mapping[str, Mapping[str, str]]
) -> Iterator[List]:
    """Yield the lists of attributes with values to choose from; listed values come first, in their order."""
    for facet in facets:
        if len(facet.choices) < 2 and not any(each.chosen for each in facet.choices):
            continue
        named = labels.get(facet.name.lower(), {})
        order = {value: place for place, value in enumerate(named)}
        choices = sorted(facet.choices, key=lambda each: order.get(each.value, len(order)))
        key = attribute_list(facet.name)
        few = [each for number, each in enumerate(choices) if key == asked.opened or number < FEW or each.chosen]
        links = tuple(
            FacetLink(
                named.get(each.value) or _month(each.value),
                _with_attribute(asked, facet.name, each),
                each.chosen,
                each.results,
            )
            for each in few
        )
        left = len(choices) - len(few)
        yield List(facet.name, links, FacetLink(f"{left} more", asked.address(more=key)) if left else None)


def _with_attribute(asked: SearchRequest, name: str, choice: FacetValue) -> str:
    """Return the URL of this search with a value of an attribute added, or removed if it is chosen."""
    picked = [each for each in asked.chosen.attributes if each != (name, choice.value)]
    return asked.address(attribute=_written(picked if choice.chosen else [*picked, (name, choice.value)]))


def _attribute_chips(asked: SearchRequest, labels: Mapping[str, Mapping[str, str]]) -> Iterator[FacetLink]:
    """Yield the chosen values of attributes, each with the URL of this search without it."""
    for name, value in asked.chosen.attributes:
        there = _with_attribute(asked, name, FacetValue(value, 0, chosen=True))
        yield FacetLink(labels.get(name.lower(), {}).get(value) or _month(value), there, chosen=True)


def _choice(asked: SearchRequest, name: str, choice: FacetValue) -> FacetLink:
    """Return the link that chooses a value, or removes a chosen one."""
    if name == "changed":
        there = asked.address(**{"from": "" if choice.chosen else choice.since, "to": ""})
    elif choice.chosen:
        there = _without(asked, name, choice.value)
    else:
        there = asked.address(**{name: [*_values(asked)[name], choice.value]})
    return FacetLink(label(name, choice.value), there, choice.chosen, choice.results, _raw(name, choice.value))


def _raw(name: str, value: str) -> str:
    """Return a media type that the list of types shows by its name, "" for every other value."""
    return value if name == "type" and "/" in value and label(name, value) != value else ""


def _chips(asked: SearchRequest) -> Iterator[FacetLink]:
    """Yield the chosen values, each with the URL of this search without it."""
    for name, values in _values(asked).items():
        for value in values:
            yield FacetLink(label(name, value), _without(asked, name, value), chosen=True, raw=_raw(name, value))
    if asked.chosen.since:
        yield FacetLink(f"since {_day(asked.chosen.since)}", asked.address(**{"from": ""}), chosen=True)
    if asked.chosen.until:
        yield FacetLink(f"until {_day(asked.chosen.until)}", asked.address(to=""), chosen=True)


def _cleared(asked: SearchRequest) -> str:
    """Return the URL of this search without filters."""
    return replace(asked, sources=(), chosen=Filters()).address()


def _day(text: str) -> str:
    """A day as people write it; a month or a year as it was typed."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return text
    return f"{day.day} {day:%b %Y}"


def _month(value: str) -> str:
    """A month of a date as people write it; any other value unchanged."""
    if not _MONTH.fullmatch(value):
        return value
    return f"{date.fromisoformat(f'{value}-01'):%b %Y}"


def _groups(asked: SearchRequest, answer: Answer) -> list[GroupView]:
    """The hits in their groups, or in one; a hit without a value is a group by itself."""
    several = len({hit.language for hit in answer.hits} - {"", UNKNOWN}) > 1
    fitted = partial(shown, spoken=several)
    if asked.group is None:
        return [GroupView("", tuple(map(fitted, answer.hits)))]
    found: dict[object, list[Hit]] = {}
    for hit in answer.hits:
        found.setdefault(hit.id if hit.group is None else hit.group, []).append(hit)
    totals = {each.value: each.total for each in answer.groups}
    return [
        _group(asked, hits[0].group, tuple(map(fitted, hits)), totals) for hits in found.values()
    ]  # fmt: skip


def _group(asked: SearchRequest, value: str | None, hits: tuple[HitView, ...], totals: Mapping[str, int]) -> GroupView:
    if value is None or asked.group is None:
        return GroupView("", hits)
    total = totals.get(value, 0)
    there = asked.address(group="", **{asked.group.value: [value]})
    return GroupView(value, hits, FacetLink(f"More from {value}", there, results=total) if total > len(hits) else None)
