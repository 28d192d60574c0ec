"""Authentication before all routes: the visitor, the visitor's scope, and whether it covers that of the route.

    request --LOCAL: the machine itself, or a proxy's,---.
            |   unless it shows a token that is wrong    |
            |-- Authorization: Bearer TOKEN, or the      |
            |   cookie that signing in gave: its scope --+--> the rule of the route: is its need covered? yes--> route
            `-- neither: a reader, of PRIVATE nobody ----'     `-no--> 401 without a token, 403 with one

The rules are those that routes declare (`authorization`), and are checked before routing: a route that declares no
scope is closed to everybody. A visitor without a token gets 401 for unknown addresses too, so that no address is
revealed.

Invariants: access never depends on the name or behaviour of a route; no cache keeps an answer to a signed-in visitor;
wrong tokens are limited in headers as in the form; the scope is read for each request, so that a narrowed token takes
effect with the next one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import quote

from fastapi import HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from cormorant.base.errors import CormorantError, NotSignedIn, TooManyTries
from cormorant.model.scope import Scope, covers
from cormorant.operate.installation import Installation
from cormorant.operate.system import tokens
from cormorant.operate.system.tokens import Bearer
from cormorant.web.security import authorization
from cormorant.web.security.authorization import NOBODY, Audience, AuthMethod, Policy, Visitor
from cormorant.web.security.rate_limit import Tries
from cormorant.web.security.request_guard import Application, Message, Receive, Scope as Asked, Send

_Shown = TypeVar("_Shown")


def cookie_name(request: Request) -> str:
    """Return the name of the session cookie. Over TLS browsers let only this host set a cookie of that name."""
    return "__Host-session" if request.url.scheme == "https" else "session"


class Authenticator:
    """Authenticator of clients that show a token: a program in a header, a browser by a cookie."""

    def __init__(self, house: Installation) -> None:
        self.house, self._tries = house, Tries(house.clock)
        self._one_at_a_time = asyncio.Lock()

    async def bearer(self, request: Request) -> Bearer | None:
        """Return the bearer of the token shown with this request, None when none is shown.

        Raises NotSignedIn for a wrong one in the header, TooManyTries.
        """
        found = await self.bearer_of_header(request)
        if found is not None:
            return found
        cookie = request.cookies.get(cookie_name(request), "")
        return await run_in_threadpool(tokens.bearer_of_session, self.house, cookie) if cookie else None

    async def bearer_of_header(self, request: Request) -> Bearer | None:
        """Return the bearer of the token in `Authorization`, None without one. Raises NotSignedIn, TooManyTries."""
        kind, _, value = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer":
            return None
        found = await self.try_token(request, lambda: tokens.bearer_of_token(self.house, value.strip()))
        if found is None:
            raise NotSignedIn("The token in `Authorization` is not known. `cormorant token add NAME` makes one.")
        return found

    async def try_token(self, request: Request, attempt: Callable[[], _Shown | None]) -> _Shown | None:
        """Try a token, and count the attempt if it fails. Raises TooManyTries beyond the limit.

        Attempts run one after the other, or parallel ones would all be tried before the first is counted.
        """
        place = _place(request)
        async with self._one_at_a_time:
            if not self._tries.left(place):
                raise TooManyTries("There were too many wrong tokens from your address. Wait a minute, then try again.")
            found = await run_in_threadpool(attempt)
            if found is None:
                self._tries.fail(place)
            return found

    def tries_left(self, request: Request) -> int:
        """Return how many wrong tokens the client may still show in this minute."""
        return self._tries.left(_place(request))


def _place(request: Request) -> str:
    return request.client.host if request.client else ""


class AuthenticationMiddleware:
    """Admits visitors to the routes that their scope covers. `refuse` makes the answer to all others."""

    def __init__(
        self, app: Application, keys: Authenticator, exposure: Audience, policy: Policy,
        refuse: Callable[[Request, CormorantError | HTTPException], Response],
    ) -> None:  # fmt: skip
        self._app, self._keys, self._exposure, self._policy, self._refuse = app, keys, exposure, policy, refuse

    async def __call__(self, scope: Asked, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with the error."""
        if scope["type"] != "http":
            return  # no route takes another protocol
        request = Request(scope, receive)
        authorization.know(request, NOBODY)
        answer: Application = self._app
        sends = _unkept(send)
        try:
            visitor = await self._recognised(request)
            authorization.know(request, visitor)
            self._admit(visitor, request)
            if visitor.way is not AuthMethod.SIGNED_IN:
                sends = send
        except (CormorantError, HTTPException) as error:
            answer = self._refuse(request, error)

        await answer(scope, receive, sends)

    async def _recognised(self, request: Request) -> Visitor:
        """Return the visitor who makes the request. Raises NotSignedIn, TooManyTries."""
        if self._exposure is Audience.LOCAL:
            await self._keys.bearer_of_header(request)  # it is not needed, but a wrong one is a mistake to be shown
            return Visitor(AuthMethod.LOCAL, authorization.local_scope(request), self._policy)
        shown = await self._keys.bearer(request)
        if shown is not None:
            return Visitor(AuthMethod.SIGNED_IN, shown.scope, self._policy, shown.name)
        readers = Scope.SEARCH if self._exposure is Audience.PUBLIC else None
        return Visitor(AuthMethod.ANONYMOUS, readers, self._policy)

    def _admit(self, visitor: Visitor, request: Request) -> None:
        """Raise the error for a visitor without the scope of the route, or for an unknown address."""
        method, path = request.method, request.scope["path"]  # as the router; `url` also has what Host says
        rule = self._policy.rule(method, path)
        if rule is not None:
            if rule.needs is not None and not covers(visitor.scope, rule.needs):
                raise visitor.refusal(rule.needs)
            return
        if visitor.way is AuthMethod.ANONYMOUS:
            raise visitor.refusal(Scope.ADMIN)
        other = path.removesuffix("/") if path.endswith("/") else f"{path}/"
        if visitor.may(other, method):
            query = request.url.query
            raise HTTPException(307, headers={"Location": quote(other) + (f"?{query}" if query else "")})
        if methods := self._policy.methods(path):
            raise HTTPException(405, headers={"Allow": ", ".join(methods)})
        raise HTTPException(404)


def _unkept(send: Send) -> Send:
    """Send a response that no cache may keep: it is for the bearer of a token, or an error about a missing one."""

    async def sends(message: Message) -> None:
        if message["type"] == "http.response.start":
            others = [each for each in message["headers"] if each[0].lower() != b"cache-control"]
            message = {**message, "headers": [*others, (b"cache-control", b"no-store")]}
        await send(message)

    return sends
