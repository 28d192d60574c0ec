"""What a reader is told, and what is not, when a page fails."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

import pytest

from cormorant.base.clock import SystemClock
from cormorant.base.errors import CormorantError, StoreError
from cormorant.operate.house import House
from cormorant.portal import site


class Got(NamedTuple):
    """An answer: status, headers, body."""

    status: int
    headers: dict[str, str]
    body: str


class Failing:
    """A house of which the index fails as it is told to."""

    searchable = True

    def __init__(self, error: Exception) -> None:
        self.clock, self._error = SystemClock(), error

    def index_reader(self) -> None:
        raise self._error


def ask(error: Exception, address: str, **headers: str) -> Got:
    """Ask the pages of a failing house once. What is no error of ours is raised on to the server, after the answer."""
    said: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        said.append(message)

    path, query = urlsplit(address).path, urlsplit(address).query
    given = [(b"host", b"localhost"), *((name.encode(), value.encode()) for name, value in headers.items())]
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": query.encode(), "headers": given, "root_path": "",
        "server": ("localhost", 80), "client": ("127.0.0.1", 1),
    }  # fmt: skip
    try:
        asyncio.run(_once(site.make(cast("House", Failing(error))), scope, receive, send))
    except type(error):
        assert not isinstance(error, CormorantError)
    named = {name.decode(): value.decode() for name, value in said[0]["headers"]}
    return Got(said[0]["status"], named, b"".join(each.get("body", b"") for each in said[1:]).decode())


async def _once(app: Any, *words: Any) -> None:
    await app(*words)


@pytest.mark.parametrize("error", [RuntimeError("boom"), StoreError("/srv/data/cormorant.db refused a statement.")])
def test_a_page_that_failed_is_guarded_like_any_other(error: Exception) -> None:
    got = ask(error, "/search?q=kelp")
    assert got.status == 500
    assert "frame-ancestors 'none'" in got.headers["content-security-policy"]
    assert got.headers["x-content-type-options"] == "nosniff"
