"""What is not for every reader: everything that tells of documents whoever may read them, for people and programs.

    GET /explain?address=       GET /documents/ID/links       GET /status, /status/NUMBER
    GET /queries                GET /metrics
    GET /api/v1/documents, /explain, /sources, /runs, /schedules, /receivers, /parameters, /tuning, /queries,
        /takedowns, /system
        and what is below them, but for /documents/ID/duplicates, which is for every reader
    POST /api/v1/documents/recrawl, /provider/pause, /provider/resume
    POST, PATCH, DELETE /api/v1/sources, /runs, /schedules, /receivers, /parameters and what is below them

One router, so that it is closed in one place: `admission.admit` is asked before each of its routes, and a page that
links into the group does so only when `admission.is_open`.
"""

from __future__ import annotations

from fastapi import APIRouter, Depends
from fastapi.templating import Jinja2Templates

from cormorant.portal import (
    choosing,
    explaining,
    parameters,
    programs,
    queries,
    receivers,
    runlog,
    runs,
    schedules,
    sources,
    statuses,
    system,
    takedowns,
    watch,
)
from cormorant.portal.admission import admit
from cormorant.portal.asked import Asked
from cormorant.portal.shelf import Shelf


def group(shelf: Shelf, look: Jinja2Templates, asked: Asked) -> APIRouter:
    """Every route of the group."""
    router = APIRouter(dependencies=[Depends(admit)])
    explaining.add(router, shelf, look)
    statuses.add(router, shelf, look)
    programs.add(router, shelf.house)
    choosing.add(router, shelf.house)
    sources.add(router, shelf.house)
    runs.add(router, shelf.house)
    runlog.add(router, shelf.house)
    schedules.add(router, shelf.house)
    receivers.add(router, shelf.house)
    parameters.add(router, shelf.house)
    system.add(router, shelf.house)
    takedowns.add(router, shelf.house)
    queries.add(router, shelf, look, asked)
    watch.add_metrics(router, shelf)
    return router
