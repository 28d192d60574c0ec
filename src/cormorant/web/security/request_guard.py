"""Request guard: adds headers to every response and checks every request. Wraps the whole application."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from ipaddress import ip_address
from typing import Any, TypeAlias

from cormorant.base.errors import Busy, NotPermitted, UsageError

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
"""Types of the ASGI specification."""

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)
FRAMING_POLICY = f"{POLICY}; frame-src 'self'"
"""For the page around a kept copy."""
COPY_POLICY = (
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'self'; form-action 'none'; "
    "frame-ancestors 'self'; base-uri 'none'"
)
"""For content of other sites: no scripts, no forms, no pictures, an origin of its own. Links open a new window without
access to this one."""
MOST_BODY = 65_536
"""Bytes of a request body; no route but push takes more than a form."""
MOST_REQUESTS = 200
"""Requests that are answered at once; further ones get an error that asks them to retry."""
AGAIN_S = 5
OF_PROGRAMS = ("/api/", "/health/", "/metrics")
"""Paths for programs, whose errors are problem objects (RFC 9457)."""
LOOPBACK = frozenset(("127.0.0.1", "localhost", "[::1]"))

_HEADERS = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}
"""The referrer is sent to this server only; without it, browsers would not name the origin of its own forms."""
_SAFE = ("GET", "HEAD", "OPTIONS")
_OWN_PORTS = (":80", ":443")

_OF_STATIC = {b"cross-origin-resource-policy": b"cross-origin", b"cache-control": b"no-cache"}
"""A kept copy has an origin of its own, for which even the style sheet of this server is cross-origin."""


_HOST = re.compile(r"([^\s:/@\[\]<>\"']+|\[[0-9a-f:.]+\])(:\d{0,5})?")
"""A host with or without its port, as a Host field has it."""


class RequestGuard:
    """Refuses forged requests of browsers, and adds security headers that a route did not set itself.

    It refuses requests that name another host (DNS rebinding), changing requests from pages of other sites (CSRF), and
    requests beyond MOST_REQUESTS. `hosts` are valid host names besides those of loopback and the server address of the
    request. HEAD is answered like GET, without the body.
    """

    def __init__(self, app: Application, hosts: Collection[str]) -> None:
        self._app = app
        self._hosts = frozenset(hosts) | LOOPBACK
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        only_head = scope["method"] == "HEAD"

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                ours = _HEADERS | _OF_STATIC if scope["path"].startswith("/static/") else _HEADERS
                more = [(name, value) for name, value in ours.items() if name not in given]
                message = {**message, "headers": [*message["headers"], *more]}
            elif only_head:
                message = {**message, "body": b""}
            await send(message)

        refused = self._refused(scope)
        if refused is not None:
            await _say(guarded, scope["path"], refused)
            return
        self._under_way += 1
        try:
            await self._app({**scope, "method": "GET"} if only_head else scope, receive, guarded)
        finally:
            self._under_way -= 1

    def _refused(self, scope: Scope) -> dict[str, Any] | None:
        """Return the problem for a request that is refused; None if it is admitted."""
        host = plain(_field(scope, b"host"))
        if host not in self._hosts and host != _came_to(scope):
            return UsageError(ELSEWHERE).as_problem(421)
        if scope["method"] not in _SAFE and _is_of_others(scope):
            return NotPermitted(OF_OTHERS).as_problem()
        return Busy(TOO_MANY).as_problem() if self._under_way >= MOST_REQUESTS else None


ELSEWHERE = "This server does not answer for that host name. An administrator adds it with: serve --name HOST"
OF_OTHERS = "This request came from a page of another site, so it was rejected."
TOO_MANY = "The server has too many requests at the moment. Try again in a few seconds."


async def _say(send: Send, path: str, problem: dict[str, Any]) -> None:
    """Send a problem: to a program as a problem object, to a person as its sentence."""
    body, kind = f"{problem['detail']}\n", "text/plain; charset=utf-8"
    if path.startswith(OF_PROGRAMS):
        body, kind = json.dumps(problem), "application/problem+json"
    headers = [(b"content-type", kind.encode()), (b"content-length", str(len(body.encode())).encode())]
    if problem["status"] == Busy.http_status:
        headers.append((b"retry-after", str(AGAIN_S).encode()))
    await send({"type": "http.response.start", "status": problem["status"], "headers": headers})
    await send({"type": "http.response.body", "body": body.encode()})


def _field(scope: Scope, name: bytes) -> str:
    """The value of a header field; "" when it is missing or given more than once."""
    given: list[bytes] = [value for each, value in scope["headers"] if each == name]
    return given[0].decode("latin-1").lower() if len(given) == 1 else ""


def plain(host: str) -> str:
    """A host for comparison: without a port and the final dot of a full name, an IPv6 address in its brackets."""
    named = _HOST.fullmatch(host)
    if named is None:
        return ""
    if host.startswith("["):
        inner = _address(named[1][1:-1])
        return f"[{inner}]" if inner else ""
    return named[1].removesuffix(".")


def _came_to(scope: Scope) -> str | None:
    """The server address of a request, as a host. DNS rebinding needs a name, so an address is safe."""
    server = scope.get("server")
    at = _address(str(server[0]).partition("%")[0]) if server else ""
    return f"[{at}]" if ":" in at else at or None


def _address(text: str) -> str:
    """An IP address in its canonical form, IPv4 in IPv6 as IPv4; "" for other text."""
    try:
        at = ip_address(text)
    except ValueError:
        return ""
    return str(getattr(at, "ipv4_mapped", None) or at)


def _is_of_others(scope: Scope) -> bool:
    """Return whether a page of another site sent the request.

    Browsers name the sending site; programs do not, and no page can make them send a request.

    Over TLS and from loopback browsers send Sec-Fetch-Site, otherwise the origin of the page.
    """
    site, origin = _field(scope, b"sec-fetch-site"), _field(scope, b"origin")
    if site:
        return site not in ("same-origin", "none")
    given = any(name in (b"origin", b"sec-fetch-site") for name, _ in scope["headers"])
    return given and _without_port(origin.partition("://")[2]) != _without_port(_field(scope, b"host"))


def _without_port(host: str) -> str:
    """A host and its port, without a default port."""
    return next((host.removesuffix(each) for each in _OWN_PORTS if host.endswith(each)), host)
