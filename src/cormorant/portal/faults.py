"""What is answered when a page cannot be shown: a page to a person, a problem object to a program.

Of what no reader can help, only the reference is told by which whoever looks after the pages finds it in the log.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.templating import Jinja2Templates

from cormorant.base.clock import random_token
from cormorant.base.errors import (
    ConflictError,
    CormorantError,
    IndexDamaged,
    NotFoundError,
    NotSignedIn,
    TooManyTries,
    UsageError,
)
from cormorant.base.log import logger
from cormorant.portal import frame, signing
from cormorant.portal.tries import WITHIN_S

_log = logger(__name__)

_UNFIT = {
    "missing": "has to be given", "int_parsing": "has to be a whole number", "bool_parsing": "has to be 1 or 0",
    "greater_than_equal": "has to be at least {ge}", "less_than_equal": "has to be at most {le}",
}  # fmt: skip
"""What to say of a value, by what pydantic calls its fault."""

_READERS = (UsageError, NotFoundError, ConflictError, NotSignedIn, TooManyTries)
"""What comes of what a reader asked for; they are told in its own words, as of an index that a command mends."""


def add(app: FastAPI, look: Jinja2Templates, forget: Callable[[], None]) -> None:
    """Answer every error. `forget` is called at one of ours, not a reader's: what it came from is opened anew."""

    @app.exception_handler(CormorantError)
    def ours(request: Request, error: CormorantError) -> Response:
        if not isinstance(error, _READERS):
            forget()
        return told(look, request, error)

    @app.exception_handler(RequestValidationError)
    def unfit(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        if first["loc"][0] == "path":
            return _nowhere(look, request)
        said = _UNFIT.get(first["type"], "is not understood").format(**first.get("ctx", {}))
        return _said(look, request, UsageError(f"`{first['loc'][-1]}` {said}.").as_problem() | {"status": 422})

    @app.exception_handler(404)
    def nowhere(request: Request, _: Exception) -> Response:
        return _nowhere(look, request)

    @app.exception_handler(405)
    def otherwise(request: Request, _: Exception) -> Response:
        refused = UsageError(f"This address does not take {request.method}.")
        return _said(look, request, refused.as_problem() | {"status": 405})

    @app.exception_handler(Exception)
    def unexpected(request: Request, error: Exception) -> Response:
        return _failed(look, request, error)


def told(look: Jinja2Templates, request: Request, error: CormorantError) -> Response:
    """The answer that tells of an error; of ours only the reference."""
    if isinstance(error, (*_READERS, IndexDamaged)):
        return _said(look, request, error.as_problem())
    return _failed(look, request, error)


def _nowhere(look: Jinja2Templates, request: Request) -> Response:
    return _said(look, request, NotFoundError("There is nothing at this address.").as_problem())


def _failed(look: Jinja2Templates, request: Request, error: Exception) -> Response:
    """Write a fault into the log, with where it came from, and tell its reference."""
    reference = random_token(4)
    _log.error("fault", extra={"reference": reference, "path": request.url.path}, exc_info=error)
    known = error if isinstance(error, CormorantError) else CormorantError("")
    sentence = f"Whoever looks after these pages finds what it was in logs/web.log, under {reference}."
    told = {"status": max(known.http_status, 500), "detail": sentence, "reference": reference}
    return _said(look, request, known.as_problem() | told)


def _said(look: Jinja2Templates, request: Request, problem: dict[str, Any]) -> Response:
    """The answer that tells of a problem; a page keeps what was asked for, so that it can be asked again."""
    status: int = problem["status"]
    if request.url.path.startswith(("/api/", "/health/")):
        answer: Response = JSONResponse(problem, status, media_type="application/problem+json")
    elif status == NotSignedIn.http_status:
        answer = signing.page(look, request, back=_here(request), status=status)
    else:
        values = frame.of(request, None, q=request.query_params.get("q", "")) | {"problem": problem}
        answer = look.TemplateResponse(request, "stop.html", values, status_code=status)
    if status in _MORE:
        answer.headers[_MORE[status][0]] = _MORE[status][1]
    return answer


_MORE = {
    NotSignedIn.http_status: ("WWW-Authenticate", "Bearer"),
    TooManyTries.http_status: ("Retry-After", f"{WITHIN_S:.0f}"),
}
"""The field of the header that a program goes by."""


def _here(request: Request) -> str:
    """What was asked for, to come back to; what was sent is not sent again."""
    asked = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
    return asked if request.method == "GET" else "/"
