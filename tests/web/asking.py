"""The pages asked within this process, of a house that a test has made up or of an installation that was crawled."""

from __future__ import annotations

import asyncio
import json
from collections.abc import MutableMapping
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

from cormorant.base.errors import CormorantError
from cormorant.operate.installation import Installation
from cormorant.web import app
from cormorant.web.security.request_guard import Application


class Got(NamedTuple):
    """An answer: status, headers, body."""

    status: int
    headers: dict[str, str]
    body: str

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def lines(self) -> list[Any]:
        """The body as JSON Lines."""
        return [json.loads(line) for line in self.body.splitlines()]

    @property
    def main(self) -> str:
        """The page without what is around it."""
        return self.body.partition("<main")[2].partition("</main>")[0]


def ask(house: object, address: str, **headers: str) -> Got:
    """Send one request. An unexpected error is raised to the server after the response, and ignored here."""
    return ask_of(app.make(cast("Installation", house)), address, **headers)


def ask_of(application: Application, address: str, method: str = "GET", **headers: str) -> Got:
    """The same of an application that there is; `_` stands for `-` in the names of headers."""
    return send_to(application, address, method, b"", headers)


def send_to(application: Application, address: str, method: str, body: bytes, headers: dict[str, str]) -> Got:
    """The same with something that is sent."""
    said: list[MutableMapping[str, Any]] = []

    asked: list[str] = []

    async def receive() -> MutableMapping[str, Any]:
        if asked:
            await asyncio.Event().wait()  # whoever asked is there until the answer has ended
        asked.append(address)
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        said.append(message)

    async def once() -> None:
        await application(_scope(address, method, headers), receive, send)

    try:
        asyncio.run(once())
    except Exception as error:
        if isinstance(error, CormorantError) or not said:
            raise
    named = {name.decode(): value.decode() for name, value in said[0]["headers"]}
    return Got(said[0]["status"], named, b"".join(each.get("body", b"") for each in said[1:]).decode())


def _scope(address: str, method: str, headers: dict[str, str]) -> dict[str, Any]:
    path, query = urlsplit(address).path, urlsplit(address).query
    fields = {"host": "localhost"} | {name.replace("_", "-"): value for name, value in headers.items()}
    return {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in fields.items()], "root_path": "",
        "server": ("localhost", 80), "client": ("127.0.0.1", 1),
    }  # fmt: skip
