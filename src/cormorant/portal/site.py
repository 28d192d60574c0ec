"""The application: pages for readers, search for programs, and two addresses for whoever watches over the process."""

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
from cormorant.model.status import is_known
from cormorant.operate.house import House
from cormorant.operate.queries import Face
from cormorant.portal import (
    administration,
    advanced,
    copies,
    described,
    equals,
    faults,
    finding,
    forms,
    frame,
    nothing,
    programs,
    reasons,
    signing,
    watch,
)  # fmt: skip
from cormorant.portal.admission import is_open
from cormorant.portal.asked import Asked
from cormorant.portal.door import PRIVATE, Door, Keys, Listed
from cormorant.portal.guard import MOST_BODY, Guard
from cormorant.portal.shelf import Shelf
from cormorant.portal.showing import MOST_PAGES, moment, pages, size

HERE = Path(__file__).parent

Page = Annotated[int, Query(ge=1, le=MOST_PAGES)]
Every = Annotated[bool, Query(alias="all")]


def make(house: House, hosts: Collection[str] = (), listed: Listed | None = None, asked: Asked | None = None) -> Guard:
    """The application of an installation; `hosts` are names it answers to besides those of loopback.

    `listed` is what needs no token (`door.SEARCH`, `door.PRIVATE`), None: nothing does. The guard stands around all of
    it, the door within: a middleware would stand inside of what answers when a page fails. `asked` is where searches
    are noted, to be flushed by whoever made it; None: by itself, a little later.
    """
    app, look = application(house, listed, asked)
    if listed is None:
        return Guard(app, hosts)
    keys = Keys(house)
    signing.add(app, look, keys)
    return Guard(Door(app, keys, listed, partial(faults.told, look)), hosts)


def application(
    house: House, listed: Listed | None = None, asked: Asked | None = None
) -> tuple[FastAPI, Jinja2Templates]:
    """What routes there are, with nobody before them, and how they look."""
    app = FastAPI(
        title="Cormorant",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        dependencies=[Depends(_small)],
    )
    app.mount("/static", GZipMiddleware(StaticFiles(directory=HERE / "static")), name="static")
    shelf, asked = Shelf(house), asked or Asked(house)
    loader = FileSystemLoader(HERE / "templates")
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"size": size, "moment": moment, "quoted": shlex.quote}
    environment.tests["status"] = is_known
    look = Jinja2Templates(env=environment)
    look.env.globals["private"] = listed is PRIVATE
    _add_pages(app, shelf, look, asked)
    _add_clicks(app, asked)
    _add_help(app, shelf, look)
    copies.add(app, shelf, look, asked)
    equals.add(app, shelf, look)
    advanced.add(app, shelf, look)
    programs.add_search(app, shelf, asked)
    programs.add_suggestions(app, shelf)
    watch.add_health(app, shelf)
    app.include_router(administration.group(shelf, look, asked))
    faults.add(app, look, shelf.forget)
    described.add(app)
    return app, look


async def _small(request: Request) -> None:
    """Take no request that brings more than anything here takes."""
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > MOST_BODY:
        raise HTTPException(413)


def _add_pages(app: FastAPI, shelf: Shelf, look: Jinja2Templates, asked: Asked) -> None:
    """Home and results, and the switches of what somebody prefers."""

    @app.get("/", include_in_schema=False)
    def home(request: Request, q: str = "", source: str = "") -> Response:
        if q.strip():
            return RedirectResponse("/search?" + urlencode({"q": q}), 303)
        known = shelf.known()
        chosen = source if known and source in known else ""
        values = frame.of(request, known) | {"source": chosen, "running": _running(request, shelf)}
        values["hidden"] = _hidden(request, shelf) if values["documents"] == 0 else []
        return look.TemplateResponse(request, "home.html", values)

    @app.get("/search", include_in_schema=False)
    def results(
        request: Request, q: str = "", page: Page = 1, every: Every = False, why: int | None = None
    ) -> Response:
        if not q.strip():
            return RedirectResponse("/", 303)
        wanted = finding.asked(request, q, page, every=every)
        answer = shelf.ask(wanted.question)
        noted = asked.note(request, wanted.question, answer, Face.PAGE)
        reach = min(answer.reachable, MOST_PAGES * wanted.per)
        values = frame.of(request, shelf.known(), q=q, back=wanted.address(page=page if page > 1 else ""))
        values |= finding.shown_as(wanted, answer) | {
            "pages": pages(reach, page, wanted.per), "reach": reach,
            "grouped": wanted.group is not None, "took": f"{answer.took_ms:.0f}",
            "folded": any(hit.duplicates or hit.near_duplicates for hit in answer.hits),
            "cut": answer.reachable > reach or (wanted.group is None and answer.total > reach),
            "running": _running(request, shelf), "why": reasons.told(shelf, wanted.question, why), "noted": noted,
        }  # fmt: skip
        if answer.hits:
            return look.TemplateResponse(request, "results.html", values)
        values |= nothing.told(shelf, wanted, answer) | {"hidden": _hidden(request, shelf)}
        return look.TemplateResponse(request, "nothing.html", values)

    @app.post("/preferences/theme", include_in_schema=False)
    def theme(request: Request, to: str = "", back: str = "") -> Response:
        return frame.switched(request, to, back)

    @app.post("/preferences/keys", include_in_schema=False)
    def keys(to: str = "", back: str = "") -> Response:
        return frame.keyed(to, back)


def _running(request: Request, shelf: Shelf) -> list[str]:
    """The sources of which a page may say that they are being crawled."""
    return shelf.running(every=is_open(request))


def _hidden(request: Request, shelf: Shelf) -> list[str]:
    """Why search does not find what is in the index, for those who may know that it is there."""
    return shelf.closed() if is_open(request) else []


def _add_clicks(app: FastAPI, asked: Asked) -> None:
    """Where browsers say that a result was opened."""

    @app.post("/clicked/{token}/{number}", include_in_schema=False)
    def clicked(token: str, number: int) -> Response:
        asked.clicked(token, number)
        return Response(status_code=204)


def _add_help(app: FastAPI, shelf: Shelf, look: Jinja2Templates) -> None:
    """How to ask, what codes of errors mean, and where a browser may ask by itself."""

    @app.get("/help", include_in_schema=False)
    def how(request: Request) -> Response:
        values = frame.of(request, shelf.known(), back="/help") | {
            "chapters": forms.CHAPTERS, "together": forms.TOGETHER, "odd": forms.ODD,
            "link": lambda example: "/search?" + urlencode({"q": example}),
        }  # fmt: skip
        return look.TemplateResponse(request, "help.html", values)

    @app.get("/help/errors", include_in_schema=False)
    def codes(request: Request) -> Response:
        values = frame.of(request, shelf.known(), back="/help/errors") | {"errors": errors.every()}
        return look.TemplateResponse(request, "errors.html", values)

    @app.get("/opensearch.xml", include_in_schema=False)
    def description(request: Request) -> Response:
        values = {"base": str(request.base_url).rstrip("/")}
        kind = "application/opensearchdescription+xml"
        return look.TemplateResponse(request, "opensearch.xml", values, media_type=kind)
