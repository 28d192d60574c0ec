"""The REST interface: search for every reader, and the records of the commands' `--json` for the administration.

A list is one object with a page of records and the cursor of the next page; requested as `application/x-ndjson`, it is
the whole list, one object a line, streamed.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from fastapi import APIRouter, Depends, FastAPI, Path, Query, Request
from fastapi.dependencies.models import Dependant
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BeforeValidator

from cormorant.base.errors import UsageError
from cormorant.model.resource import SETS
from cormorant.model.scope import Scope
from cormorant.operate.documents import links, listing, lookup
from cormorant.operate.documents.listing import DocumentFilter
from cormorant.operate.explain import explain
from cormorant.operate.installation import Installation
from cormorant.operate.records.documents import DocumentRecord, Documents, LinkRecord, LinksRecord, OneDocument
from cormorant.operate.records.explanations import Explanation, Explanations
from cormorant.operate.records.record import Record
from cormorant.operate.records.search import Duplicates, ScoreRecord, SearchRecord, SuggestionsRecord, Tuning, Weight
from cormorant.operate.search import ranking, search as searching
from cormorant.operate.search.query_log import Face
from cormorant.search.reader import Filters, GroupBy, Question, Sort, attribute_choice
from cormorant.web.pages import score
from cormorant.web.query_recorder import QueryRecorder
from cormorant.web.row_number import MOST_NUMBER, RowNumber
from cormorant.web.security import authorization
from cormorant.web.shared_reader import SharedReader

LINES = "application/x-ndjson"
PREFIX = "/api/v1"
MOST = 1_000
_Call = TypeVar("_Call", bound=Callable[..., Response])

_SETS: dict[str, Any] = {"enum": ["", *SETS]}
Limit = Annotated[int, Query(ge=1, le=MOST, description="Records in one answer; JSON Lines have no limit.")]
Cursor = Annotated[
    str, Query(max_length=100, description="The value `next` of the previous answer; default: the first page.")
]
OfSource = Annotated[str | None, Query(description="Of this source only.", examples=["docs"])]


class Json(JSONResponse):
    """JSON in which names of files with undecodable bytes are replaced safely."""

    def render(self, content: Any) -> bytes:
        """Return the content as UTF-8."""
        return _written(content)


def _written(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


FEDERATED = "cormorant-federated"
"""The header field of a federated search by another Cormorant, so that two servers do not ask each other for ever."""
MOST_FACETS = 20
"""Attributes whose values are counted for one answer."""


class _Paging(NamedTuple):
    """Paging of hits: the requested ones, and their order."""

    limit: int
    offset: int
    sort: Sort
    group: GroupBy | None
    every: bool
    as_typed: bool


def _absent(default: object) -> BeforeValidator:
    """Read an empty parameter as an absent one, since filled-in templates leave empty parameters."""
    return BeforeValidator(lambda given: default if given == "" else given)


async def _paging(
    limit: Annotated[
        int, Query(ge=0, le=1000, description="Hits in one answer; groups, if they come in groups."), _absent(10)
    ] = 10,
    offset: Annotated[int, Query(ge=0, description="Hits or groups to skip.", examples=[10]), _absent(0)] = 0,
    sort: Annotated[
        Sort, Query(description="In which order.", examples=["newest"]), _absent(Sort.RELEVANCE)
    ] = Sort.RELEVANCE,
    group: Annotated[
        GroupBy | None,
        Query(description="Return groups of one source or site, three hits of each.", examples=["site"]),
        _absent(None),
    ] = None,
    every: Annotated[
        bool, Query(alias="all", description="Return duplicates as hits of their own."), _absent(default=False)
    ] = False,
    as_typed: Annotated[
        bool, Query(description="Find nothing rather than correct the query."), _absent(default=False)
    ] = False,
) -> _Paging:
    return _Paging(limit, min(offset, MOST_NUMBER), sort, group, every, as_typed)


async def _chosen(
    site: Annotated[list[str] | None, Query(description="On this host or below it; may repeat.")] = None,
    type_: Annotated[
        list[str] | None, Query(alias="type", description="Of this type, as `type:` takes it; may repeat.")
    ] = None,
    language: Annotated[list[str] | None, Query(description="In this language; may repeat.", examples=["en"])] = None,
    since: Annotated[str, Query(description="Changed then or later: a day, month or year.", examples=["2026-03"])] = "",
    until: Annotated[str, Query(description="Changed then or before: a day, month or year, inclusive.")] = "",
    attribute: Annotated[
        list[str] | None, Query(description="NAME=VALUE: with this whole value of an attribute; may repeat.")
    ] = None,
) -> Filters:
    picked = tuple(map(attribute_choice, attribute or ()))
    return Filters(tuple(site or ()), tuple(type_ or ()), tuple(language or ()), since, until, picked)


async def _question(
    request: Request,
    q: Annotated[str, Query(description="The query, as on the search page.", examples=["harbour"])],
    paging: Annotated[_Paging, Depends(_paging)],
    chosen: Annotated[Filters, Depends(_chosen)],
    source: Annotated[list[str] | None, Query(description="In this source only; may repeat.")] = None,
    facet: Annotated[list[str] | None, Query(description="Count the values of this attribute too; may repeat.")] = None,
) -> Question:
    named = tuple(name for name in source or () if name)
    return Question(
        q, named, paging.limit, paging.offset, paging.sort, not paging.every, chosen, paging.group, facets=True,
        languages=score.languages(request), as_typed=paging.as_typed,
        facet_attributes=tuple(each for each in facet or () if each)[:MOST_FACETS],
        federated=FEDERATED not in request.headers,
    )  # fmt: skip


def add_search(app: FastAPI, shelf: SharedReader, asked: QueryRecorder) -> None:
    """Add the routes of search."""

    @route(app, "/search", Scope.SEARCH, SearchRecord)
    def search(request: Request, question: Annotated[Question, Depends(_question)]) -> Response:
        """Search; the hits are under `hits`. `total` counts all matches; an `offset` below `reachable` has a hit."""
        answer = shelf.ask(question)
        asked.note(request, question, answer, Face.API)
        labels = shelf.labels(question.facet_attributes, question.languages, question.sources)
        return Json(searching.answer_record(answer, labels))

    @route(app, "/documents/{number}/duplicates", Scope.SEARCH, Duplicates)
    def list_duplicates(number: RowNumber) -> Response:
        """List a document with its duplicates that a reader may see, the one that search shows first."""
        found = searching.duplicates(shelf.library(), number)
        return Json(searching.equals_record(found))

    @route(app, "/search/{number}/why", Scope.SEARCH, ScoreRecord)
    def why(
        request: Request,
        number: Annotated[int, Path(ge=1, le=MOST_NUMBER, description="The `id` of the hit.", examples=[17])],
        q: Annotated[str, Query(description="The query that found it.", examples=["harbour"])],
        source: Annotated[list[str] | None, Query(description="In this source only; may repeat.")] = None,
    ) -> Response:
        """Explain the score of a document that a query finds: parts that add up to it."""
        named = tuple(name for name in source or () if name)
        question = Question(q, named, languages=score.languages(request))
        return Json(searching.why_record(shelf.why(question, number)))


def add_suggestions(app: FastAPI, shelf: SharedReader) -> None:
    """Add the route of the suggestions of search boxes."""

    @route(app, "/suggest", Scope.SEARCH, SuggestionsRecord)
    def suggest(
        q: Annotated[str, Query(description="The text typed so far; its last word is completed.", examples=["harb"])],
        source: Annotated[list[str] | None, Query(description="In this source only; may repeat.")] = None,
    ) -> Response:
        """Suggest completions of a query, and documents with matching titles, from those that the reader may see."""
        return Json(shelf.suggest(q, tuple(name for name in source or () if name)))


def add(router: APIRouter, house: Installation) -> None:
    """Add the routes for the administration."""
    _add_documents(router, house)
    _add_explain(router, house)
    _add_tuning(router, house)


async def _seen(
    run: Annotated[int | None, Query(ge=1, description="Last visited by this run only.")] = None,
    changed: Annotated[
        int | None, Query(ge=1, description="Documents that this run found new, changed or gone.")
    ] = None,
) -> tuple[int | None, int | None]:
    return run, changed


async def _wanted(
    source: OfSource = None,
    state: Annotated[str, Query(description="In this state only.", examples=["old"], json_schema_extra=_SETS)] = "",
    status: Annotated[int | None, Query(ge=0, le=9999, description="With this status.", examples=[200])] = None,
    excluded: Annotated[bool, Query(description="Addresses that a gate excluded, with the rule.")] = False,
    no_text: Annotated[bool, Query(description="Documents without text, or with almost none, and the reason.")] = False,
    seen: Annotated[tuple[int | None, int | None], Depends(_seen)] = (None, None),
) -> DocumentFilter:
    return DocumentFilter(source, state or None, status, excluded, no_text, *seen)


def _add_documents(router: APIRouter, house: Installation) -> None:
    @route(router, "/documents", Scope.OPERATE, Documents, DocumentRecord)
    def list_documents(
        request: Request, wanted: Annotated[DocumentFilter, Depends(_wanted)], limit: Limit = 100, cursor: Cursor = ""
    ) -> Response:
        """List every known address, also before its first visit."""
        if as_lines(request):
            return in_lines(listing.listed(house, wanted, cursor))
        found, following = listing.page(house, wanted, cursor, limit)
        return Json({"documents": found, "next": following})

    @route(router, "/documents/{number}", Scope.OPERATE, OneDocument)
    def show_document(number: RowNumber) -> Response:
        """Show a document and its conversion."""
        return Json(lookup.numbered(house, number))

    @route(router, "/documents/{number}/links", Scope.OPERATE, LinksRecord, LinkRecord)
    def list_links(request: Request, number: RowNumber) -> Response:
        """List the links of a document: out of it and into it, with their texts."""
        found = links.of_document(house, number)
        return in_lines(found) if as_lines(request) else Json({"links": found})


def _add_explain(router: APIRouter, house: Installation) -> None:
    @route(router, "/explain", Scope.OPERATE, Explanations, Explanation)
    def explain_address(
        request: Request,
        address: Annotated[str, Query(
            description="In full, or the whole path of a file on the server.", examples=["http://127.0.0.1:8000/"]
        )],
    ) -> Response:  # fmt: skip
        """Explain why an address is, or is not, in the index: once for each source that knows it."""
        found = explain.explain(house, address, here=False)
        return in_lines(found) if as_lines(request) else Json({"explanations": found})


def _add_tuning(router: APIRouter, house: Installation) -> None:
    @route(router, "/tuning", Scope.OPERATE, Tuning, Weight)
    def list_weights(request: Request) -> Response:
        """List the weights of ranking, with the standard of each."""
        found = ranking.listed(house)
        return in_lines(found) if as_lines(request) else Json({"weights": found})


def before(cursor: str) -> int | None:
    """The number that a cursor names."""
    if not cursor:
        return None
    if not (cursor.isascii() and cursor.isdigit() and int(cursor) <= MOST_NUMBER):
        raise UsageError("`cursor` does not come from a list. Leave it out to begin with the newest.")
    return int(cursor)


def route(
    router: APIRouter | FastAPI,
    path: str,
    scope: Scope,
    model: type[Record],
    line: type[Record] | None = None,
) -> Callable[[_Call], _Call]:
    """A route that needs a scope and answers with a record; `line` is one line of it if it is available as lines."""
    lines = {"content": {LINES: {"schema": {"$ref": f"#/components/schemas/{line.__name__}"}}}} if line else {}
    fine: dict[int | str, dict[str, Any]] = {200: {"model": model, "description": "As asked.", **lines}}
    only = [authorization.needs(scope), Depends(_only_known)]
    return router.get(f"{PREFIX}{path}", response_model=None, responses=fine, dependencies=only)


def order(
    router: APIRouter,
    method: Literal["POST", "PUT", "PATCH", "DELETE"],
    path: str,
    scope: Scope,
    model: type[Record] | UnionType,
    status: int = 200,
) -> Callable[[_Call], _Call]:
    """A route that needs a scope, changes something and answers with the changed record."""
    fine: dict[int | str, dict[str, Any]] = {status: {"model": model, "description": "Done."}}
    only = [authorization.needs(scope), Depends(_only_known)]
    return router.api_route(
        f"{PREFIX}{path}", methods=[method], status_code=status, response_model=None, responses=fine, dependencies=only
    )


def receive(
    router: APIRouter, method: Literal["POST", "PUT"], path: str, model: type[Record], takes: Mapping[str, Any]
) -> Callable[[_Call], _Call]:
    """A route that reads its body itself, described by `takes` in OpenAPI terms, and answers once it is stored."""
    fine: dict[int | str, dict[str, Any]] = {202: {"model": model, "description": "Kept."}}
    only = [authorization.needs(Scope.PUSH), Depends(_only_known)]
    return router.api_route(
        f"{PREFIX}{path}", methods=[method], status_code=202, response_model=None, responses=fine, dependencies=only,
        openapi_extra={"requestBody": dict(takes)},
    )  # fmt: skip


def _parameters(dependant: Dependant) -> set[str]:
    """Return the query parameters of a route: its own and those of its dependencies."""
    return {each.alias for each in dependant.query_params}.union(*map(_parameters, dependant.dependencies))


async def _only_known(request: Request) -> None:
    """Raise UsageError for an unknown parameter, since ignoring it would return a wrong answer."""
    taken = sorted(_parameters(request.scope["route"].dependant))
    for name in request.query_params:
        if name in taken:
            continue
        near = difflib.get_close_matches(name, taken, n=1) or [each for each in taken if name.startswith(each)]
        meant = f"Did you mean `{near[0]}`? " if near else ""
        every = f"It takes {', '.join(f'`{each}`' for each in taken)}." if taken else "It takes none."
        raise UsageError(f"There is no parameter `{name[:50]}` here. {meant}{every}")


def as_lines(request: Request) -> bool:
    """Return whether the client wants one JSON object a line."""
    return LINES in request.headers.get("accept", "").lower()


def in_lines(found: Iterable[Mapping[str, Any]]) -> Response:
    """Answer with one object a line. The first one is read before the answer begins, so that errors are reported."""
    return StreamingResponse((_written(each) + b"\n" for each in _begun(found)), media_type=LINES)


def _begun(found: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    left = iter(found)
    return chain(list(islice(left, 1)), left)
