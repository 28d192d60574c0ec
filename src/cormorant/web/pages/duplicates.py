"""The page of documents that are folded into one result."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.responses import Response
from fastapi.templating import Jinja2Templates

from cormorant.model.scope import Scope
from cormorant.operate.search import search
from cormorant.web.pages import layout
from cormorant.web.pages.formatting import is_canonical, shown
from cormorant.web.security import authorization
from cormorant.web.shared_reader import SharedReader


def add(app: FastAPI, shelf: SharedReader, look: Jinja2Templates) -> None:
    """Add the page of a document with its duplicates and near duplicates, the one that results show first."""

    @authorization.page(app, "/duplicates/{number}", Scope.SEARCH)
    def duplicates(request: Request, number: int) -> Response:
        found = search.duplicates(shelf.library(), number)
        values = layout.of(request, shelf.known(), back=f"/duplicates/{number}") | {
            "hits": [shown(hit) for hit in found.hits], "total": found.total, "canonical": is_canonical(found.hits[0]),
            "near": found.near,
        }  # fmt: skip
        return look.TemplateResponse(request, "duplicates.html", values)
