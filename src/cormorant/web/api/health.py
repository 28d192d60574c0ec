"""Health endpoints for monitoring: liveness, readiness and metrics.

`/health/live` and `/health/ready` are public and return no figures. `/metrics` needs the scope `operate`.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.responses import JSONResponse, Response

from cormorant.base import metrics
from cormorant.base.errors import CormorantError
from cormorant.model.scope import PUBLIC, Scope
from cormorant.operate.records.system import Readiness
from cormorant.operate.system import metrics as metric_values
from cormorant.operate.system.readiness import NOT_READY, readiness
from cormorant.web.security.authorization import needs
from cormorant.web.shared_reader import SharedReader


def add_health(app: FastAPI, shelf: SharedReader) -> None:
    """Add the endpoints for liveness and readiness."""

    @app.get("/health/live", dependencies=[needs(PUBLIC)])
    def live() -> dict[str, str]:
        """Return that the process answers."""
        return {"status": "live"}

    @app.get("/health/ready", response_model=Readiness, dependencies=[needs(PUBLIC)])
    def ready() -> Response:
        """Return whether search answers (else 503), and whether the parts that crawling needs work."""
        found = readiness(shelf.house, shelf.look)
        if found["status"] == NOT_READY:
            shelf.forget()
        return JSONResponse(found, 503 if found["status"] == NOT_READY else 200, headers={"Cache-Control": "no-store"})


def add_metrics(router: APIRouter, shelf: SharedReader) -> None:
    """Add the endpoint for Prometheus."""
    written: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}

    @router.get("/metrics", response_class=Response, responses=written, dependencies=[needs(Scope.OPERATE)])
    def told() -> Response:
        """Return the figures of the installation in the text format of Prometheus."""
        documents = None
        with suppress(CormorantError, OSError):  # /health/ready reports it, and the other figures are needed even more
            documents = shelf.size()
        text = metrics.text(metric_values.samples(shelf.house, documents))
        return Response(text, headers={"Content-Type": metrics.CONTENT_TYPE, "Cache-Control": "no-store"})
