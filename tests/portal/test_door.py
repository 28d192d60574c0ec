"""Where others reach the pages: what is open to everyone, and what a token opens."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from fastapi import APIRouter, FastAPI
from fastapi.routing import iter_route_contexts

from cormorant.app.build import Plan
from cormorant.app.opening import opened
from cormorant.app.settings import Installation
from cormorant.operate import tokens
from cormorant.operate.house import House
from cormorant.portal import door, site
from cormorant.portal.door import Door
from cormorant.portal.guard import Guard
from cormorant.portal.tries import MOST
from tests.portal.visiting import Caller

EVERYONE = {
    ("GET", "/static"), ("GET", "/health/live"), ("GET", "/health/ready"), ("GET", "/sign-in"), ("POST", "/sign-in"),
    ("POST", "/sign-out"), ("POST", "/preferences/theme"), ("POST", "/preferences/keys"),
}  # fmt: skip
READERS = {
    ("GET", "/"), ("GET", "/search"), ("GET", "/advanced"), ("GET", "/cached/{number}"),
    ("GET", "/cached/{number}/content"), ("GET", "/api/v1/search"), ("GET", "/api/v1/suggest"),
    ("POST", "/clicked/{token}/{number}"), ("GET", "/duplicates/{number}"),
    ("GET", "/api/v1/documents/{number}/duplicates"), ("GET", "/api/v1/search/{number}/why"),
    ("GET", "/help"), ("GET", "/help/errors"), ("GET", "/opensearch.xml"),
}  # fmt: skip
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with opened(Plan(tmp_path / "data", Installation()), new=True) as made:
        yield made


@pytest.fixture
def pages(house: House) -> Guard:
    return site.make(house, (), door.SEARCH)


@pytest.fixture
def token(house: House) -> str:
    return str(tokens.add(house, "ada")["value"])


def routes(pages: Guard) -> FastAPI:
    """The application behind the guard and the door."""
    return cast("FastAPI", cast("Door", pages._app)._app)


def walked(pages: Guard) -> Iterator[tuple[str, str]]:
    """Every method and path there is, those of included routers too."""
    for each in iter_route_contexts(routes(pages).routes):
        for method in METHODS:
            if method in (each.methods or {"GET"}):
                yield method, str(each.path)


def asked(path: str) -> str:
    """An address of a route."""
    return re.sub(r"\{[^}]*\}", "1", path) + ("/cormorant.css" if path == "/static" else "")


@pytest.mark.parametrize(("listed", "expected"), [(door.PRIVATE, EVERYONE), (door.SEARCH, EVERYONE | READERS)])
def test_every_route_is_closed_but_those_of_the_list(
    listed: door.Listed, expected: set[tuple[str, str]], house: House
) -> None:
    pages = site.make(house, (), listed)
    found = {(method, path): Caller(pages).ask(method, asked(path)) for method, path in walked(pages)}
    assert {route for route, got in found.items() if "www-authenticate" not in got.headers} == expected
    assert {got.status for route, got in found.items() if route not in expected} == {401}
    assert len(found) > len(expected), "nothing was closed, so nothing was tried"


def test_what_is_listed_leads_somewhere(pages: Guard) -> None:
    there = {(method, asked(path)) for method, path in walked(pages)}
    for method, pattern in door.SEARCH:
        assert any(method == each and re.fullmatch(pattern, path) for each, path in there), pattern


@pytest.mark.parametrize("how", ["plainly", "by a router", "as a mount"])
def test_a_new_route_is_closed(how: str, pages: Guard, token: str) -> None:
    app, told = routes(pages), {"secret": "told"}
    if how == "plainly":
        app.get("/new/thing")(lambda: told)
    elif how == "by a router":
        router = APIRouter(prefix="/new")
        router.get("/thing")(lambda: told)
        app.include_router(router)
    else:
        inner = FastAPI()
        inner.get("/thing")(lambda: told)
        app.mount("/new", inner)
    got = Caller(pages).get("/new/thing")
    assert (got.status, "told" in got.body) == (401, False)
    assert "told" in Caller(pages).get("/new/thing", authorization=f"Bearer {token}").body


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere", "//", "/search/", "/Search", "/cached/x", "/cached/1/more", "/static", "/api/v1/search/x",
        "/cached/1\n", "/cached/\u0661", "/static/\n",
    ],
)  # fmt: skip
def test_what_only_looks_like_it_is_closed(path: str) -> None:
    assert not door.is_open(door.SEARCH, "GET", path)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_only_looking_is_open(method: str) -> None:
    assert not door.is_open(door.SEARCH, method, "/search")
    assert door.is_open(door.SEARCH, "HEAD", "/search")


def test_a_program_is_told_what_it_needs_and_a_person_asked(pages: Guard) -> None:
    program = Caller(pages).get("/api/openapi.json")
    assert (program.status, json.loads(program.body)["code"]) == (401, "not_signed_in")
    assert program.headers["www-authenticate"] == "Bearer"
    assert program.headers["content-type"] == "application/problem+json"
    person = Caller(pages).get("/explain?address=http://a.example/&x=1")
    assert (person.status, "<h1>Sign in</h1>" in person.body) == (401, True)
    assert 'name="back" value="/explain?address=http://a.example/&amp;x=1"' in person.body
    assert person.headers["cache-control"] == "no-store"


def test_a_token_in_the_header_opens_all(pages: Guard, house: House, token: str) -> None:
    assert tokens.listed(house)[0]["used_at"] is None
    got = Caller(pages).get("/api/openapi.json", authorization=f"bearer  {token} ")
    assert (got.status, got.headers["cache-control"]) == (200, "no-store")
    assert tokens.listed(house)[0]["used_at"] is not None


@pytest.mark.parametrize("value", ["", "x", "cormorant_", "cormorant_" + "0" * 40, "ada", "first"])
def test_a_wrong_token_opens_nothing_not_even_what_is_open(value: str, pages: Guard, token: str) -> None:
    for address in ("/api/openapi.json", "/health/live"):
        got = Caller(pages).get(address, authorization=f"Bearer {value}")
        assert (got.status, json.loads(got.body)["code"]) == (401, "not_signed_in")


def test_what_is_kept_of_a_token_opens_nothing(pages: Guard, house: House, token: str) -> None:
    with house.store.read() as tx:
        kept: bytes = tx.driver("SELECT digest FROM token").scalar_one()
    assert bytes(kept).hex() not in token
    for value in (bytes(kept).hex(), bytes(kept).decode("latin-1")):
        assert Caller(pages).get("/api/openapi.json", authorization=f"Bearer {value}").status == 401


def test_a_deleted_token_opens_nothing(pages: Guard, house: House, token: str) -> None:
    browser = Caller(pages)
    assert browser.post("/sign-in", {"token": token}).status == 303
    assert browser.get("/api/openapi.json").status == 200
    tokens.delete(house, "ada")
    assert browser.get("/api/openapi.json").status == 401
    assert Caller(pages).get("/api/openapi.json", authorization=f"Bearer {token}").status == 401
    tokens.add(house, "ada")
    assert browser.get("/api/openapi.json").status == 401, "nor does it when another has its name"


def test_wrong_tokens_are_bounded_by_place(pages: Guard, token: str) -> None:
    program = Caller(pages)
    for number in range(MOST):
        assert program.get("/", authorization=f"Bearer {number}").status == 401
    got = program.get("/", authorization=f"Bearer {token}")
    assert (got.status, got.headers["retry-after"]) == (429, "60")
    assert program.post("/sign-in", {"token": token}).status == 429, "one count for both ways"
    assert program.get("/").status == 200, "who shows none is not kept from reading"
    assert Caller(pages, "192.0.2.2").get("/", authorization=f"Bearer {token}").status == 200


def test_tokens_that_come_at_once_are_bounded_too(pages: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def known(_: House, value: str) -> bool:
        tried.append(value)
        return False

    monkeypatch.setattr(tokens, "known", known)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(_: Any) -> None:
        return None

    async def storm() -> None:
        await asyncio.gather(*(pages(scope(number), receive, send) for number in range(5 * MOST)))

    def scope(number: int) -> dict[str, Any]:
        headers = [(b"host", b"localhost"), (b"authorization", b"Bearer %d" % number)]
        return {
            "type": "http", "method": "GET", "scheme": "http", "path": "/api/x", "query_string": b"", "root_path": "",
            "headers": headers, "client": ("192.0.2.1", 1), "server": ("192.0.2.9", 80), "http_version": "1.1",
        }  # fmt: skip

    asyncio.run(storm())
    assert len(tried) == MOST


def test_nothing_but_http_comes_in(pages: Guard) -> None:
    said: list[Any] = []

    async def nothing() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        said.append(message)

    asyncio.run(_call(pages, {"type": "websocket", "path": "/", "headers": []}, nothing, send))
    assert not said


async def _call(pages: Guard, *words: Any) -> None:
    await pages(*words)


def test_without_a_door_nothing_is_asked_for(house: House) -> None:
    open_pages = site.make(house)
    assert Caller(open_pages).get("/api/openapi.json").status == 200
    home = Caller(open_pages).get("/")
    assert "Sign" not in home.body
    assert Caller(open_pages).get("/sign-in").status == 404
