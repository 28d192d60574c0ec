"""How is the interface for programs described? OpenAPI, as FastAPI draws it from the routes, with our errors in it."""

from __future__ import annotations

from importlib import metadata
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter

from cormorant.portal import receivers, records, runs, sources
from cormorant.portal.runlog import LogLine

PROBLEM = "application/problem+json"
_WRONG = {
    "4XX": "What was asked for is not there, or not asked for rightly.",
    "5XX": "It cannot be answered now, or failed.",
}
_REF = "#/components/schemas/{model}"
ABOUT = (
    "Search, for every reader; documents, explanations, sources, runs, schedules, receivers and parameters, for those "
    "who look after the installation. An error is a problem object (RFC 9457) with a `code`."
)


def add(app: FastAPI) -> None:
    """Have the application describe itself so."""

    def description() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _drawn(app)
        return app.openapi_schema

    app.openapi = description  # type: ignore[method-assign] # the way FastAPI has for it


def _drawn(app: FastAPI) -> dict[str, Any]:
    version = metadata.version("cormorant")
    drawn = get_openapi(title=app.title, version=version, description=ABOUT, routes=app.routes)
    schemas = drawn.setdefault("components", {}).setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    lines = (
        records.Document, records.Link, records.Explanation, sources.Source, records.Kind, runs.Run,
        receivers.Receiver, receivers.FaultyDocument, LogLine,
    )  # fmt: skip
    for model in (records.Problem, *lines):
        schema = TypeAdapter(model).json_schema(ref_template=_REF)
        schemas |= schema.pop("$defs", {})
        schemas[model.__name__] = schema
    for operations in drawn["paths"].values():
        for operation in operations.values():
            answers = operation["responses"]
            answers.pop("422", None)
            for status, text in _WRONG.items():
                schema = {"$ref": _REF.format(model="Problem")}
                answers[status] = {"description": text, "content": {PROBLEM: {"schema": schema}}}
    return drawn
