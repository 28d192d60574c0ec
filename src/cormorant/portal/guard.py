"""What every answer carries and every request must have. Wraps the whole application."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any, TypeAlias

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
"""What ASGI says of an application, in its own words."""

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
REFUSED = (
    "This server does not answer for that host.\n"
    "Open it by the address that it printed when it was started; who asks through a proxy has that name the address.\n"
)
COPY_POLICY = "sandbox; default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'"
"""For somebody else's words: no scripts, no forms, an origin of its own."""
MOST_BODY = 65_536
"""Bytes that may be sent with a request: nothing here takes more than a form's worth."""
LOOPBACK = frozenset(("127.0.0.1", "localhost", "[::1]"))

_HEADERS = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}

_OF_STATIC = {b"cross-origin-resource-policy": b"cross-origin", b"cache-control": b"no-cache"}
"""A kept copy has an origin of its own, to which even our own style sheet comes from elsewhere."""


_HOST = re.compile(r"([^\s:/@\[\]<>\"']+|\[[0-9a-f:.]+\])(:\d{0,5})?")
"""A host with or without its port, as a Host field has it."""


class Guard:
    """Refuses requests that name another host (DNS rebinding), and adds the headers a route did not set itself."""

    def __init__(self, app: Application, hosts: Collection[str]) -> None:
        self._app = app
        self._hosts = frozenset(hosts) | LOOPBACK

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                ours = _HEADERS | _OF_STATIC if scope["path"].startswith("/static/") else _HEADERS
                more = [(name, value) for name, value in ours.items() if name not in given]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        if _host(scope) in self._hosts:
            await self._app(scope, receive, guarded)
            return
        await guarded(
            {"type": "http.response.start", "status": 421, "headers": [(b"content-type", b"text/plain; charset=utf-8")]}
        )
        await guarded({"type": "http.response.body", "body": REFUSED.encode()})


def _host(scope: Scope) -> str:
    """The host a request names, without its port, lower case; "" when it names none or several."""
    named: list[bytes] = [value for name, value in scope["headers"] if name == b"host"]
    if len(named) != 1:
        return ""
    named_one = _HOST.fullmatch(named[0].decode("latin-1").lower())
    return named_one[1] if named_one else ""
