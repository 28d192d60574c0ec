"""Sign-in by a token, and sign-out, for people, if other machines reach the pages."""

from __future__ import annotations

from functools import partial
from urllib.parse import parse_qs

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from fastapi.templating import Jinja2Templates

from cormorant.base.errors import UsageError
from cormorant.model.scope import PUBLIC, Scope
from cormorant.operate.system import tokens
from cormorant.web.pages import layout
from cormorant.web.security import authentication
from cormorant.web.security.authentication import Authenticator
from cormorant.web.security.authorization import page as route, visitor

KEPT_S = 30 * 86400
"""Seconds for which a browser stays signed in if its user asked for that."""
SHORT_S = 12 * 3600
"""Seconds for which other browsers stay signed in, unless they are closed before."""
MOST_BYTES = 10_000
"""Bytes of the form: a token, an address and a checkbox."""


def page(look: Jinja2Templates, request: Request, *, back: str, wrong: str = "", status: int = 200) -> Response:
    """The sign-in page; `wrong` is an error beside the field, `back` the page after signing in."""
    values = layout.of(request, None) | {"back": inside(back), "wrong": wrong}
    return look.TemplateResponse(request, "sign_in.html", values, status_code=status)


def inside(back: str) -> str:
    """The address if it is a page of this server, else home. Two slashes of either kind would lead to another host."""
    plain = back.isprintable() and back.startswith("/") and not back.startswith(("//", "/\\"))
    return back if plain else "/"


def add(app: FastAPI, look: Jinja2Templates, keys: Authenticator) -> None:
    """Add the sign-in page, its form, and sign-out."""

    @route(app, "/sign-in", PUBLIC)
    def ask(request: Request, back: str = "/") -> Response:
        if visitor(request).scope is Scope.ADMIN:  # no other token would open more
            return RedirectResponse(inside(back), 303)
        return page(look, request, back=back)

    @route(app, "/sign-in", PUBLIC, "POST")
    async def sign_in(request: Request) -> Response:
        given = await form(request)
        back, keep = inside(given.get("back", "/")), "keep" in given
        name, value = authentication.cookie_name(request), given.get("token", "").strip()
        lasts_s = KEPT_S if keep else SHORT_S
        made = await keys.try_token(request, lambda: tokens.sign_in(keys.house, value, lasts_s))
        if made is None:
            left = keys.tries_left(request)
            wrong = f"This token is not known. {left} {'try is' if left == 1 else 'tries are'} left in this minute."
            return page(look, request, back=back, wrong=wrong, status=401)
        if before := request.cookies.get(name, ""):
            await run_in_threadpool(tokens.sign_out, keys.house, before)
        answer = RedirectResponse(back, 303)
        answer.set_cookie(
            name, made, max_age=KEPT_S if keep else None, path="/",
            secure=request.url.scheme == "https", httponly=True, samesite="lax",
        )  # fmt: skip
        return answer

    @route(app, "/sign-out", PUBLIC, "POST")
    async def sign_out(request: Request) -> Response:
        name = authentication.cookie_name(request)
        await run_in_threadpool(partial(tokens.sign_out, keys.house, request.cookies.get(name, "")))
        answer = RedirectResponse("/", 303)
        secure = request.url.scheme == "https"
        answer.delete_cookie(name, path="/", secure=secure, httponly=True, samesite="lax")
        return answer


async def form(request: Request) -> dict[str, str]:
    """The fields of a form, each once. Raises UsageError for a larger body than any form has."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise UsageError(f"This form accepts at most {MOST_BYTES:,} bytes.")
    return {name: values[0] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}
