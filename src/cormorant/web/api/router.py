"""Router of all routes that are not for readers: they show documents whoever may read them, or change something.

    GET /explain?address=       GET /documents/ID/links       GET /status, /status/NUMBER
    GET /queries                GET /metrics                  GET, POST /takedowns
    GET /api/v1/documents, /explain, /sources, /runs, /schedules, /receivers, /parameters, /tuning, /queries,
        /takedowns, /attributes, /lovs, /system
        and all below them, except /documents/ID/duplicates, which is for every reader
    POST /api/v1/documents/recrawl, /provider/pause, /provider/resume
    POST, PUT /api/v1/push/SOURCE and all below it
    POST, PATCH, DELETE /api/v1/sources, /runs, /schedules, /receivers, /parameters, /tokens, /attributes, /lovs
        and all below them

Each route declares its scope: `push` to hand over documents, `operate` to read and to start and stop work, `admin` to
change configuration or access and to delete. A page links into the group only if its visitor has the scope
(`authorization.Visitor.may`).
"""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.templating import Jinja2Templates

from cormorant.web.api import (
    attributes,
    documents,
    health,
    profiles,
    push,
    queries,
    receivers,
    routing,
    runs,
    schedules,
    sources,
    system,
)
from cormorant.web.pages import explain, statuses, takedowns
from cormorant.web.query_recorder import QueryRecorder
from cormorant.web.shared_reader import SharedReader


def group(shelf: SharedReader, look: Jinja2Templates, asked: QueryRecorder) -> APIRouter:
    """Every route of the group."""
    router = APIRouter()
    explain.add(router, shelf, look)
    statuses.add(router, shelf, look)
    routing.add(router, shelf.house)
    sources.add(router, shelf.house)
    push.add(router, shelf.house)
    runs.add(router, shelf.house)
    runs.add_log(router, shelf.house)
    schedules.add(router, shelf.house)
    receivers.add(router, shelf.house)
    profiles.add(router, shelf.house)
    system.add(router, shelf.house)
    takedowns.add(router, shelf.house, look)
    documents.add(router, shelf.house)
    system.add_tokens(router, shelf.house)
    attributes.add(router, shelf.house)
    queries.add(router, shelf, look, asked)
    health.add_metrics(router, shelf)
    return router
