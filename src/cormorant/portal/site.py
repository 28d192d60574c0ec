"""The pages, the search interface for programs, and two addresses for whoever watches over the process."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import FastAPI, Query, Request
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.responses import RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from fastapi.templating import Jinja2Templates
from jinja2 import Environment, FileSystemLoader

from cormorant.base.errors import CormorantError, NotFoundError
from cormorant.operate import searching
from cormorant.operate.house import House
from cormorant.portal import faults, frame, signing
from cormorant.portal.door import PRIVATE, Door, Keys, Listed
from cormorant.portal.guard import COPY_POLICY, Guard
from cormorant.portal.showing import MOST_PAGES, PER_PAGE, day, pages, shown, size
from cormorant.search.reader import Answer, Library, Question

HERE = Path(__file__).parent
FRESH_S = 5.0
"""How old the figures at the foot of a page may be."""
MOST_TEXT = 500_000
"""Characters of a kept text on one page."""

Page = Annotated[int, Query(ge=1, le=MOST_PAGES)]
Every = Annotated[bool, Query(alias="all")]


class Shelf:
    """The library, opened when it is first asked for, and again after a fault."""

    def __init__(self, house: House) -> None:
        self.house = house
        self._library: Library | None = None
        self._counts: dict[str, int] = {}
        self._counted_at = -FRESH_S

    def library(self) -> Library:
        """The open library. Raises IndexDamaged, ConflictError."""
        if self._library is None:
            self._library = searching.library(self.house)
        return self._library

    def counts(self) -> dict[str, int]:
        """How many documents there are to be seen by source; counted now and then."""
        now = self.house.clock.monotonic()
        if now - self._counted_at >= FRESH_S:
            self._counts, self._counted_at = searching.counts(self.house, self.library()), now
        return self._counts

    def ask(self, question: Question) -> Answer:
        """Answer a question. A source of which nothing may be seen is unknown, and the names of others stay untold."""
        for name in question.sources:
            if name not in self.counts() and name not in searching.counts(self.house, self.library()):
                raise NotFoundError("There is no such source, or nothing in it is for you to see.")
        return searching.search(self.house, question, shelf=self.library())

    def forget(self) -> None:
        """Open it anew the next time."""
        self._library = None


def make(house: House, hosts: Collection[str] = (), listed: Listed | None = None) -> Guard:
    """The application of an installation; `hosts` are names it answers to besides those of loopback.

    `listed` is what needs no token (`door.SEARCH`, `door.PRIVATE`), None: nothing does. The guard stands around all of
    it, the door within: a middleware would stand inside of what answers when a page fails.
    """
    app, look = application(house, listed)
    if listed is None:
        return Guard(app, hosts)
    keys = Keys(house)
    signing.add(app, look, keys)
    return Guard(Door(app, keys, listed, partial(faults.told, look)), hosts)


def application(house: House, listed: Listed | None = None) -> tuple[FastAPI, Jinja2Templates]:
    """What routes there are, with nobody before them, and how they look."""
    app = FastAPI(title="Cormorant", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    app.mount("/static", GZipMiddleware(StaticFiles(directory=HERE / "static")), name="static")
    shelf = Shelf(house)
    loader = FileSystemLoader(HERE / "templates")
    look = Jinja2Templates(env=Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True))
    look.env.globals["private"] = listed is PRIVATE
    _add_pages(app, shelf, look)
    _add_copies(app, shelf, look)
    _add_programs(app, shelf)
    faults.add(app, look, shelf.forget)
    return app, look


def _known(shelf: Shelf) -> dict[str, int] | None:
    """How much there is, if that can be said: whoever searches is told of a fault, a page that only asks needs none."""
    try:
        return shelf.counts()
    except CormorantError:
        return None


def _add_pages(app: FastAPI, shelf: Shelf, look: Jinja2Templates) -> None:
    """Home and results, and the switches of what somebody prefers."""

    @app.get("/", include_in_schema=False)
    def home(request: Request, q: str = "") -> Response:
        if q.strip():
            return RedirectResponse("/search?" + urlencode({"q": q}), 303)
        return look.TemplateResponse(request, "home.html", frame.of(request, _known(shelf)))

    @app.get("/search", include_in_schema=False)
    def results(request: Request, q: str = "", source: str = "", page: Page = 1, every: Every = False) -> Response:
        if not q.strip():
            return RedirectResponse("/", 303)
        question = Question(q, (source,) if source else (), PER_PAGE, (page - 1) * PER_PAGE, fold=not every)
        answer = shelf.ask(question)
        reach = min(answer.reachable, MOST_PAGES * PER_PAGE)

        def address(**changes: object) -> str:
            given = {"q": q, "source": source, "all": "1" if every else "", "page": ""} | changes
            return "/search?" + urlencode({name: value for name, value in given.items() if value})

        values = frame.of(request, _known(shelf), q=q, back=address(page=page if page > 1 else "")) | {
            "source": source, "page": page, "every": every, "answer": answer,
            "hits": [shown(hit) for hit in answer.hits],
            "pages": pages(reach, page), "reach": reach,
            "address": address, "took": f"{answer.took_ms:.0f}",
        }  # fmt: skip
        return look.TemplateResponse(request, "results.html" if answer.hits else "nothing.html", values)

    @app.post("/preferences/theme", include_in_schema=False)
    def theme(request: Request, to: str = "", back: str = "") -> Response:
        return frame.switched(request, to, back)

    @app.post("/preferences/keys", include_in_schema=False)
    def keys(to: str = "", back: str = "") -> Response:
        return frame.keyed(to, back)


def _add_copies(app: FastAPI, shelf: Shelf, look: Jinja2Templates) -> None:
    """The kept text of a document, as text: whatever stood in the original, nothing of it runs or loads."""

    @app.get("/cached/{number}", include_in_schema=False)
    def copy(request: Request, number: int) -> Response:
        hit, text = searching.copy(shelf.house, shelf.library(), number)
        blocks = [block.strip() for block in text[:MOST_TEXT].split("\n\n")]
        values = frame.of(request, _known(shelf)) | {
            "hit": shown(hit), "url": hit.url, "blocks": [block for block in blocks if block],
            "size": size(hit.size_bytes), "cut": len(text) > MOST_TEXT,
            "changed": day(hit.modified_at),
        }  # fmt: skip
        return look.TemplateResponse(request, "copy.html", values, headers={"Content-Security-Policy": COPY_POLICY})


def _add_programs(app: FastAPI, shelf: Shelf) -> None:
    """The same search as JSON, and health."""

    @app.get("/api/v1/search")
    def search(
        q: str,
        source: str = "",
        limit: Annotated[int, Query(ge=0, le=1000)] = 10,
        offset: Annotated[int, Query(ge=0)] = 0,
    ) -> dict[str, Any]:
        """Search; the hits are under `hits`. There are `total`, and an `offset` below `reachable` leads to one."""
        question = Question(q, (source,) if source else (), limit, offset)
        return searching.answer_record(shelf.ask(question))

    @app.get("/health/live")
    def live() -> dict[str, str]:
        """Say that the process answers."""
        return {"status": "live"}

    @app.get("/health/ready")
    def ready() -> dict[str, Any]:
        """Say that the database and the index can be read."""
        with shelf.house.store.read() as tx:
            tx.now()
        shelf.library()
        return {"status": "ready"}
