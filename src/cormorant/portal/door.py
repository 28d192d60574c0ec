"""Who may ask for what, where others reach these pages? The one list of what is open; all else needs a token.

    request --listed? yes--> route
             `-no--> Authorization: Bearer TOKEN, or the cookie that signing in gave? yes--> route
                      `-no--> 401: the sign-in page to a person, a problem object to a program

The list is of methods and whole paths, and asked before anything is routed: what is added to the pages is closed until
it stands here. Where only this machine reaches the pages there is no door.

Invariants: nothing is opened by what a route is called or does; no answer to somebody who signed in is kept by anybody
between; how often a wrong token may be shown is bounded for tokens in a header as for those typed in.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import TypeAlias

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from cormorant.base.errors import CormorantError, NotSignedIn, TooManyTries
from cormorant.operate import tokens
from cormorant.operate.house import House
from cormorant.portal.guard import Application, Message, Receive, Scope, Send
from cormorant.portal.tries import Tries

Listed: TypeAlias = tuple[tuple[str, str], ...]
"""Methods and patterns of whole paths. Where GET is listed, HEAD is too."""

PRIVATE: Listed = (
    ("GET", r"/static/.+"),
    ("GET", r"/health/live"),
    ("GET", r"/health/ready"),
    ("GET", r"/sign-in"),
    ("POST", r"/sign-in"),
    ("POST", r"/sign-out"),
    ("POST", r"/preferences/theme"),
    ("POST", r"/preferences/keys"),
)
"""What is open to everyone even where search is not."""
SEARCH: Listed = (
    *PRIVATE,
    ("GET", r"/"),
    ("GET", r"/search"),
    ("GET", r"/advanced"),
    ("GET", r"/cached/[0-9]+"),
    ("GET", r"/cached/[0-9]+/content"),
    ("POST", r"/clicked/[0-9a-f]+/[0-9]+"),
    ("GET", r"/duplicates/[0-9]+"),
    ("GET", r"/api/v1/search"),
    ("GET", r"/api/v1/suggest"),
    ("GET", r"/api/v1/documents/[0-9]+/duplicates"),
    ("GET", r"/api/v1/search/[0-9]+/why"),
    ("GET", r"/help"),
    ("GET", r"/help/errors"),
    ("GET", r"/opensearch\.xml"),
)
"""And what readers of documents for everyone need."""

SIGNED_IN, ANONYMOUS = "signed in", "anonymous"
_VISITOR = "cormorant.visitor"


def visitor(request: Request) -> str:
    """SIGNED_IN or ANONYMOUS; "" where there is no door."""
    return str(request.scope.get(_VISITOR, ""))


def is_open(listed: Listed, method: str, path: str) -> bool:
    """Whether everybody may ask for this."""
    asked = "GET" if method == "HEAD" else method
    return any(asked == each and re.fullmatch(pattern, path) for each, pattern in listed)


def cookie_name(request: Request) -> str:
    """What the cookie is called. Over TLS browsers let nobody but this very host set one of that name."""
    return "__Host-session" if request.url.scheme == "https" else "session"


class Keys:
    """Who has shown a token: a program in a header, a browser by a cookie."""

    def __init__(self, house: House) -> None:
        self.house, self._tries = house, Tries(house.clock)
        self._one_at_a_time = asyncio.Lock()

    async def signed_in(self, request: Request) -> bool:
        """Whether this request may do everything. Raises NotSignedIn for a wrong token in a header, TooManyTries."""
        kind, _, value = request.headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            if await self.try_token(request, lambda: tokens.known(self.house, value.strip())):
                return True
            raise NotSignedIn("The token in `Authorization` is not known. `cormorant token add NAME` makes one.")
        cookie = request.cookies.get(cookie_name(request), "")
        return bool(cookie) and await run_in_threadpool(tokens.signed_in, self.house, cookie)

    async def try_token(self, request: Request, attempt: Callable[[], object]) -> bool:
        """Make an attempt that shows a token, and count it when it comes to nothing. Raises TooManyTries before it.

        One after the other, or so many as come at once would be tried before the first is counted.
        """
        place = _place(request)
        async with self._one_at_a_time:
            if not self._tries.left(place):
                raise TooManyTries("There were too many wrong tokens from your address. Wait a minute, then try again.")
            if await run_in_threadpool(attempt):
                return True
            self._tries.fail(place)
            return False

    def tries_left(self, request: Request) -> int:
        """How often whoever asks may still be wrong in this minute."""
        return self._tries.left(_place(request))


def _place(request: Request) -> str:
    return request.client.host if request.client else ""


class Door:
    """Lets through what is listed, and whoever has shown a token. `refuse` makes the answer to anybody else."""

    def __init__(
        self, app: Application, keys: Keys, listed: Listed, refuse: Callable[[Request, CormorantError], Response]
    ) -> None:
        self._app, self._keys, self._listed, self._refuse = app, keys, listed, refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with what is needed."""
        if scope["type"] != "http":
            return  # nothing here speaks anything else, so nothing else comes in
        request = Request(scope, receive)
        answer: Application = self._app
        sends = _unkept(send)
        try:
            knows = await self._keys.signed_in(request)
            scope[_VISITOR] = SIGNED_IN if knows else ANONYMOUS
            if not knows and not is_open(self._listed, scope["method"], scope["path"]):
                raise NotSignedIn("This needs a token: send it as `Authorization: Bearer TOKEN`.")
            if not knows:
                sends = send
        except CormorantError as error:
            scope.setdefault(_VISITOR, ANONYMOUS)
            answer = self._refuse(request, error)

        await answer(scope, receive, sends)


def _unkept(send: Send) -> Send:
    """Send what nobody between may keep: it is for whoever showed a token, or says that none was shown."""

    async def sends(message: Message) -> None:
        if message["type"] == "http.response.start":
            others = [each for each in message["headers"] if each[0].lower() != b"cache-control"]
            message = {**message, "headers": [*others, (b"cache-control", b"no-store")]}
        await send(message)

    return sends
