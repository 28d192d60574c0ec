"""The kept copy of a document: a page that describes the copy, around a frame with its content.

    /cached/ID           its date, its origin, the marked words, and links from mark to mark
    /cached/ID/content   the copy itself: content of another site, in a sandbox with its own security policy

Nothing in the frame runs, loads or sends data: the markup is made of a list of harmless elements
(`extract.html.safe_html`), and the security policy keeps the browser from running any other element.
"""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import FastAPI, Query, Request
from fastapi.responses import Response
from fastapi.templating import Jinja2Templates

from cormorant.base.clock import rfc3339
from cormorant.model.scope import Scope
from cormorant.operate.documents import cached_copy
from cormorant.operate.documents.cached_copy import CopyOptions
from cormorant.web.pages import layout
from cormorant.web.pages.formatting import day, location, shown, size
from cormorant.web.query_recorder import QueryRecorder
from cormorant.web.security import authorization
from cormorant.web.security.request_guard import COPY_POLICY, FRAMING_POLICY
from cormorant.web.shared_reader import SharedReader

TEXT = "text"
"""The value of `as` for the text without its layout."""
As = Annotated[str, Query(alias="as")]
At = Annotated[str, Query(alias="place")]


def add(app: FastAPI, shelf: SharedReader, look: Jinja2Templates, asked: QueryRecorder) -> None:
    """The page, and the frame in it."""

    @authorization.page(app, "/cached/{number}", Scope.SEARCH)
    def copy(request: Request, number: int, q: str = "", how: As = "", at: At = "") -> Response:
        found = cached_copy.copy(shelf.house, shelf.library(), number, CopyOptions(q, how == TEXT))
        hit, mark = found.hit, place_of(at, found.places)
        if found.is_damaged:
            asked.harmed(number)

        def address(path: str = "", **changes: object) -> str:
            given = {"q": q, "as": TEXT if how == TEXT else "", "place": "" if path else mark or ""} | changes
            said = urlencode({name: value for name, value in given.items() if value})
            return f"/cached/{number}{path}?{said}" if said else f"/cached/{number}{path}"

        values = layout.of(request, shelf.known(), q=q, back=address()) | {
            "copy": found, "hit": shown(hit), "url": hit.url, "where": location(hit, whole=True),
            "address": address, "origin": hit.source, "place": mark,
            "next": mark % found.places + 1 if found.places else 0,
            "taken": rfc3339(found.fetched_at), "changed": day(hit.modified_at), "size": size(hit.size_bytes),
        }  # fmt: skip
        return _answer(look, request, "copy.html", values, FRAMING_POLICY)

    @authorization.page(app, "/cached/{number}/content", Scope.SEARCH)
    def content(request: Request, number: int, q: str = "", how: As = "") -> Response:
        found = cached_copy.copy(shelf.house, shelf.library(), number, CopyOptions(q, how == TEXT))
        values = {"theme": layout.theme(request), "copy": found, "title": found.hit.title or found.hit.url}
        return _answer(look, request, "content.html", values, COPY_POLICY)


def place_of(text: str, places: int) -> int:
    """Return the number of the mark that an address names, from 1 up to `places`; 0 for none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= places else 0


def _answer(look: Jinja2Templates, request: Request, name: str, values: dict[str, object], policy: str) -> Response:
    """The page with its security policy; the status is 404 if the copy is gone."""
    found = values["copy"]
    status = 200 if isinstance(found, cached_copy.CachedCopy) and found.is_kept else 404
    return look.TemplateResponse(request, name, values, status_code=status, headers={"Content-Security-Policy": policy})
