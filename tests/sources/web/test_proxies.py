"""By way of a proxy: what it is told, what the site is told, and whose fault it is when nothing comes."""

from __future__ import annotations

import base64
from typing import Any

import pytest
import trustme

from cormorant.model.content import Content
from cormorant.model.outcome import Deferred, Excluded
from tests.net.http.servers import run
from tests.sources.web import farm
from tests.sources.web.farm import Authority, Place, Relay, Said, serving, visiting

PASSWORD = "canary-4712"
LOGIN = base64.b64encode(f"crawler:{PASSWORD}".encode())


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(trustme.CA(), tmp_path_factory.mktemp("authority"))


def through(relay: Relay, home: Place, authority: Authority, *, path: str = "/", **given: Any) -> Any:
    """What a visit of the home by way of the relay ends as."""

    async def work() -> Any:
        async with serving(home, authority=authority), relay.relaying():
            told: dict[str, Any] = {"proxy": relay.address, "start": [home.origin], "ca": [authority.file], **given}
            async with visiting({"p": PASSWORD, "site": "for the site"}, **told) as visitor:
                await visitor.visit(f"{home.origin}{path}")
                said = await visitor.visit(f"{home.origin}{path}")
                assert visitor.wire.requests <= 1
                return said

    return run(work())


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_each_is_told_what_is_for_it(scheme: str, authority: Authority) -> None:
    home, relay = Place(scheme, "home.test"), Relay(login=f"crawler:{PASSWORD}")
    given = {"proxy_login": "crawler secret:p", "headers": ["X-Site: secret:site"]}
    said = through(relay, home, authority, path="/a%2Fb?c=%7e", **given)
    assert isinstance(said, Content), said
    assert [each.path for each in home.heard] == ["/a%2Fb?c=%7e"] * 2
    assert [each.field("X-Site") for each in home.heard] == ["for the site"] * 2
    assert not [each for each in home.heard if b"roxy-Auth" in each.head or LOGIN in each.head]
    assert relay.heard
    assert all(LOGIN in each for each in relay.heard)
    if scheme == "https":
        assert all(each.startswith(b"CONNECT home.test:") for each in relay.heard)
        assert not [each for each in relay.heard if b"X-Site" in each]
    else:
        assert all(each.startswith(f"GET {home.origin}/a%2Fb?c=%7e HTTP/1.1".encode()) for each in relay.heard)
    assert b"X-From" not in said.header_block


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    ("login", "words"),
    [("", "wants a user name and password"), ("crawler secret:site", "does not take the login of 'crawler'")],
)
def test_407_is_the_proxys_word(scheme: str, login: str, words: str, authority: Authority) -> None:
    home, relay = Place(scheme, "home.test"), Relay(login=f"crawler:{PASSWORD}")
    said = through(relay, home, authority, proxy_login=login)
    assert isinstance(said, Deferred)
    assert (said.status, said.whole_site, home.heard) == (407, True, [])
    assert f"The proxy proxy.test:{relay.port} {words}" in said.reason
    assert "for the site" not in said.reason


def test_407_of_a_site_is_the_sites_word(authority: Authority) -> None:
    home, relay = Place("https", "home.test"), Relay()
    home.says["/"] = Said(404)
    assert through(relay, home, authority).status == 404


def test_a_login_may_have_any_letter(authority: Authority) -> None:
    home, relay = Place("https", "home.test"), Relay(login="müller:geheim-ß")

    async def work() -> Any:
        told: dict[str, Any] = {"start": [f"{home.origin}/"], "ca": [authority.file], "proxy": relay.address}
        async with visiting({"p": "geheim-ß"}, proxy_login="müller secret:p", **told) as visitor:
            return await visitor.visit(f"{home.origin}/")

    async def all_of_it() -> Any:
        async with serving(home, authority=authority), relay.relaying():
            return await work()

    assert isinstance(run(all_of_it()), Content)


@pytest.mark.parametrize("broken", [403, 502, 503])
def test_a_proxy_that_says_no_to_a_tunnel(broken: int, authority: Authority) -> None:
    home, relay = Place("https", "home.test"), Relay(broken=broken)
    said = through(relay, home, authority)
    assert isinstance(said, Deferred)
    assert (said.status, said.whole_site) == (985, True)
    assert f"The proxy proxy.test:{relay.port} answered {broken}" in said.reason


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_is_down(scheme: str) -> None:
    async def work() -> Any:
        told: dict[str, Any] = {"proxy": "http://proxy.test:9", "start": [f"{scheme}://home.test/"]}
        async with visiting({}, **told) as visitor:
            said = await visitor.visit(f"{scheme}://home.test/")
            assert visitor.wire.requests == 0
            return said

    said = run(work())
    assert isinstance(said, Deferred)
    assert (said.status, said.reason) == (985, "The proxy proxy.test:9 accepts no connection.")


def test_exceptions_go_directly(authority: Authority) -> None:
    home, relay = Place("http", "sub.home.test"), Relay()
    assert isinstance(through(relay, home, authority, proxy_exceptions=["home.test"]), Content)
    assert (len(home.heard), relay.heard) == (2, [])


def test_a_forbidden_site_is_not_asked_of_the_proxy(authority: Authority) -> None:
    """A site whose address may not be connected to may not be by way of the proxy either (fault S2)."""
    home, relay = Place("http", "home.test"), Relay()

    async def work() -> Any:
        told: dict[str, Any] = {"start": ["http://home.test/"], "network": ["public"]}
        async with relay.relaying(), visiting({}, proxy=relay.address, **told) as visitor:
            return await visitor.visit("http://other.test/")

    said = run(work())
    assert isinstance(said, Excluded)
    assert (said.status, relay.heard, home.heard) == (974, [], [])


def test_only_a_host_of_the_settings_is_left_to_the_proxy_to_resolve(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, relay = Place("http", "other.test"), Relay()

    async def work() -> Any:
        async with serving(home), relay.relaying(), visiting({}, proxy=relay.address, start=[home.origin]) as visitor:
            return await visitor.visit("http://sub.home.test/"), await visitor.visit(f"{home.origin}/")

    monkeypatch.setattr(farm, "NAMELESS", {"other.test", "sub.home.test"})
    strange, named = run(work())
    assert strange.status == 975
    assert isinstance(named, Content), named
    assert len(relay.heard) == 1
