"""People sign in by a token: what they see, what their browser keeps, and what other pages cannot make it do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.operate.installation import Installation
from cormorant.operate.system import tokens
from cormorant.web import app
from cormorant.web.pages import sign_in
from cormorant.web.security.authorization import Audience
from cormorant.web.security.request_guard import RequestGuard
from tests.web.visiting import Caller

CLOSED = "/api/v1/runs"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    with opened(BuildPlan(tmp_path / "data", InstallationSettings()), new=True) as made:
        yield made


@pytest.fixture
def pages(house: Installation) -> RequestGuard:
    return app.make(house, ["search.example.org"], Audience.PUBLIC)


@pytest.fixture
def token(house: Installation) -> str:
    return str(tokens.first(house))


def test_in_and_out_again(pages: RequestGuard, token: str) -> None:
    browser = Caller(pages)
    assert '<a href="/sign-in">Sign in</a>' in browser.get("/").body
    assert browser.get(CLOSED).status == 401
    got = browser.post("/sign-in", {"token": f" {token}\n", "back": "/search?q=a&page=2"})
    assert (got.status, got.headers["location"]) == (303, "/search?q=a&page=2")
    assert browser.get(CLOSED).status == 200
    home = browser.get("/")
    assert (">Sign out</button>" in home.body, home.headers["cache-control"]) == (True, "no-store")
    assert browser.get("/sign-in?back=/search").headers["location"] == "/search"
    kept = dict(browser.cookies)
    assert browser.post("/sign-out").status == 303
    assert not browser.cookies
    browser.cookies = kept
    assert browser.get(CLOSED).status == 401, "who kept the cookie has nothing of it"


def test_a_wrong_token_is_said_beside_the_field_and_the_way_back_kept(pages: RequestGuard, token: str) -> None:
    got = Caller(pages).post("/sign-in", {"token": "cormorant_no", "back": "/search?q=a"})
    assert got.status == 401
    assert "This token is not known. 9 tries are left in this minute." in got.body
    assert 'aria-invalid="true" aria-describedby="token-e"' in got.body
    assert 'name="back" value="/search?q=a"' in got.body
    assert "cormorant_no" not in got.body


def test_the_cookie_is_for_this_site_and_no_script(pages: RequestGuard, token: str) -> None:
    plain = Caller(pages).post("/sign-in", {"token": token}).headers["set-cookie"].lower()
    assert plain.startswith("session=")
    assert {"httponly", "samesite=lax", "path=/"} <= {part.strip() for part in plain.split(";")}
    assert "max-age" not in plain
    assert "secure" not in plain
    assert token not in plain
    kept = Caller(pages).post("/sign-in", {"token": token, "keep": "on"}).headers["set-cookie"].lower()
    assert f"max-age={sign_in.KEPT_S}" in kept


def test_over_tls_the_cookie_is_for_tls(pages: RequestGuard, token: str) -> None:
    browser = Caller(pages, scheme="https")
    field = browser.post("/sign-in", {"token": token}).headers["set-cookie"]
    assert field.startswith("__Host-session=")
    assert "; Secure" in field
    assert browser.get(CLOSED).status == 200
    browser.cookies = {"session": browser.cookies["__Host-session"]}
    assert browser.get(CLOSED).status == 401, "a cookie that an attacker on the way could have set is ignored"
    browser.cookies = {}


def test_a_session_ends_when_its_time_is_over(pages: RequestGuard, house: Installation, token: str) -> None:
    browser = Caller(pages)
    browser.post("/sign-in", {"token": token})
    with house.store.begin() as tx:
        left = tx.driver("SELECT expires_at - created_at FROM session").scalar_one()
        tx.driver("UPDATE session SET expires_at = created_at")
    assert left == sign_in.SHORT_S
    assert browser.get(CLOSED).status == 401
    Caller(pages).post("/sign-in", {"token": token})
    with house.store.read() as tx:
        assert tx.driver("SELECT count(*) FROM session").scalar_one() == 1, "those that ended are forgotten"


@pytest.mark.parametrize(
    "back", ["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", "", "x", "/a\r\nb: c"]
)
def test_signing_in_leads_nowhere_else(back: str, pages: RequestGuard, token: str) -> None:
    got = Caller(pages).post("/sign-in", {"token": token, "back": back})
    assert (got.status, got.headers["location"]) == (303, "/")


OTHERS = [
    {"origin": "https://evil.example"}, {"origin": "null"}, {"origin": "http://localhost.evil.example"},
    {"origin": "http://localhost:81"}, {"sec_fetch_site": "cross-site"}, {"sec_fetch_site": "same-site"},
    {"sec_fetch_site": "cross-site", "origin": "http://localhost"}, {"origin": ""},
]  # fmt: skip


@pytest.mark.parametrize("said", OTHERS)
@pytest.mark.parametrize("address", ["/sign-in", "/sign-out", "/preferences/theme", "/nowhere"])
def test_pages_of_others_can_send_nothing(address: str, said: dict[str, str], pages: RequestGuard, token: str) -> None:
    browser = Caller(pages)
    browser.post("/sign-in", {"token": token})
    got = browser.post(address, {"token": token}, **said)
    assert got.status == 403
    assert "set-cookie" not in got.headers
    assert browser.get(CLOSED).status == 200


@pytest.mark.parametrize(
    "said",
    [
        {}, {"origin": "http://localhost"}, {"origin": "http://localhost:80"}, {"sec_fetch_site": "same-origin"},
        {"sec_fetch_site": "same-origin", "origin": "null"}, {"sec_fetch_site": "none"},
        {"origin": "https://search.example.org", "host": "search.example.org"},
        {"origin": "http://search.example.org:8765", "host": "search.example.org:8765"},
    ],
)  # fmt: skip
def test_our_own_pages_can(said: dict[str, str], pages: RequestGuard, token: str) -> None:
    assert Caller(pages).post("/sign-in", {"token": token}, **said).status == 303


def test_a_form_is_no_place_for_much(pages: RequestGuard, token: str) -> None:
    got = Caller(pages).post("/sign-in", {"token": token, "more": "x" * sign_in.MOST_BYTES})
    assert got.status == 400
    assert "at most 10,000 bytes" in got.body


def test_what_was_sent_is_not_where_signing_in_leads(pages: RequestGuard) -> None:
    assert 'name="back" value="/"' in Caller(pages).post("/nowhere").body


def test_private_pages_say_so(house: Installation) -> None:
    pages = app.make(house, (), Audience.PRIVATE)
    got = Caller(pages).get("/search?q=a")
    assert got.status == 401
    assert "You need a token to search here." in got.body
    assert Caller(app.make(house, (), Audience.PUBLIC)).get("/sign-in").body.count("search without signing in") == 1
