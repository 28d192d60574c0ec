"""The advanced form, with a field for each part of a query: it composes a query, and opens from one.

GET /advanced?q=...            the form, filled from that query
GET /advanced?all=...&in=...   the form as it was sent, with the query that it makes
GET /advanced?...&go=1         redirect to the results of that query
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final
from urllib.parse import urlencode

from fastapi import FastAPI, Request
from fastapi.datastructures import QueryParams
from fastapi.responses import RedirectResponse, Response
from fastapi.templating import Jinja2Templates

from cormorant.model.scope import Scope
from cormorant.operate.search import search
from cormorant.search.query.form import Fields, composed, day_fault, taken_apart
from cormorant.search.reader import KnownAttributes, Question, Sort
from cormorant.web.pages import layout, score
from cormorant.web.pages.formatting import PER_PAGES, per_page, per_parameter
from cormorant.web.pages.labels import TYPES, spoken
from cormorant.web.security import authorization
from cormorant.web.shared_reader import SharedReader

LONGEST: Final = 1_000
"""Characters of a field that are read, as of a query."""
ATTRIBUTE: Final = "attribute."
"""Prefix of an attribute's name in the name of its field."""
IN: Final = {
    "": "Everywhere", "title": "Title only", "heading": "Headings", "url": "Address", "link": "Text of links to it",
}  # fmt: skip


ORDERS: Final = {
    "": "Relevance", Sort.NEWEST: "Date, newest first", Sort.OLDEST: "Date, oldest first", Sort.TITLE: "Title",
}  # fmt: skip
"""Orders of results, by their value in an address."""


def add(app: FastAPI, shelf: SharedReader, look: Jinja2Templates) -> None:
    """The form."""

    @authorization.page(app, "/advanced", Scope.SEARCH)
    def advanced(request: Request, q: str = "") -> Response:
        given = request.query_params
        typed = _fields(given)
        attributes = shelf.known_attributes(q, [name for name, _ in typed.attributes])
        fields = taken_apart(q, attributes) if q.strip() else typed
        known = shelf.known()
        fields = _offered(fields, known or {})
        shown = shelf.attribute_fields(score.languages(request))
        fields = _with_fields(fields, [each.name for each in shown], attributes)
        text, per, sort = composed(fields, attributes), per_page(given.get("per", "")), given.get("sort", "")
        results = _results(text, per, sort)
        faults = {"from": day_fault(fields.since), "to": day_fault(fields.until)}
        if text and given.get("go") and not any(faults.values()):
            return RedirectResponse(results, 303)
        answer = shelf.ask(Question(text, limit=0, as_typed=True)) if text else None
        found = search.lists(shelf.library())
        back = "/advanced?" + urlencode({"q": text}) if text else "/advanced"
        values = layout.of(request, known, back=back) | {
            "fields": fields, "text": text, "answer": answer, "sent": bool(given.get("go")), "faults": faults,
            "places": IN, "results": results, "per": per, "per_pages": PER_PAGES, "sort": sort, "orders": ORDERS,
            "attributes": [(each, _value_of(fields, each.name)) for each in shown],
            "sites": found.sites, "types": [(name, TYPES[name]) for name in _with(found.types, fields.type)],
            "languages": [(tag, spoken(tag)) for tag in sorted(_with(found.languages, fields.language), key=spoken)],
        }  # fmt: skip
        return look.TemplateResponse(request, "advanced.html", values)


def _results(text: str, per: int, sort: str) -> str:
    """Return the URL of the results of a query; an unknown order is ignored."""
    said = {"q": text, "sort": sort if sort in ORDERS else "", "per": per_parameter(per)}
    return "/search?" + urlencode({name: value for name, value in said.items() if value})


def _fields(given: QueryParams) -> Fields:
    """Return the fields of the form that was sent.

    No field is an error: unreadable values are left out of the query.
    """

    def of(name: str) -> str:
        return given.get(name, "")[:LONGEST]

    named = (*given.getlist("source[]"), *given.getlist("source"))
    by_name = tuple(
        (key.removeprefix(ATTRIBUTE), value[:LONGEST]) for key, value in given.items()
        if key.startswith(ATTRIBUTE) and value.strip()
    )  # fmt: skip
    return Fields(
        every=of("all"), phrase=of("phrase"), any_of=of("any"), none_of=of("none"),
        place=of("in") if of("in") in IN else "", site=of("site"), type=of("type") if of("type") in TYPES else "",
        sources=tuple(each[:LONGEST] for each in named), language=of("lang"), since=of("from"),
        until=of("to"), rest=of("also"), attributes=by_name,
    )  # fmt: skip


def _offered(fields: Fields, known: Collection[str]) -> Fields:
    """The fields, with sources that the form does not offer in the rest, so that they stay part of the query."""
    offered = known if len(known) > 1 else ()
    others = composed(Fields(sources=tuple(each for each in fields.sources if each not in offered)))
    rest = " ".join(filter(None, (fields.rest, others)))
    return replace(fields, sources=tuple(each for each in fields.sources if each in offered), rest=rest)


def _with_fields(fields: Fields, shown: Collection[str], known: KnownAttributes) -> Fields:
    """The fields, with attributes for which the form has no field in the rest."""
    others = Fields(attributes=tuple(each for each in fields.attributes if each[0] not in shown))
    rest = " ".join(filter(None, (fields.rest, composed(others, known))))
    return replace(fields, attributes=tuple(each for each in fields.attributes if each[0] in shown), rest=rest)


def _value_of(fields: Fields, name: str) -> str:
    return dict(fields.attributes).get(name, "")


def _with(offered: tuple[str, ...], chosen: str) -> tuple[str, ...]:
    """Return the values that a list offers, and the chosen one even if it is not offered."""
    return (*offered, chosen) if chosen and chosen not in offered else offered
