"""Where others reach the pages: what is open to everyone, and what a token opens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import pytest
from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse, Response

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.base.errors import CormorantError
from cormorant.model.scope import Scope
from cormorant.operate.installation import Installation
from cormorant.operate.system import tokens
from cormorant.web import app as web_app
from cormorant.web.security.authentication import AuthenticationMiddleware, Authenticator
from cormorant.web.security.authorization import Audience, Policy, needs
from cormorant.web.security.rate_limit import MOST
from cormorant.web.security.request_guard import Application, RequestGuard
from tests.web.asking import ask_of
from tests.web.visiting import Caller


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    with opened(BuildPlan(tmp_path / "data", InstallationSettings()), new=True) as made:
        yield made


@pytest.fixture
def pages(house: Installation) -> RequestGuard:
    return web_app.make(house, (), Audience.PUBLIC)


@pytest.fixture
def token(house: Installation) -> str:
    return str(tokens.add(house, "ada", Scope.ADMIN)["value"])


def test_a_wrong_token_is_refused_where_none_is_needed(house: Installation, token: str) -> None:
    caller = Caller(web_app.make(house, (), Audience.LOCAL))
    for path in ("/api/v1/search?q=gull", "/health/live"):
        assert caller.get(path).status == 200
        assert caller.get(path, authorization=f"Bearer {token}").status == 200
    for shown in ("cormorant_wrong", ""):
        refused = caller.get("/api/v1/search?q=gull", authorization=f"Bearer {shown}")
        assert (refused.status, refused.json["code"]) == (401, "not_signed_in")
        assert refused.json["detail"].startswith("The token in `Authorization` is not known.")


def routes(pages: RequestGuard) -> FastAPI:
    """The application behind the guard and the door."""
    return cast("FastAPI", cast("AuthenticationMiddleware", pages._app)._app)


@pytest.mark.parametrize("how", ["plainly", "by a router", "as a mount", "before all others"])
def test_a_route_without_a_scope_is_closed_to_everybody(how: str, house: Installation, token: str) -> None:
    for exposure in Audience:
        pages, bearer = web_app.make(house, (), exposure), {"authorization": f"Bearer {token}"}
        add(routes(pages), how)
        assert closed(pages) == (404 if exposure is Audience.LOCAL else 401, False)
        assert closed(pages, **bearer) == (404, False)
        made_with = AuthenticationMiddleware(
            routes(pages), Authenticator(house), exposure, Policy.of(routes(pages)), refusal
        )
        assert closed(made_with, **bearer) == (404, False), "nor where it was there before the door"


def add(app: FastAPI, how: str) -> None:
    """Add a route without a scope."""
    content = {"secret": "shown"}
    if how == "plainly":
        app.get("/new/thing")(lambda: content)
    elif how == "by a router":
        router = APIRouter(prefix="/new")
        router.get("/thing")(lambda: content)
        app.include_router(router)
    elif how == "as a mount":
        inner = FastAPI()
        inner.get("/thing")(lambda: content)
        app.mount("/new", inner)
    else:
        app.add_route("/new/{thing}", lambda _: JSONResponse(content))
        app.router.routes.insert(0, app.router.routes.pop())


def closed(pages: Application, **headers: str) -> tuple[int, bool]:
    got = Caller(pages).get("/new/thing", **headers)
    return got.status, "shown" in got.body


def refusal(_: Request, error: CormorantError | HTTPException) -> Response:
    return Response(status_code=error.status_code if isinstance(error, HTTPException) else error.http_status)


def test_a_route_without_a_scope_does_not_borrow_that_of_another(house: Installation) -> None:
    """The first route that takes a request answers it, so its scope counts, and not that of one behind it."""
    app = FastAPI()
    app.get("/search")(lambda: "shown")
    app.get("/search", dependencies=[needs(Scope.SEARCH)])(lambda: "fine")
    pages = AuthenticationMiddleware(app, Authenticator(house), Audience.PUBLIC, Policy.of(app), refusal)
    assert Caller(pages).get("/search").status == 401


def test_routes_ask_for_their_scope_also_without_a_door(pages: RequestGuard) -> None:
    for path in ("/explain", "/api/v1/runs", "/search?q=a"):
        assert Caller(routes(pages)).get(path).status == 401
    assert Caller(routes(pages)).get("/health/live").status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere",
        "//",
        "/search/",
        "/Search",
        "/cached/1/more",
        "/api/v1/search/x",
        "/cached/\u0661/content/",
        "/staticx",
    ],
)
def test_what_only_looks_like_it_is_closed(path: str, pages: RequestGuard) -> None:
    assert Caller(pages).get(quote(path)).status == 401


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_only_looking_is_open(method: str, pages: RequestGuard, token: str) -> None:
    assert Caller(pages).ask(method, "/help").status == 401
    got = Caller(pages).ask(method, "/help", headers={"authorization": f"Bearer {token}"})
    assert (got.status, got.headers["allow"]) == (405, "GET")
    assert Caller(pages).ask("HEAD", "/help").status == 200


def test_a_slash_too_many_leads_on(pages: RequestGuard, token: str) -> None:
    got = Caller(pages).get("/explain/?address=a%20b", authorization=f"Bearer {token}")
    assert (got.status, got.headers["location"]) == (307, "/explain?address=a%20b")
    assert Caller(pages).get("/search/").status == 401


@pytest.mark.parametrize("host", ["localhost/help?", "localhost#", "help@localhost", "localhost/health/live?x="])
def test_what_a_host_field_says_opens_nothing(host: str, house: Installation) -> None:
    policy = Policy.of(routes(web_app.make(house)))
    pages = AuthenticationMiddleware(
        routes(web_app.make(house)), Authenticator(house), Audience.PRIVATE, policy, refusal
    )
    assert Caller(pages).get("/api/v1/runs", host=host).status == 401


def test_a_program_gets_the_needed_scope_and_a_person_a_form(pages: RequestGuard) -> None:
    program = Caller(pages).get("/api/openapi.json")
    assert (program.status, json.loads(program.body)["code"]) == (401, "not_signed_in")
    assert program.headers["www-authenticate"] == 'Bearer realm="cormorant"'
    assert program.headers["content-type"] == "application/problem+json"
    person = Caller(pages).get("/explain?address=http://a.example/&x=1")
    assert (person.status, "<h1>Sign in</h1>" in person.body) == (401, True)
    assert 'name="back" value="/explain?address=http://a.example/&amp;x=1"' in person.body
    assert person.headers["cache-control"] == "no-store"


def test_a_token_in_the_header_opens_all(pages: RequestGuard, house: Installation, token: str) -> None:
    assert tokens.listed(house)[0]["used_at"] is None
    got = Caller(pages).get("/api/openapi.json", authorization=f"bearer  {token} ")
    assert (got.status, got.headers["cache-control"]) == (200, "no-store")
    assert tokens.listed(house)[0]["used_at"] is not None


@pytest.mark.parametrize("value", ["", "x", "cormorant_", "cormorant_" + "0" * 40, "ada", "first"])
def test_a_wrong_token_opens_nothing_not_even_what_is_open(value: str, pages: RequestGuard, token: str) -> None:
    for address in ("/api/openapi.json", "/health/live"):
        got = Caller(pages).get(address, authorization=f"Bearer {value}")
        assert (got.status, json.loads(got.body)["code"]) == (401, "not_signed_in")
        assert got.headers["www-authenticate"] == 'Bearer realm="cormorant", error="invalid_token"'


def test_what_is_kept_of_a_token_opens_nothing(pages: RequestGuard, house: Installation, token: str) -> None:
    with house.store.read() as tx:
        kept: bytes = tx.driver("SELECT digest FROM token").scalar_one()
    assert bytes(kept).hex() not in token
    for value in (bytes(kept).hex(), bytes(kept).decode("latin-1")):
        assert Caller(pages).get("/api/openapi.json", authorization=f"Bearer {value}").status == 401


def test_a_deleted_token_opens_nothing(pages: RequestGuard, house: Installation, token: str) -> None:
    browser = Caller(pages)
    assert browser.post("/sign-in", {"token": token}).status == 303
    assert browser.get("/api/openapi.json").status == 200
    tokens.delete(house, "ada")
    assert browser.get("/api/openapi.json").status == 401
    assert Caller(pages).get("/api/openapi.json", authorization=f"Bearer {token}").status == 401
    tokens.add(house, "ada", Scope.ADMIN)
    assert browser.get("/api/openapi.json").status == 401, "nor does it when another has its name"


def test_wrong_tokens_are_bounded_by_place(pages: RequestGuard, token: str) -> None:
    program = Caller(pages)
    for number in range(MOST):
        assert program.get("/", authorization=f"Bearer {number}").status == 401
    got = program.get("/", authorization=f"Bearer {token}")
    assert (got.status, got.headers["retry-after"]) == (429, "60")
    assert program.post("/sign-in", {"token": token}).status == 429, "one count for both ways"
    assert program.get("/").status == 200, "who shows none is not kept from reading"
    assert Caller(pages, "192.0.2.2").get("/", authorization=f"Bearer {token}").status == 200


def test_tokens_that_come_at_once_are_bounded_too(pages: RequestGuard, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def bearer_of_token(_: Installation, value: str) -> None:
        tried.append(value)

    monkeypatch.setattr(tokens, "bearer_of_token", bearer_of_token)

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


def test_nothing_but_http_comes_in(pages: RequestGuard) -> None:
    said: list[Any] = []

    async def nothing() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        said.append(message)

    asyncio.run(_call(pages, {"type": "websocket", "path": "/", "headers": []}, nothing, send))
    assert not said


async def _call(pages: RequestGuard, *words: Any) -> None:
    await pages(*words)


def test_without_a_door_nothing_is_asked_for(house: Installation) -> None:
    open_pages = web_app.make(house)
    assert ask_of(open_pages, "/api/openapi.json").status == 200
    home = Caller(open_pages).get("/")
    assert "Sign" not in home.body
    assert Caller(open_pages).get("/sign-in").status == 404
