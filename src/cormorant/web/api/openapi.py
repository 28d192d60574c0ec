"""OpenAPI description of the interface for programs.

OpenAPI, as FastAPI draws it from the routes, with our errors in it.
"""

from __future__ import annotations

from importlib import metadata
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse, Response
from pydantic import TypeAdapter

from cormorant.model.scope import PUBLIC, Scope
from cormorant.operate.records.documents import DocumentRecord, LinkRecord
from cormorant.operate.records.explanations import Explanation
from cormorant.operate.records.kinds import SourceKindRecord
from cormorant.operate.records.problem import Problem
from cormorant.operate.records.receivers import FaultyDocument, ReceiverRecord
from cormorant.operate.records.runs import LogLine, Run
from cormorant.operate.records.search import AttributeRecord, ValueRecord
from cormorant.operate.records.sources import SourceRecord
from cormorant.operate.records.system import Token
from cormorant.web.security.authorization import Audience, Policy, page

PROBLEM = "application/problem+json"
_WRONG = {
    "4XX": "The request is wrong, or its object does not exist.",
    "5XX": "The server cannot answer now, or failed.",
}
_SCHEME = "bearer"
_ABOUT_SCHEME = (
    "Made by `cormorant token add NAME --scope search|push|operate|admin`; a scope includes those before it. Not "
    "needed if only this machine reaches the server."
)
_REF = "#/components/schemas/{model}"
ABOUT = (
    "Search, for every reader; documents, explanations, sources, runs, schedules, receivers and parameters, for "
    "administrators. An error is a problem object (RFC 9457) with a `code`."
)


def add(app: FastAPI, exposure: Audience) -> None:
    """Have the application describe itself so, and its description be a route like others, with a scope."""

    def description() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _drawn(app, exposure)
        return app.openapi_schema

    app.openapi = description  # type: ignore[method-assign] # the way FastAPI has for it

    @page(app, "/api/openapi.json", Scope.OPERATE)
    def openapi() -> Response:
        return JSONResponse(app.openapi())


def _drawn(app: FastAPI, exposure: Audience) -> dict[str, Any]:
    version = metadata.version("cormorant")
    drawn = get_openapi(title=app.title, version=version, description=ABOUT, routes=app.routes)
    schemas = drawn.setdefault("components", {}).setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    lines = (
        DocumentRecord, LinkRecord, Explanation, SourceRecord,
        SourceKindRecord, Run,
        AttributeRecord, ValueRecord, ReceiverRecord, FaultyDocument, Token, LogLine,
    )  # fmt: skip
    for model in (Problem, *lines):
        schema = TypeAdapter(model).json_schema(ref_template=_REF)
        schemas |= schema.pop("$defs", {})
        schemas[model.__name__] = schema
    drawn["components"]["securitySchemes"] = {
        _SCHEME: {"type": "http", "scheme": "bearer", "description": _ABOUT_SCHEME}
    }
    scopes = {(method, each.path): each.needs for each in Policy.of(app).rules for method in each.methods or ()}
    for path, operations in drawn["paths"].items():
        for method, operation in operations.items():
            operation |= _needed(scopes[method.upper(), path], exposure)
            answers = operation["responses"]
            answers.pop("422", None)
            for status, text in _WRONG.items():
                schema = {"$ref": _REF.format(model="Problem")}
                answers[status] = {"description": text, "content": {PROBLEM: {"schema": schema}}}
    return drawn


def _needed(scope: Scope | None, exposure: Audience) -> dict[str, Any]:
    """Return the security part of an operation: its scope, and that readers need no token where that holds."""
    if scope is PUBLIC:
        return {"security": []}
    unasked: list[dict[str, list[str]]] = [{}] if scope is Scope.SEARCH and exposure is not Audience.PRIVATE else []
    return {"security": [*unasked, {_SCHEME: [scope.value]}], "x-scope": scope.value}
