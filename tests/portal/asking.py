"""The pages asked within this process, of a house that a test has made up."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

from cormorant.base.errors import CormorantError
from cormorant.operate.house import House
from cormorant.portal import site


class Got(NamedTuple):
    """An answer: status, headers, body."""

    status: int
    headers: dict[str, str]
    body: str


def ask(house: object, address: str, **headers: str) -> Got:
    """Ask once. What is no error of ours is raised on to the server after the answer, and passed over here."""
    said: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        said.append(message)

    try:
        asyncio.run(_once(house, _scope(address, headers), receive, send))
    except Exception as error:
        if isinstance(error, CormorantError) or not said:
            raise
    named = {name.decode(): value.decode() for name, value in said[0]["headers"]}
    return Got(said[0]["status"], named, b"".join(each.get("body", b"") for each in said[1:]).decode())


async def _once(house: object, *words: Any) -> None:
    await site.make(cast("House", house))(*words)


def _scope(address: str, headers: dict[str, str]) -> dict[str, Any]:
    path, query = urlsplit(address).path, urlsplit(address).query
    given = [(b"host", b"localhost"), *((name.encode(), value.encode()) for name, value in headers.items())]
    return {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": query.encode(), "headers": given, "root_path": "",
        "server": ("localhost", 80), "client": ("127.0.0.1", 1),
    }  # fmt: skip
