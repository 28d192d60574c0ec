"""Which hosts a request may name."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cormorant.web.security import request_guard
from cormorant.web.security.request_guard import RequestGuard
from tests.web.visiting import Caller


async def _page(scope: Any, _receive: Any, send: Any) -> None:
    said = scope["method"].encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"3")]})
    await send({"type": "http.response.body", "body": said})


PAGES = RequestGuard(_page, ["search.example.org", "[2001:db8::5]"])


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "127.0.0.1:80", "[::1]", "search.example.org", "SEARCH.example.ORG:8443", "search.example.org.",
        "192.0.2.9", "192.0.2.9:8765", "[2001:db8::5]:80", "[2001:DB8:0::5]",
    ],
)  # fmt: skip
def test_our_names_and_the_address_a_request_came_to_are_answered(host: str) -> None:
    assert Caller(PAGES).get("/", host=host).status == 200


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "search.example.org.evil.example", "192.0.2.8", "192.0.2.9.nip.example", "[::2]", "[", "[x]",
     "0xC0000209", "3221225993"],
)  # fmt: skip
def test_others_are_not(host: str) -> None:
    got = Caller(PAGES).get("/", host=host)
    assert (got.status, "serve --name HOST" in got.body) == (421, True)


def test_head_is_answered_as_get_is_less_the_body() -> None:
    got, head = Caller(PAGES).get("/"), Caller(PAGES).ask("HEAD", "/")
    assert (got.status, got.body) == (200, "GET")
    assert (head.status, head.body, head.headers) == (200, "", got.headers)


@pytest.mark.parametrize(
    ("method", "headers", "status", "code"),
    [
        ("GET", {"host": "evil.example"}, 421, "usage"),
        ("POST", {"sec-fetch-site": "cross-site"}, 403, "not_permitted"),
        ("GET", {}, 503, "busy"),
    ],
)
def test_a_program_gets_a_problem_object_and_a_person_a_sentence(
    method: str, headers: dict[str, str], status: int, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if code == "busy":
        monkeypatch.setattr(request_guard, "MOST_REQUESTS", 0)
    for path in ("/api/v1/search", "/health/ready"):
        got = Caller(PAGES).ask(method, path, headers=headers)
        assert (got.status, got.headers["content-type"]) == (status, "application/problem+json")
        assert (got.json["status"], got.json["code"]) == (status, code)
    program, page = (Caller(PAGES).ask(method, path, headers=headers) for path in ("/api/", "/search"))
    assert (page.status, page.headers["content-type"]) == (status, "text/plain; charset=utf-8")
    assert page.body.strip() == program.json["detail"]
    assert ("retry-after" in page.headers) == (status == 503)


def test_so_many_are_answered_at_once_and_as_many_again_when_they_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_guard, "MOST_REQUESTS", 1)
    seen: list[int] = []

    async def asks_again(_scope: Any, _receive: Any, send: Any) -> None:
        if not seen:
            seen.append(0)
            seen.append((await asyncio.to_thread(Caller(pages).get, "/")).status)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    pages = RequestGuard(asks_again, [])
    assert (Caller(pages).get("/").status, seen) == (200, [0, 503])
    assert Caller(pages).get("/").status == 200
