"""What a reader is told, and what is not, when a page fails."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import MutableMapping
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

import pytest

from cormorant.base.clock import SystemClock
from cormorant.base.errors import CormorantError, IndexDamaged, StoreError, Unreachable
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


SECRET = "postgresql://db.internal.example/cormorant"
FAULTS = [
    (RuntimeError(SECRET), 500, "error"), (StoreError(f"{SECRET} refused."), 500, "store"),
    (Unreachable(f"{SECRET} does not answer."), 503, "unreachable"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "status", "code"), FAULTS)
def test_what_failed_is_for_the_log_and_its_reference_for_the_reader(
    error: Exception, status: int, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    got = ask(error, "/search?q=kelp+%3Cforest%3E")
    assert got.status == status
    assert SECRET not in got.body
    found = re.search(r"reference (\w+)", got.body)
    assert found is not None
    assert found[1] in {getattr(record, "reference", "") for record in caplog.records}
    assert 'value="kelp &lt;forest&gt;"' in got.body
    assert 'href="/search?q=kelp+%3Cforest%3E"' in got.body
    problem = json.loads(ask(error, "/api/v1/search?q=kelp").body)
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["reference"] in problem["detail"]
    assert SECRET not in str(problem)


def test_a_damaged_index_says_what_mends_it() -> None:
    got = ask(IndexDamaged("It is gone. `cormorant index rebuild` makes it anew."), "/search?q=kelp")
    assert got.status == 503
    assert "<code>cormorant index rebuild</code>" in got.body


def test_nothing_is_counted_that_cannot_be_read() -> None:
    got = ask(IndexDamaged("It is gone."), "/")
    assert got.status == 200
    assert "0 documents" not in got.body
    assert "<footer" not in got.body


def test_the_theme_holds_when_a_page_fails() -> None:
    assert 'data-theme="dark"' in ask(IndexDamaged("It is gone."), "/search?q=kelp", cookie="theme=dark").body
