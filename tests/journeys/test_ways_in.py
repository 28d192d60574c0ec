"""Sites that let in only who shows something, and ways that lead by a proxy, crawled by the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import trustme

from tests.journeys.canaries import PASSWORD, TOKEN, Canary, shows
from tests.sources.web.farm import HOSTS, Authority, Heard, Place, Relay, Said, serving, wants_digest
from tests.threaded import beside

BODY = "<title>Member</title><p>zephyr at {path}</p><a href='/m'>more</a><a href='{other}/'>elsewhere</a>"
WRITTEN = ("digest", "bearer", "header")
KINDS = (*WRITTEN, "certificate")


def body(path: str, other: Place) -> bytes:
    """A page that leads to one beside it, and elsewhere."""
    return BODY.format(path=path, other=other.origin).encode()


def behind(place: Place, other: Place, check: Callable[[Heard], Said]) -> None:
    """Let in only whom `check` lets in."""

    def say(heard: Heard) -> Said:
        said = check(heard)
        return Said(body=body(heard.path, other)) if said.status == 200 else said

    place.says = {"/": say, "/m": say}


def check_of(kind: str) -> Callable[[Heard], Said]:
    """The clients that a site with this kind of authentication admits."""
    if kind == "digest":
        return wants_digest("anna", PASSWORD, ["first"])
    tests: dict[str, Callable[[Heard], bool]] = {
        "bearer": lambda heard: heard.field("Authorization") == f"Bearer {TOKEN}",
        "header": lambda heard: heard.field("X-Api-Key") == TOKEN,
        "certificate": lambda heard: heard.certificate,
    }
    return lambda heard: Said() if tests[kind](heard) else Said(403)


def found(home: Canary) -> int:
    """How many pages of members search finds."""
    return home.run("search", "zephyr", "--json").count("\n")


def added(home: Canary, *given: str) -> None:
    """Add the source of the test, with the secrets that it may name."""
    home.run("secret", "add", "password", given=PASSWORD)
    home.run("secret", "add", "token", given=TOKEN)
    brisk = ("include=any", "network=loopback", "patience_s=0", *given)
    home.run("source", "add", "web", "wiki", *(word for each in brisk for word in ("--set", each)))


@pytest.mark.parametrize("kind", KINDS)
def test_who_shows_a_proof_is_let_in_and_shows_it_nowhere_else(kind: str, tmp_path: Path) -> None:
    authority, scheme = Authority(trustme.CA(), tmp_path), "https" if kind == "certificate" else "http"
    place, other = Place(scheme, "127.0.0.1"), Place(scheme, "127.0.0.2")
    home = Canary(tmp_path / "data")
    with beside(serving(place, other, authority=authority)):
        behind(place, other, check_of(kind))
        entries = {
            "digest": f"credentials={place.origin} digest anna secret:password",
            "bearer": f"credentials={place.origin} bearer secret:token",
            "header": f"credentials={place.origin} header X-Api-Key secret:token",
            "certificate": f"client_certificate={place.origin} {authority.client()}",
        }
        added(home, f"start={place.origin}/", f"ca={authority.file}", entries[kind])
        said = home.run("source", "test", "wiki")
        assert kind not in WRITTEN or f"{kind} " in said
        home.run("crawl", "wiki")
        assert found(home) == 2
        assert [each.path for each in other.pages()] == ["/"]
        assert not [each for each in other.heard if each.certificate or shows(each.head) or b"anna" in each.head]

        behind(place, other, lambda _: Said(403))
        assert "403" in home.run("crawl", "wiki", code=3)
        assert found(home) == 2, "what was let in once is kept"
    assert home.leaks() == []


def test_all_goes_by_the_proxy_but_what_is_excepted(tmp_path: Path) -> None:
    home, place, other = Canary(tmp_path / "data"), Place("http", "127.0.0.1"), Place("http", "127.0.0.2")
    relay = Relay(login=f"crawler:{PASSWORD}")
    with beside(serving(place, other)):
        behind(place, other, lambda _: Said())
        with beside(relay.relaying()):
            proxy = f"{HOSTS['proxy.test']}:{relay.port}"
            login = (f"proxy=http://{proxy}", "proxy_login=crawler secret:password")
            added(home, f"start={place.origin}/", *login, "proxy_exceptions=127.0.0.2")
            home.run("crawl", "wiki")
            assert len(relay.heard) == len(place.heard) == 3, "robots.txt and two pages"
            assert [each.path for each in other.heard] == ["/robots.txt", "/"]
            assert not [each for each in (*place.heard, *other.heard) if shows(each.head)]
            assert found(home) == 2
        said = home.run("crawl", "wiki", code=6)
        assert f"The proxy {proxy} accepts no connection" in said + home.run("explain", f"{place.origin}/m")
        assert found(home) == 2, "a proxy that is away takes nothing with it"
    assert home.leaks() == []


@pytest.mark.parametrize(("cookies", "sent"), [("on", [True, True]), ("session", [True, False]), ("off", [False] * 2)])
def test_cookies_are_kept_as_the_setting_says(cookies: str, sent: list[bool], tmp_path: Path) -> None:
    home, place, other = Canary(tmp_path / "data"), Place("http", "127.0.0.1"), Place("http", "127.0.0.2")
    seen = []
    with beside(serving(place, other)):
        place.says["/"] = Said(headers=("Set-Cookie: lasting=yes; Max-Age=86400",), body=body("/", other))
        added(home, f"start={place.origin}/", f"cookies={cookies}")
        for _ in range(2):
            place.heard.clear()
            home.run("crawl", "wiki", "--refresh", "all")
            seen.append({each.path: "lasting=yes" in each.field("Cookie") for each in place.pages()})
    assert [seen[0]["/m"], seen[1]["/"]] == sent
    assert not [each for each in other.heard if each.field("Cookie")]
