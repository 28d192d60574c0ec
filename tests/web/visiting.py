"""A client that requests the pages of one running application again and again, within this process."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from cormorant.web.security.request_guard import Application
from tests.web.asking import Got


class Caller:
    """Asks from one address; keeps the cookies it is given, as a browser does."""

    def __init__(self, pages: Application, client: str = "192.0.2.1", scheme: str = "http") -> None:
        self.pages, self.client, self.scheme = pages, client, scheme
        self.cookies: dict[str, str] = {}

    def get(self, address: str, **headers: str) -> Got:
        """Ask for a page."""
        return self.ask("GET", address, b"", headers)

    def post(self, address: str, form: dict[str, str] | None = None, **headers: str) -> Got:
        """Send a form."""
        return self.ask("POST", address, urlencode(form or {}).encode(), headers)

    def ask(self, method: str, address: str, body: bytes = b"", headers: dict[str, str] | None = None) -> Got:
        """Ask once."""
        given = {"host": "localhost", **{name.replace("_", "-"): value for name, value in (headers or {}).items()}}
        if self.cookies:
            given["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        said: list[MutableMapping[str, Any]] = []

        sent: list[bytes] = [body]

        async def receive() -> MutableMapping[str, Any]:
            if not sent:
                await asyncio.Event().wait()  # who asked waits for the answer, and does not hang up
            return {"type": "http.request", "body": sent.pop(), "more_body": False}

        async def send(message: MutableMapping[str, Any]) -> None:
            said.append(message)

        parts = urlsplit(address)
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": self.scheme,
            "path": parts.path, "raw_path": parts.path.encode(), "query_string": parts.query.encode(), "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
            "server": ("192.0.2.9", 8765), "client": (self.client, 1),
        }  # fmt: skip

        async def once() -> None:
            await self.pages(scope, receive, send)

        asyncio.run(once())
        named = {name.decode(): value.decode() for name, value in said[0]["headers"]}
        self._keep(named.get("set-cookie", ""))
        return Got(said[0]["status"], named, b"".join(each.get("body", b"") for each in said[1:]).decode())

    def _keep(self, field: str) -> None:
        name, equals, rest = field.partition("=")
        value = rest.partition(";")[0].strip('"')
        if equals and value:
            self.cookies[name] = value
        elif equals:
            self.cookies.pop(name, None)
