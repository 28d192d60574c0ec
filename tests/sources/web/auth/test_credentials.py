"""Who is told who we are? Each kind of proof, on each way to another origin, against real servers."""

from __future__ import annotations

import base64
import hashlib
import re
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from cormorant.base.clock import SystemClock
from cormorant.base.errors import BadSetting
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Failed, Moved
from cormorant.model.resource import Role
from cormorant.model.settings.source import parse_settings
from cormorant.model.url import canonical, origin_of
from cormorant.net.http import connection_options
from cormorant.sources.web.auth.credentials import WebAccess, is_excepted
from cormorant.sources.web.auth.session import Session
from cormorant.sources.web.settings.web import WebSettings
from cormorant.sources.web.source import WebSource
from tests.crawl.samples import NEVER_SEEN
from tests.net.http.servers import run
from tests.sources.web.farm import Authority, Heard, Known, Place, Said, Visitor, serving, visiting, wants_digest

CANARY = "canary-4711"
STATUSES = (301, 302, 303, 307, 308)
KINDS = ("basic", "digest", "bearer", "field", "header", "cookie", "certificate")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(trustme.CA(), tmp_path_factory.mktemp("authority"))


def settings(kind: str, at: Place, authority: Authority) -> dict[str, Any]:
    """What proves who we are at one place, and nothing else."""
    proofs = {
        "basic": ("credentials", f"{at.origin} basic canary secret:canary"),
        "digest": ("credentials", f"{at.origin} digest canary secret:canary"),
        "bearer": ("credentials", f"{at.origin} bearer secret:canary"),
        "field": ("credentials", f"{at.origin} header X-Api-Key secret:canary"),
        "header": ("headers", f"{at.origin} X-Tenant: secret:canary"),
        "certificate": ("client_certificate", f"{at.origin} {authority.client()}"),
    }
    name, entry = proofs.get(kind, ("cookies", "on"))
    value = entry if name == "cookies" else [entry]
    return {"start": [f"{at.origin}/"], "ca": [authority.file], name: value}


def tells(heard: Heard) -> bool:
    """Does a request tell who we are, in any form?"""
    forms = (CANARY.encode(), base64.b64encode(f"canary:{CANARY}".encode()), b'username="canary"')
    return heard.certificate or any(form in heard.head for form in forms)


class Ways(NamedTuple):
    """The place that is told, and the others that a redirect leads to."""

    home: Place
    others: tuple[Place, ...]


def ways(scheme: str) -> Ways:
    """Another port, host, domain above, and the other scheme."""
    other = "http" if scheme == "https" else "https"
    home = Place(scheme, "home.test" if scheme == "http" else "sub.home.test")
    return Ways(home, (
        Place(scheme, home.host), Place(scheme, "other.test"), Place(other, home.host), Place(other, "other.test"),
        Place(scheme, "sub.home.test" if home.host == "home.test" else "home.test"),
    ))  # fmt: skip


def lay_out(home: Place, others: tuple[Place, ...]) -> Iterator[str]:
    """Have the home redirect to every other place with every status; yields the addresses that do."""
    home.says["/"] = Said(headers=(f"Set-Cookie: sid={CANARY}; Path=/",))
    for number, other in enumerate(others):
        for status in STATUSES:
            path = f"/to/{number}/{status}"
            home.says[path] = Said(status, (f"Location: {other.origin}/at{path}",))
            yield home.origin + path


async def followed(visitor: Visitor, address: str) -> object:
    """What a visit ends as; one that says that it moved is followed by a visit there, as in a crawl."""
    said = await visitor.visit(address)
    return await visitor.visit(said.target) if isinstance(said, Moved) else said


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("kind", KINDS)
def test_no_proof_leaves_its_origin(kind: str, scheme: str, authority: Authority) -> None:
    if (kind, scheme) == ("certificate", "http"):
        pytest.skip("certificates are of TLS")
    home, others = ways(scheme)

    async def work() -> int:
        async with serving(home, *others, authority=authority):
            addresses = list(lay_out(home, others))
            if kind == "digest":
                home.says["/"] = wants_digest("canary", CANARY, ["first"])
            async with visiting({"canary": CANARY}, **settings(kind, home, authority)) as visitor:
                assert isinstance(await visitor.visit(f"{home.origin}/"), Content)
                for address in addresses:
                    assert isinstance(await followed(visitor, address), Content)
                for other in others:
                    await visitor.visit(f"{other.origin}/robots.txt", Role.ROBOTS)
            return len(addresses)

    visits = run(work())
    assert visits == len(others) * len(STATUSES)
    told = [each for each in home.heard if tells(each)]
    assert len(told) >= visits, "where it is meant to be told, it is"
    outside = [each for other in others for each in other.heard]
    assert len(outside) >= visits + len(others)
    assert [each for each in outside if tells(each)] == []


def test_a_path_is_the_border_too() -> None:
    home = Place("http", "home.test")

    async def work() -> None:
        async with serving(home):
            entries = [f"{home.origin}/team basic canary secret:canary", f"{home.origin}/team/b bearer secret:other"]
            async with visiting(
                {"canary": CANARY, "other": "t0k3n"}, start=[home.origin], credentials=entries
            ) as visitor:
                for path in (
                    "/",
                    "/teams",
                    "/team",
                    "/team/a?x=/team/b",
                    "/team/b/c",
                    "/robots.txt",
                    "/%74eam/x",
                    "/x/../team/d",
                ):
                    await visitor.visit(home.origin + path)

    run(work())
    basic = "Basic " + base64.b64encode(f"canary:{CANARY}".encode()).decode()
    assert [(each.path, each.field("Authorization")) for each in home.heard] == [
        ("/", ""), ("/teams", ""), ("/team", basic), ("/team/a?x=/team/b", basic), ("/team/b/c", "Bearer t0k3n"),
        ("/robots.txt", ""), ("/%74eam/x", ""), ("/x/../team/d", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("https://wiki.example/", True), ("https://wiki.example:443/", True), ("http://wiki.example/", False),
        ("http://wiki.example:443/", False), ("https://wiki.example:80/", False), ("https://wiki.example./", False),
        ("https://a.wiki.example/", False), ("https://wiki.example.org/", False), ("https://xwiki.example/", False),
    ],
)  # fmt: skip
def test_an_origin_is_scheme_host_and_port(address: str, told: bool) -> None:
    settings = parse_settings(WebSettings, {
        "start": ["https://wiki.example/"], "headers": ["X-Key: secret:canary"],
        "credentials": ["https://wiki.example bearer secret:canary"],
    })  # fmt: skip
    access = WebAccess(settings, settings.starts(), Known({"canary": CANARY}).reveal)
    there = canonical(address)
    assert len(access.offer(origin_of(there), there).lines) == (2 if told else 0)


def test_digest_goes_on_with_its_nonce_and_takes_a_newer_one() -> None:
    home, nonces = Place("http", "home.test"), ["first"]
    home.says = dict.fromkeys(("/a", "/b", "/c"), wants_digest("canary", CANARY, nonces))

    async def work() -> None:
        async with serving(home):
            entry = f"{home.origin} digest canary secret:canary"
            async with visiting({"canary": CANARY}, start=[home.origin], credentials=[entry]) as visitor:
                assert isinstance(await visitor.visit(f"{home.origin}/a"), Content)
                assert visitor.wire.requests == 2
                assert isinstance(await visitor.visit(f"{home.origin}/b"), Content)
                assert visitor.wire.requests == 1
                nonces.append("second")
                assert isinstance(await visitor.visit(f"{home.origin}/c"), Content)
                assert visitor.wire.requests == 2

    run(work())
    counts = [re.findall(r"nc=0000000(\d)", each.field("Authorization")) for each in home.heard]
    assert counts == [[], ["1"], ["2"], ["3"], ["1"]]


@pytest.mark.parametrize("scheme", ["basic", "digest"])
def test_a_wrong_password_is_not_tried_for_ever(scheme: str) -> None:
    home = Place("http", "home.test")
    if scheme == "digest":
        home.says["/"] = wants_digest("canary", "another", ["first"])
    else:
        home.says["/"] = Said(401, ('WWW-Authenticate: Basic realm="x"',))

    async def work() -> Any:
        async with serving(home):
            entry = f"{home.origin} {scheme} canary secret:canary"
            async with visiting({"canary": CANARY}, start=[home.origin], credentials=[entry]) as visitor:
                return await visitor.visit(f"{home.origin}/")

    said = run(work())
    assert isinstance(said, Failed)
    assert said.status == 401
    assert f"Offered was: {scheme} as canary by secret:canary at {home.origin}. It asks for {scheme}." in said.reason
    assert CANARY not in said.reason
    assert len(home.heard) == (1 if scheme == "basic" else 2)


def test_two_sources_share_no_connection_and_no_cookie(authority: Authority) -> None:
    home = Place("https", "home.test")
    home.says["/"] = Said(headers=("Set-Cookie: sid=mine",))

    async def work() -> None:
        async with serving(home, authority=authority):
            given: dict[str, Any] = {"start": [home.origin], "ca": [authority.file]}
            async with visiting({}, client_certificate=[authority.client()], **given) as first:
                assert isinstance(await first.visit(f"{home.origin}/"), Content)
                async with visiting({}, **given) as second:
                    assert isinstance(await second.visit(f"{home.origin}/"), Content)
                assert isinstance(await first.visit(f"{home.origin}/"), Content)

    run(work())
    assert [each.certificate for each in home.heard] == [True, False, True]
    assert [each.field("Cookie") for each in home.heard] == ["", "", "sid=mine"]


def test_one_process_gives_every_source_connections_of_its_own(authority: Authority) -> None:
    """Sources of one process begin with one fetcher: what was shown on a connection must not hold for another."""
    home = Place("https", "home.test")

    async def work() -> None:
        async with serving(home, authority=authority):
            given: dict[str, Any] = {
                "start": [home.origin],
                "ca": [authority.file],
                "network": ["loopback"],
                "delay_s": "0",
            }
            async with visiting({}, client_certificate=[authority.client()], **given) as first:
                await first.visit(f"{home.origin}/")
                told = parse_settings(WebSettings, given)
                second = WebSource(2, told, first.fetcher, SystemClock(), session=Session(2, told, Known({})))
                await second.fetch(NEVER_SEEN._replace(address=f"{home.origin}/"), VisitTrace())
                await second.close()
                plain = parse_settings(WebSettings, {**given, "ca": []})
                third = WebSource(3, plain, first.fetcher, SystemClock(), session=Session(3, plain, Known({})))
                said = await third.fetch(NEVER_SEEN._replace(address=f"{home.origin}/"), VisitTrace())
                assert isinstance(said, Failed)
                assert said.status == 976, "what another source trusts is not trusted"

    run(work())
    assert [each.certificate for each in home.heard] == [True, False]


def test_the_passphrase_of_a_key_may_have_any_letter(authority: Authority, tmp_path: Path) -> None:
    home, phrase = Place("https", "home.test"), "geheim-ü"
    issued = authority.ca.issue_cert("crawler.test")
    key = load_pem_private_key(issued.private_key_pem.bytes(), None)
    sealed = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(phrase.encode()))
    file = tmp_path / "client.pem"
    file.write_bytes(sealed + issued.cert_chain_pems[0].bytes())

    async def work() -> None:
        async with serving(home, authority=authority):
            told: dict[str, Any] = {"client_certificate": [f"{home.origin} {file} secret:p"], "ca": [authority.file]}
            async with visiting({"p": phrase}, start=[home.origin], **told) as visitor:
                said = await visitor.visit(f"{home.origin}/")
                assert isinstance(said, Content), said

    run(work())
    assert [each.certificate for each in home.heard] == [True]


class TestTrust:
    """TLS is verified; what is trusted besides the system's authorities is said."""

    def ends(self, home: Place, authority: Authority, **given: Any) -> Any:
        async def work() -> Any:
            async with serving(home, authority=authority):
                told: dict[str, Any] = {
                    name: [each.replace("HOME", home.origin) for each in value] for name, value in given.items()
                }
                async with visiting({}, start=[home.origin], **told) as visitor:
                    return await visitor.visit(f"{home.origin}/")

        return run(work())

    def test_an_own_authority(self, authority: Authority) -> None:
        assert isinstance(self.ends(Place("https", "home.test"), authority, ca=[authority.file]), Content)

    def test_without_it_nothing_is_sent(self, authority: Authority) -> None:
        home = Place("https", "home.test")
        said = self.ends(home, authority)
        assert isinstance(said, Failed)
        assert (said.status, home.heard) == (976, [])

    def test_another_authority_is_not_enough(self, authority: Authority, tmp_path: Path) -> None:
        said = self.ends(Place("https", "home.test"), authority, ca=[Authority(trustme.CA(), tmp_path).file])
        assert isinstance(said, Failed)
        assert said.status == 976

    def test_the_systems_authorities_stay_trusted_beside_it(
        self, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Where the system has a file of them it may have a folder as well, in which nobody finds anything by name."""
        found = ssl.get_default_verify_paths()._replace(cafile=authority.file, capath=str(tmp_path))
        monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: found)
        connection_options._system_authorities.cache_clear()
        try:
            said = self.ends(Place("https", "home.test"), authority, ca=[Authority(trustme.CA(), tmp_path).file])
        finally:
            connection_options._system_authorities.cache_clear()
        assert isinstance(said, Content), said

    @pytest.mark.parametrize(("pin", "kind"), [("right", Content), ("wrong", Failed)])
    def test_a_fingerprint_instead_of_an_authority(self, authority: Authority, pin: str, kind: type) -> None:
        home = Place("https", "home.test")
        own = authority.ca.issue_cert("elsewhere.test")
        spki = x509.load_pem_x509_certificate(own.cert_chain_pems[0].bytes()).public_key()
        digest_of = hashlib.sha256(spki.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        own.configure_cert(context)

        class Odd(Authority):
            def server(self, *names: str) -> ssl.SSLContext:
                return context

        pinned = digest_of if pin == "right" else "0" * 64
        said = self.ends(home, Odd(authority.ca, authority.folder), ca=[f"HOME sha256:{pinned}"])
        assert isinstance(said, kind), said
        assert len(home.heard) == (pin == "right")


def test_a_secret_that_cannot_be_sent_is_not_told() -> None:
    async def work() -> Any:
        async with serving(Place("http", "home.test")) as _:
            entry = "http://home.test bearer secret:canary"
            async with visiting(
                {"canary": f"{CANARY}\nX: y"}, start=["http://home.test"], credentials=[entry]
            ) as visitor:
                await visitor.visit("http://home.test/")

    with pytest.raises(BadSetting, match="enter it again") as raised:
        run(work())
    assert CANARY not in raised.value.sentence


PROXY = "http://proxy.example:3128"


@pytest.mark.parametrize(
    ("given", "named", "identifies"),
    [
        ({}, "", False),
        ({"proxy": PROXY}, "by proxy", False),
        ({"certificate": True}, "client certificate", True),
        ({"proxy": PROXY, "certificate": True}, "by proxy", True),
        ({"proxy": PROXY, "credentials": ["https://a.test bearer secret:canary"]}, "bearer", True),
    ],
)  # fmt: skip
def test_a_proxy_alone_says_nothing_of_who_asks(
    given: dict[str, Any], named: str, identifies: bool, authority: Authority
) -> None:
    if given.pop("certificate", False):
        given = given | {"client_certificate": [f"https://a.test {authority.client()}"]}
    settings = parse_settings(WebSettings, {"start": ["https://a.test/"], **given})
    offer = WebAccess(settings, settings.starts(), Known({"canary": CANARY}).reveal).offer(
        origin_of("https://a.test/"), "https://a.test/"
    )
    assert (offer.said.startswith(named), offer.identifies) == (True, identifies)


@pytest.mark.parametrize(
    ("host", "through"),
    [
        ("intra.example", True), ("wiki.intra.example", True), ("xintra.example", False), ("10.1.2.3", True),
        ("11.1.2.3", False), ("[fd00::1]", True), ("a.local", True), ("local", True), ("example", False),
    ],
)  # fmt: skip
def test_who_is_reached_without_the_proxy(host: str, through: bool) -> None:
    assert is_excepted(host, ("intra.example", ".local", "10.0.0.0/8", "fd00::/8")) is through
