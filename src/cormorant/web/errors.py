"""Error responses when a page cannot be shown: a page for a person, a problem object for a program.

Each error names a remedy. A fault that no reader can repair is shown only as the reference under which an administrator
finds it in the log. A forbidden document is answered like a missing one; operators get the actual reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.templating import Jinja2Templates

from cormorant.base.clock import random_token
from cormorant.base.errors import (
    Busy,
    ConflictError,
    CormorantError,
    IndexDamaged,
    NoRoom,
    NotFoundError,
    NotPermitted,
    NotSignedIn,
    ScopeTooNarrow,
    TooLarge,
    TooManyTries,
    Unreachable,
    UsageError,
)
from cormorant.base.log import logger
from cormorant.web.api.requests import NOTHING
from cormorant.web.pages import layout, sign_in
from cormorant.web.security.authorization import is_admitted
from cormorant.web.security.rate_limit import WITHIN_S
from cormorant.web.security.request_guard import OF_PROGRAMS

_log = logger(__name__)

AGAIN_S = 60
"""Seconds after which a client may retry a request that cannot be answered now."""

_UNFIT = {
    "missing": "has to be given", "int_parsing": "has to be a whole number", "bool_parsing": "has to be 1 or 0",
    "greater_than_equal": "has to be at least {ge}", "less_than_equal": "has to be at most {le}",
    "enum": "has to be {expected}", "literal_error": "has to be {expected}",
    "string_too_long": "has to have at most {max_length} characters", "extra_forbidden": "is not known here",
    "string_type": "has to be text", "list_type": "has to be a list", "dict_type": "has to be an object",
    "bool_type": "has to be true or false", "too_short": "has to have something in it",
    "value_error": "has {error} in it",
}  # fmt: skip
"""Sentences about an invalid value, by pydantic's type of error."""

_NO_BODY = dict.fromkeys(
    ("json_invalid", "model_attributes_type", "model_type"),
    "The request body is no JSON object. Send one, with `Content-Type: application/json`.",
)
"""Sentences about an invalid request body, by pydantic's type of error."""
_EMPTY = "The request names no change. Name a change."

_READERS = (Busy, UsageError, NotFoundError, ConflictError, NotSignedIn, ScopeTooNarrow, TooManyTries)
"""Errors of requests, whose own sentences are shown to readers, as is that of a damaged index."""

_PASSING: Mapping[type[Exception], str] = {
    Unreachable: "The database does not answer at the moment. Nothing is lost; the work continues when it answers. ",
    NoRoom: "A disk is full at the moment. Nothing is lost; the work continues when there is space. ",
}
"""Additional sentences about faults that pass by themselves."""

_TURNED_AWAY = NotPermitted("This page is for administrators. Open it on the machine that serves it.")


def add(app: FastAPI, look: Jinja2Templates, forget: Callable[[CormorantError], None]) -> None:
    """Answer every error. `forget` gets each error that is no reader's mistake, so that its resource is reopened."""

    @app.exception_handler(CormorantError)
    def ours(request: Request, error: CormorantError) -> Response:
        if not isinstance(error, _READERS):
            forget(error)
        return answer(look, request, error)

    @app.exception_handler(RequestValidationError)
    def unfit(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        if first["loc"][0] == "path":
            return _answer(look, request, _nowhere())
        if first["type"] in _NO_BODY:
            return _answer(look, request, UsageError(_NO_BODY[first["type"]]).as_problem(422))
        if str(first.get("ctx", {}).get("error")) == NOTHING:
            return _answer(look, request, UsageError(_EMPTY).as_problem(422))
        fault = _UNFIT.get(first["type"], "is not understood").format(**first.get("ctx", {}))
        return _answer(look, request, UsageError(f"`{first['loc'][-1]}` {fault}.").as_problem(422))

    @app.exception_handler(400)
    @app.exception_handler(403)
    @app.exception_handler(404)
    @app.exception_handler(405)
    @app.exception_handler(413)
    def refused(request: Request, error: HTTPException) -> Response:
        return _turned(look, request, error)

    @app.exception_handler(Exception)
    def unexpected(request: Request, error: Exception) -> Response:
        return _failed(look, request, error)


def answer(look: Jinja2Templates, request: Request, error: CormorantError | HTTPException) -> Response:
    """The answer to an error; of a fault of the program it shows only the reference."""
    if isinstance(error, HTTPException):
        return _turned(look, request, error)
    if isinstance(error, (*_READERS, IndexDamaged)):
        return _answer(look, request, error.as_problem())
    return _failed(look, request, error)


def _turned(look: Jinja2Templates, request: Request, error: HTTPException) -> Response:
    """The answer to a request that no route took or that was rejected, or a redirect."""
    if error.status_code < 400:
        return Response(status_code=error.status_code, headers=error.headers)
    return _answer(look, request, _refused(request, error.status_code), error.headers or {})


def _refused(request: Request, status: int) -> dict[str, Any]:
    """Return the problem for a request that no route took, or that was rejected."""
    match status:
        case 403:
            return _TURNED_AWAY.as_problem()
        case 405:
            return UsageError(f"This address does not accept {request.method[:20]}.").as_problem(405)
        case 413:
            return TooLarge("The request is too large.").as_problem()
        case 404:
            return _nowhere()
        case _:
            return UsageError("The server does not understand this request. Open the address again.").as_problem()


def _nowhere() -> dict[str, Any]:
    return NotFoundError("There is nothing at this address.").as_problem()


def _failed(look: Jinja2Templates, request: Request, error: Exception) -> Response:
    """Log a fault with its traceback, and answer with its reference.

    For an unavailable database or a full disk the sentence of the error is logged without a traceback.
    """
    reference, known = random_token(4), error if isinstance(error, CormorantError) else CormorantError("")
    found, passing = {"reference": reference, "path": request.url.path}, _PASSING.get(type(error), "")
    if passing:
        _log.warning("cannot answer", extra=found | {"reason": known.sentence})
    else:
        _log.error("fault", extra=found, exc_info=error)
    sentence = f"{passing}An administrator finds the cause in logs/web.log, under {reference}."
    shown = {"detail": sentence, "reference": reference}
    return _answer(look, request, known.as_problem(max(known.http_status, 500)) | shown)


def _answer(
    look: Jinja2Templates, request: Request, problem: dict[str, Any], headers: Mapping[str, str] | None = None
) -> Response:
    """The answer with a problem object or page; a page keeps the query, so that it can be sent again."""
    status: int = problem["status"]
    given = dict(headers or {}) | ({"Retry-After": str(AGAIN_S)} if status == 503 else {})
    if request.url.path.startswith(OF_PROGRAMS):
        response: Response = JSONResponse(problem, status, given, media_type="application/problem+json")
    elif status == NotSignedIn.http_status:
        response = sign_in.page(look, request, back=_here(request), status=status)
    else:
        values = layout.of(request, None, q=request.query_params.get("q", "")) | {
            "problem": problem, "admitted": is_admitted(request), "again_s": AGAIN_S, "here": _here(request),
            "asked": request.query_params.get("address", ""), "page": request.method == "GET",
        }  # fmt: skip
        response = look.TemplateResponse(request, "stop.html", values, status_code=status, headers=given)
    if status == TooManyTries.http_status:
        response.headers["Retry-After"] = f"{WITHIN_S:.0f}"
    if challenge := _challenge(request, problem):
        response.headers["WWW-Authenticate"] = challenge
    return response


def _challenge(request: Request, problem: Mapping[str, Any]) -> str:
    """Return the challenge to a program that needs a token, or another (RFC 6750 section 3); "" if none helps.

    The scope that a route needs is revealed only to clients with a token.
    """
    if problem["code"] == ScopeTooNarrow.code:
        needed = problem.get("scope_needed")
        return 'Bearer error="insufficient_scope"' + (f', scope="{needed}"' if needed else "")
    if problem["status"] != NotSignedIn.http_status:
        return ""
    shown = request.headers.get("authorization", "").lower().startswith("bearer")
    return f'Bearer realm="{_REALM}"' + (', error="invalid_token"' if shown else "")


_REALM = "cormorant"


def _here(request: Request) -> str:
    """Return the requested URL to come back to; a request body is not sent again."""
    asked = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
    return asked if request.method == "GET" else "/"
