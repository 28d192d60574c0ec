"""Every route has the scope that it needs, and a visitor gets what the scope of the token covers and nothing beyond."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import cast
from urllib.parse import unquote

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from cormorant.app import settings
from cormorant.app.build import BuildPlan, open_house
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.model.scope import Scope
from cormorant.operate.installation import Installation
from cormorant.operate.system import tokens
from cormorant.web import app as web_app
from cormorant.web.security.authentication import AuthenticationMiddleware
from cormorant.web.security.authorization import Audience, Policy
from cormorant.web.security.request_guard import RequestGuard
from tests.web.asking import ask_of
from tests.web.crawled import Crawled
from tests.web.visiting import Caller

PUBLIC = """
GET /static/{path}
GET /health/live
GET /health/ready
GET /sign-in
POST /sign-in
POST /sign-out
POST /preferences/theme
POST /preferences/keys
"""
SEARCH = """
GET /
GET /search
GET /advanced
GET /cached/{number}
GET /cached/{number}/content
POST /clicked/{token}/{number}
GET /duplicates/{number}
GET /mail/{number}
GET /mail/{number}/thread
GET /mail/{source}/{year}/{month}
GET /help
GET /help/errors
GET /opensearch.xml
GET /api/v1/search
GET /api/v1/suggest
GET /api/v1/search/{number}/why
GET /api/v1/documents/{number}/duplicates
"""
OPERATE = """
GET /explain
GET /documents/{number}/links
GET /status
GET /status/{number}
GET /queries
GET /metrics
GET /api/openapi.json
GET /api/v1/documents
GET /api/v1/documents/{number}
GET /api/v1/documents/{number}/links
POST /api/v1/documents/recrawl
GET /api/v1/explain
GET /api/v1/tuning
GET /api/v1/queries
GET /api/v1/queries/{report}
GET /api/v1/sources
GET /api/v1/sources/kinds
GET /api/v1/sources/services
GET /api/v1/attributes
GET /api/v1/attributes/impact
GET /api/v1/attributes/{name}
GET /api/v1/lovs
GET /api/v1/sources/{name}
GET /api/v1/sources/{name}/script
GET /api/v1/sources/services
GET /api/v1/attributes
GET /api/v1/attributes/impact
GET /api/v1/attributes/{name}
GET /api/v1/lovs
POST /api/v1/sources/{name}/test
GET /api/v1/runs
POST /api/v1/runs
GET /api/v1/runs/{number}
GET /api/v1/runs/{number}/log
POST /api/v1/runs/{number}/suspend
POST /api/v1/runs/{number}/resume
POST /api/v1/runs/{number}/stop
POST /api/v1/runs/{number}/refuse
POST /api/v1/runs/{number}/prune
POST /api/v1/runs/{number}/index
GET /api/v1/schedules
GET /api/v1/schedules/{name}
POST /api/v1/schedules/{name}/start
GET /api/v1/receivers
GET /api/v1/receivers/kinds
GET /api/v1/receivers/{name}
GET /api/v1/receivers/{name}/faulty
POST /api/v1/receivers/{name}/resend
GET /api/v1/parameters
GET /api/v1/parameters/{name}
GET /api/v1/system
GET /takedowns
GET /api/v1/takedowns
GET /api/v1/takedowns/{number}
POST /api/v1/provider/pause
POST /api/v1/provider/resume
"""
PUSH = """
POST /api/v1/push/{source}
PUT /api/v1/push/{source}/{item:path}/attachments/{name}
"""
ADMIN = """
POST /api/v1/sources
PATCH /api/v1/sources/{name}
DELETE /api/v1/sources/{name}
DELETE /api/v1/runs/{number}
POST /api/v1/runs/{number}/accept
POST /api/v1/schedules
PATCH /api/v1/schedules/{name}
DELETE /api/v1/schedules/{name}
POST /api/v1/schedules/{name}/enable
POST /api/v1/schedules/{name}/disable
POST /api/v1/receivers
PATCH /api/v1/receivers/{name}
DELETE /api/v1/receivers/{name}
POST /api/v1/parameters
POST /api/v1/parameters/{name}/preview
PATCH /api/v1/parameters/{name}
DELETE /api/v1/parameters/{name}
POST /api/v1/attributes
PATCH /api/v1/attributes/{name}
DELETE /api/v1/attributes/{name}
POST /api/v1/lovs
POST /api/v1/lovs/{name}
PATCH /api/v1/lovs/{name}
DELETE /api/v1/lovs/{name}
GET /api/v1/tokens
POST /api/v1/tokens
PATCH /api/v1/tokens/{name}
DELETE /api/v1/tokens/{name}
POST /api/v1/attributes
PATCH /api/v1/attributes/{name}
DELETE /api/v1/attributes/{name}
POST /api/v1/lovs
POST /api/v1/lovs/{name}
PATCH /api/v1/lovs/{name}
DELETE /api/v1/lovs/{name}
POST /takedowns
POST /takedowns/{number}/lift
POST /api/v1/takedowns
POST /api/v1/takedowns/{number}/lift
POST /api/v1/takedowns/{number}/erase
"""
Route = tuple[str, str]
NEEDED: dict[Route, Scope | None] = {
    cast("Route", tuple(line.split())): scope
    for scope, lines in (
        (None, PUBLIC), (Scope.SEARCH, SEARCH), (Scope.PUSH, PUSH), (Scope.OPERATE, OPERATE),
        (Scope.ADMIN, ADMIN),
    )
    for line in lines.split("\n") if line
}  # fmt: skip
"""The scope of each route, listed separately, so that each new route is checked twice."""
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
REACHED: dict[Scope | None, list[Scope | None]] = {
    None: [None],
    Scope.SEARCH: [None, Scope.SEARCH],
    Scope.PUSH: [None, Scope.SEARCH, Scope.PUSH],
    Scope.OPERATE: [None, Scope.SEARCH, Scope.PUSH, Scope.OPERATE],
    Scope.ADMIN: [None, *Scope],
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with opened(BuildPlan(tmp_path_factory.mktemp("scopes") / "data", InstallationSettings()), new=True) as made:
        yield made


@pytest.fixture(scope="module")
def values(house: Installation) -> dict[Scope, str]:
    return {scope: str(tokens.add(house, scope.value, scope)["value"]) for scope in Scope}


def routes(pages: RequestGuard) -> list[Route]:
    """Every method and path that the application registers, with a scope or without."""
    app = cast("FastAPI", cast("AuthenticationMiddleware", pages._app)._app)
    found = []
    for each in iter_route_contexts(app.routes):
        methods = ("GET",) if each.path == "/static" else METHODS
        path = f"{each.path}/{{path}}" if each.path == "/static" else str(each.path)
        found += [(method, path) for method in methods if method in (each.methods or METHODS)]
    return found


def asked(path: str) -> str:
    """An address of a route; names and numbers are of nothing that there is."""
    return re.sub(r"\{path\}", "cormorant.css", path).replace("{report}", "top").replace("{number}", "987").replace(
        "{name}", "none"
    ).replace("{source}", "none").replace("{item:path}", "a/b").replace("{token}", "0a")  # fmt: skip


def test_every_route_that_there_is_declares_the_scope_of_the_list(house: Installation) -> None:
    pages = web_app.make(house, (), Audience.PUBLIC)
    found = routes(pages)
    assert len(found) == len(set(found))
    assert set(found) == NEEDED.keys()
    policy = Policy.of(cast("FastAPI", cast("AuthenticationMiddleware", pages._app)._app))
    declared = {(method, path): policy.rule(method, asked(path)) for method, path in found}
    assert [route for route, rule in declared.items() if rule is None] == [], "declares no scope"
    assert {route: rule.needs for route, rule in declared.items() if rule} == NEEDED


@pytest.mark.parametrize("exposure", [Audience.PUBLIC, Audience.PRIVATE])
@pytest.mark.parametrize("shown", [None, *Scope])
def test_route_by_route(exposure: Audience, shown: Scope | None, house: Installation, values: dict[Scope, str]) -> None:
    pages = web_app.make(house, (), exposure)
    fields = {"authorization": f"Bearer {values[shown]}"} if shown else {}
    granted = shown or (Scope.SEARCH if exposure is Audience.PUBLIC else None)
    for (method, path), needed in NEEDED.items():
        got = Caller(pages).ask(method, asked(path), b"", fields)
        challenge = got.headers.get("www-authenticate", "")
        if needed in REACHED[granted]:
            assert (got.status == 403, challenge) == (False, ""), (method, path)
        elif shown is None:
            assert (got.status, challenge) == (401, 'Bearer realm="cormorant"'), (method, path)
        else:
            assert (got.status, challenge) == (403, f'Bearer error="insufficient_scope", scope="{needed}"')
            if path.startswith("/api/"):
                problem = got.json
                assert (problem["code"], problem["scope_needed"], problem["scope_given"]) == (
                    "insufficient_scope", needed, shown,
                )  # fmt: skip


def test_on_this_machine_its_person_administers_and_a_proxys_visitors_read(house: Installation) -> None:
    pages = web_app.make(house)
    for (method, path), needed in NEEDED.items():
        if path.startswith("/sign-"):
            continue
        assert ask_of(pages, asked(path), method).status not in (401, 403), (method, path)
        passed_on = ask_of(pages, asked(path), method, x_forwarded_for="192.0.2.7").status
        assert (passed_on == 403) == (needed not in (None, Scope.SEARCH)), (method, path)


def test_part_of_an_order_may_need_more(house: Installation, values: dict[Scope, str]) -> None:
    """A run that is forgotten when it is done is a run that is deleted."""
    pages, fields = Caller(web_app.make(house, (), Audience.PUBLIC)), {"content-type": "application/json"}
    for scope, status in ((Scope.OPERATE, 403), (Scope.ADMIN, 404)):
        with_token = fields | {"authorization": f"Bearer {values[scope]}"}
        got = pages.ask("POST", "/api/v1/runs", b'{"sources": ["none"], "forget": true}', with_token)
        assert got.status == status, got.body
        assert pages.ask("POST", "/api/v1/runs", b'{"sources": ["none"]}', with_token).status == 404


def test_a_token_that_is_narrowed_or_deleted_opens_no_more_from_the_next_request_on(house: Installation) -> None:
    pages = web_app.make(house, (), Audience.PUBLIC)
    value = str(tokens.add(house, "moving", Scope.ADMIN)["value"])
    browser, bearer = Caller(pages), {"authorization": f"Bearer {value}"}
    assert browser.post("/sign-in", {"token": value}).status == 303
    for scope, statuses in ((Scope.ADMIN, (200, 200)), (Scope.OPERATE, (200, 403)), (Scope.SEARCH, (403, 403))):
        tokens.edit(house, "moving", scope)
        for who, fields in ((browser, {}), (Caller(pages), bearer)):
            assert tuple(who.get(path, **fields).status for path in ("/api/v1/runs", "/api/v1/tokens")) == statuses
    tokens.delete(house, "moving")
    assert browser.get("/api/v1/runs").status == Caller(pages).get("/api/v1/runs", **bearer).status == 401


def test_a_page_says_which_scope_it_needs_and_leads_to_signing_in_with_another(
    house: Installation, values: dict[Scope, str]
) -> None:
    browser = Caller(web_app.make(house, (), Audience.PUBLIC))
    browser.post("/sign-in", {"token": values[Scope.SEARCH]})
    got = browser.get("/explain?address=http://a.example/")
    assert (got.status, "<h1>This page needs another token</h1>" in got.body) == (403, True)
    assert "needs a token of scope <code>operate</code>; yours is of scope <code>search</code>" in got.body
    (way,) = re.findall(r'href="(/sign-in[^"]*)"', got.body)
    assert unquote(way) == "/sign-in?back=/explain?address=http://a.example/"
    form = browser.get(way)
    assert (form.status, "signed in with a token of scope <code>search</code>" in form.body) == (200, True)
    before = dict(browser.cookies)
    assert browser.post("/sign-in", {"token": values[Scope.OPERATE], "back": "/explain"}).status == 303
    assert browser.get("/explain").status == 200
    browser.cookies = before
    assert browser.get("/explain").status == 401, "the session before has ended"


def test_the_description_says_the_scope_of_each_operation(house: Installation) -> None:
    described = {(method, path.replace(":path}", "}")): scope for (method, path), scope in NEEDED.items()}
    for exposure in (Audience.PUBLIC, Audience.PRIVATE):
        unasked: list[dict[str, list[str]]] = [{}] if exposure is Audience.PUBLIC else []
        drawn = web_app.application(house, exposure)[0].openapi()
        assert drawn["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
        for path, operations in drawn["paths"].items():
            for method, operation in operations.items():
                needed = described[method.upper(), path]
                said = [{"bearer": [needed]}] if needed else []
                assert operation["security"] == (unasked if needed is Scope.SEARCH else []) + said
                assert operation.get("x-scope") == needed


def test_what_is_written_of_tokens_shows_no_value(house: Installation, values: dict[Scope, str]) -> None:
    pages = Caller(web_app.make(house, (), Audience.PUBLIC))
    bearer = {"authorization": f"Bearer {values[Scope.ADMIN]}", "content-type": "application/json"}
    made = pages.ask("POST", "/api/v1/tokens", b'{"token": "viaweb"}', bearer)
    assert (made.status, made.json["scope"], made.headers["cache-control"]) == (201, "search", "no-store")
    edited = pages.ask("PATCH", "/api/v1/tokens/viaweb", b'{"scope": "operate"}', bearer)
    assert (edited.status, edited.json["scope"], "value" in edited.json) == (200, "operate", False)
    assert pages.ask("PATCH", "/api/v1/tokens/viaweb", b'{"scope": "root"}', bearer).status == 422
    listed = pages.get("/api/v1/tokens", **bearer)
    assert "viaweb" in {each["token"] for each in listed.json["tokens"]}
    assert not any(value in listed.body for value in (made.json["value"], *values.values()))
    assert pages.ask("DELETE", "/api/v1/tokens/viaweb", b"", bearer).json == {"token": "viaweb", "deleted": True}


@pytest.mark.parametrize("scope", [None, *Scope])
def test_pages_lead_only_to_what_their_visitor_may_open(scope: Scope | None, crawled: Crawled) -> None:
    house = open_house(BuildPlan(crawled.home.folder, settings.load(None)))
    browser = Caller(web_app.make(house, (), Audience.PUBLIC))
    if scope is not None:
        value = str(tokens.add(house, f"leads-{scope}", scope)["value"])
        assert browser.post("/sign-in", {"token": value}).status == 303
    left, seen = ["/", "/search?q=kelp", "/search?q=nothingatall", "/explain", "/nowhere"], set[str]()
    while left and len(seen) < 60:
        address = left.pop(0)
        seen.add(address)
        got = browser.get(address)
        if got.status not in (200, 404):
            assert address in ("/explain", "/nowhere"), f"{address} was linked to, and answers {got.status}"
            continue
        found = {unescape(each) for each in re.findall(r'href="(/[^"#]*)', got.body)}
        left += sorted(each for each in found - seen - set(left) if not each.startswith(("/static/", "/sign-in")))
    leads = "/explain?" in " ".join(seen)
    assert leads == (scope in (Scope.OPERATE, Scope.ADMIN))
    house.store.close()
