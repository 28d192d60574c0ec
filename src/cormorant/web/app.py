"""The web application: pages for readers and administrators, the REST interface, and health endpoints."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, FastAPI, HTTPException, Query, Request
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.responses import RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from fastapi.templating import Jinja2Templates
from jinja2 import Environment, FileSystemLoader

from cormorant.base import errors
from cormorant.model.schedule.timezones import localized
from cormorant.model.scope import PUBLIC, Scope
from cormorant.model.status import is_known
from cormorant.operate.installation import Installation
from cormorant.operate.search.query_log import Face
from cormorant.web import errors as error_pages  # fmt: skip
from cormorant.web.api import health, openapi, router, routing
from cormorant.web.pages import (
    advanced,
    cached_copy,
    duplicates,
    layout,
    mail,
    no_results,
    query_help,
    score,
    search_page,
    sign_in,
)
from cormorant.web.pages.formatting import MOST_PAGES, moment, pages, size
from cormorant.web.query_recorder import QueryRecorder
from cormorant.web.security.authentication import AuthenticationMiddleware, Authenticator
from cormorant.web.security.authorization import Audience, DeclaredMount, Policy, page, visitor
from cormorant.web.security.request_guard import MOST_BODY, RequestGuard
from cormorant.web.shared_reader import SharedReader

HERE = Path(__file__).parent

Every = Annotated[bool, Query(alias="all")]
AsTyped = Annotated[bool, Query()]


def make(
    house: Installation,
    hosts: Collection[str] = (),
    exposure: Audience = Audience.LOCAL,
    asked: QueryRecorder | None = None,
) -> RequestGuard:
    """The application of an installation; `hosts` are names it answers to besides those of loopback.

    The guard wraps everything, and authentication comes within it: FastAPI's own middleware would lie inside the error
    handler of failed pages. `asked` records searches, and its creator flushes it; None: a recorder that flushes itself.
    """
    app, look = application(house, exposure, asked)
    keys = Authenticator(house)
    if exposure is not Audience.LOCAL:
        sign_in.add(app, look, keys)
    authentication = AuthenticationMiddleware(app, keys, exposure, Policy.of(app), partial(error_pages.answer, look))
    return RequestGuard(authentication, hosts)


def application(
    house: Installation, exposure: Audience = Audience.LOCAL, asked: QueryRecorder | None = None
) -> tuple[FastAPI, Jinja2Templates]:
    """Build the application and its templates: every route, without the access checks before them."""
    app = FastAPI(
        title="Cormorant",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        dependencies=[Depends(_small)],
    )
    app.router.routes.append(DeclaredMount("/static", GZipMiddleware(StaticFiles(directory=HERE / "static")), PUBLIC))
    shelf, asked = SharedReader(house), asked or QueryRecorder(house)
    loader = FileSystemLoader(HERE / "templates")
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"size": size, "moment": moment, "localized": localized, "quoted": shlex.quote}
    environment.tests["status"] = is_known
    look = Jinja2Templates(env=environment)
    look.env.globals["private"] = exposure is Audience.PRIVATE
    _add_pages(app, shelf, look, asked)
    _add_clicks(app, asked)
    _add_help(app, shelf, look)
    cached_copy.add(app, shelf, look, asked)
    duplicates.add(app, shelf, look)
    mail.add(app, shelf, look)
    advanced.add(app, shelf, look)
    routing.add_search(app, shelf, asked)
    routing.add_suggestions(app, shelf)
    health.add_health(app, shelf)
    app.include_router(router.group(shelf, look, asked))
    error_pages.add(app, look, shelf.forget)
    openapi.add(app, exposure)
    return app, look


async def _small(request: Request) -> None:
    """Refuse a request with a body larger than any route takes; the routes of push count their bodies themselves."""
    if request.url.path.startswith(f"{routing.PREFIX}/push/"):
        return
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > MOST_BODY:
        raise HTTPException(413)


def _add_pages(app: FastAPI, shelf: SharedReader, look: Jinja2Templates, asked: QueryRecorder) -> None:
    """Add home, the page of results, and the switches of preferences."""

    @page(app, "/", Scope.SEARCH)
    def home(request: Request, q: str = "", source: str = "") -> Response:
        if q.strip():
            return RedirectResponse("/search?" + urlencode({"q": q}), 303)
        known = shelf.known()
        chosen = source if known and source in known else ""
        values = layout.of(request, known) | {"source": chosen, "running": _running(request, shelf)}
        values["hidden"] = _hidden(request, shelf) if values["documents"] == 0 else []
        return look.TemplateResponse(request, "home.html", values)

    @page(app, "/search", Scope.SEARCH)
    def results(
        request: Request, q: str = "", every: Every = False, as_typed: AsTyped = False, why: int | None = None
    ) -> Response:
        if not q.strip():
            return RedirectResponse("/", 303)
        offered = shelf.offered_attributes()
        wanted = search_page.asked(request, q, every=every, as_typed=as_typed, offered=offered)
        answer = shelf.ask(wanted.question, offered)
        if (there := wanted.allowed(answer, shelf.sees)) is not wanted:
            wanted, answer = there, shelf.ask(there.question, offered)
        if (there := wanted.within(answer)) is not wanted:
            wanted, answer = there, shelf.ask(there.question, offered)
        page = wanted.page
        noted = asked.note(request, wanted.question, answer, Face.PAGE)
        reach = min(answer.reachable, MOST_PAGES * wanted.per)
        values = layout.of(request, shelf.known(), q=q, back=wanted.address(page=page if page > 1 else ""))
        labels = shelf.labels(offered, wanted.languages, wanted.sources)
        values |= search_page.shown_as(wanted, answer, shelf.known_attributes(wanted.q), labels) | {
            "pages": pages(reach, page, wanted.per), "reach": reach,
            "grouped": wanted.group is not None, "took": f"{answer.took_ms:.0f}",
            "folded": any(hit.duplicates or hit.near_duplicates for hit in answer.hits),
            "cut": answer.reachable > reach or (wanted.group is None and answer.total > reach),
            "running": _running(request, shelf), "noted": noted,
            "why": score.view(shelf, wanted.question, why if visitor(request).operates else None),
        }  # fmt: skip
        if answer.hits:
            return look.TemplateResponse(request, "results.html", values)
        values |= no_results.page_values(shelf, wanted, answer) | {"hidden": _hidden(request, shelf)}
        return look.TemplateResponse(request, "nothing.html", values)

    @page(app, "/preferences/theme", PUBLIC, "POST")
    def theme(request: Request, to: str = "", back: str = "") -> Response:
        return layout.switched(request, to, back)

    @page(app, "/preferences/keys", PUBLIC, "POST")
    def keys(to: str = "", back: str = "") -> Response:
        return layout.keyed(to, back)


def _running(request: Request, shelf: SharedReader) -> list[str]:
    """The sources that a page may show as being crawled."""
    return shelf.running(every=visitor(request).operates)


def _hidden(request: Request, shelf: SharedReader) -> list[str]:
    """Why search hides documents of the index, for visitors who may know that these exist."""
    return shelf.closed() if visitor(request).operates else []


def _add_clicks(app: FastAPI, asked: QueryRecorder) -> None:
    """Add the route by which browsers report that a result was opened."""

    @page(app, "/clicked/{token}/{number}", Scope.SEARCH, "POST")
    def clicked(token: str, number: int) -> Response:
        asked.clicked(token, number)
        return Response(status_code=204)


def _add_help(app: FastAPI, shelf: SharedReader, look: Jinja2Templates) -> None:
    """Add the pages on query syntax and error codes, and the description for the search bar of browsers."""

    @page(app, "/help", Scope.SEARCH)
    def how(request: Request) -> Response:
        values = layout.of(request, shelf.known(), back="/help") | {
            "chapters": query_help.CHAPTERS, "together": query_help.TOGETHER, "odd": query_help.ODD,
            "link": lambda example: "/search?" + urlencode({"q": example}),
        }  # fmt: skip
        return look.TemplateResponse(request, "help.html", values)

    @page(app, "/help/errors", Scope.SEARCH)
    def codes(request: Request) -> Response:
        values = layout.of(request, shelf.known(), back="/help/errors") | {"errors": errors.every()}
        return look.TemplateResponse(request, "errors.html", values)

    @page(app, "/opensearch.xml", Scope.SEARCH)
    def description(request: Request) -> Response:
        values = {"base": str(request.base_url).rstrip("/")}
        kind = "application/opensearchdescription+xml"
        return look.TemplateResponse(request, "opensearch.xml", values, media_type=kind)
