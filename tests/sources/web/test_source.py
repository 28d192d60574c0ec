"""One visit over HTTP: where redirects lead, at what pace, and whom a fault there concerns. No network, no waiting."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any, cast

import pytest

from cormorant.model.content import Content, Extraction, VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Failed, Outcome, OutcomeKind, Unchanged
from cormorant.model.resource import Resource, Role
from cormorant.net.egress.policy import AddressClass
from cormorant.net.http.client import Fetcher
from cormorant.net.http.messages import Request, Response, TransportError
from cormorant.sources.web import source as web
from cormorant.sources.web.auth.session import Session
from cormorant.sources.web.robots import MAX_BODY
from cormorant.sources.web.settings.web import WebSettings
from cormorant.sources.web.source import WebSource
from tests.crawl.samples import NEVER_SEEN
from tests.sources.web.farm import Known

DAY_S = 86_400.0
HOME, OTHER = "https://a.example", "https://b.example"
PAGE = NEVER_SEEN._replace(address=f"{HOME}/page")
REFUSED = TransportError(906, "refused", retryable=True, whole_site=True)


class Still:
    """A clock that goes on only when somebody sleeps by it."""

    def __init__(self) -> None:
        self.at = 1000.0
        self.shift = 0.0

    def now(self) -> float:
        return self.at + self.shift

    def monotonic(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.at += seconds


class Net:
    """Says what a test tells it, 200 where it was told nothing, and notes when it was asked."""

    def __init__(self, clock: Still, says: dict[str, Response | TransportError]) -> None:
        self.clock, self.says = clock, says
        self.asked: list[tuple[str, float]] = []
        self.headers: list[tuple[str, ...]] = []

    async def get(self, request: Request) -> Response | TransportError:
        self.asked.append((request.url, self.clock.at))
        self.headers.append(request.headers)
        none = "robots.txt" in request.url
        return self.says.get(request.url) or answer(404 if none else 200)

    def class_of(self, *_: object) -> AddressClass | None:
        return AddressClass.PUBLIC

    def apart(self) -> Net:
        return self


def answer(status: int, body: bytes = b"", **headers: str) -> Response:
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return Response(status, f"HTTP/1.1 {status} Said", lines.encode(), body, 0)


def to(address: str) -> Response:
    return answer(302, Location=address)


class Visits:
    """A source on such a net, with the robots.txt of its own site as its gates have just read it."""

    def __init__(self, says: dict[str, Response | TransportError] | Net, robots: bytes = b"", **settings: Any) -> None:
        self.net = says if isinstance(says, Net) else Net(Still(), says)
        self.clock = self.net.clock
        given = WebSettings.model_validate({"start": [HOME], **settings})
        session = Session(3, given, Known({"s": "secret"}))
        self.source = WebSource(3, given, cast("Fetcher", self.net), self.clock, self.clock.sleep, session=session)
        self.robots = robots

    def fetch(self, resource: Resource = PAGE) -> Content | Outcome:
        if resource.role is Role.DOCUMENT:
            self.source.gates.visit(resource, {f"robots:{HOME}": self.robots})
        return asyncio.run(self.source.fetch(resource, VisitTrace()))

    @property
    def waits(self) -> list[tuple[str, float]]:
        """What was asked for, and how long after the first request."""
        return [(address, at - 1000.0) for address, at in self.net.asked]


@pytest.mark.parametrize("failing", ["/robots.txt", "/x"])
@pytest.mark.parametrize("status", [429, 503])
def test_another_site_that_wants_a_rest_does_not_get_it_for_ours(failing: str, status: int) -> None:
    busy = answer(status, Retry_After="86400")
    got = Visits({PAGE.address: to(f"{OTHER}/x"), OTHER + failing: busy}).fetch()
    assert isinstance(got, Deferred)
    assert (got.status, got.whole_site, got.elsewhere, got.wait_s) == (status, False, True, 3600.0)
    assert "b.example" in got.reason


@pytest.mark.parametrize("failing", ["/robots.txt", "/x"])
def test_another_site_that_is_down_is_no_failure_of_ours(failing: str) -> None:
    got = Visits({PAGE.address: to(f"{OTHER}/x"), OTHER + failing: REFUSED}).fetch()
    assert isinstance(got, Failed)
    assert (got.status, got.elsewhere) == (906, True)
    slow = Visits({PAGE.address: to(f"{OTHER}/x"), OTHER + failing: TransportError(902, "slow", True, True)}).fetch()
    assert isinstance(slow, Deferred)
    assert (slow.whole_site, slow.elsewhere) == (False, True)


@pytest.mark.parametrize("target", [f"{HOME}/x", "http://a.example/x"])
def test_our_own_site_gets_its_rest_behind_a_redirect_too(target: str) -> None:
    got = Visits({PAGE.address: to(target), target: answer(503, Retry_After="7200")}).fetch()
    assert got == Deferred(503, "The server answered 503.", 7200.0, whole_site=True)


def test_another_site_that_wants_a_rest_is_left_alone_by_every_redirect() -> None:
    visits = Visits({PAGE.address: to(f"{OTHER}/x"), f"{OTHER}/robots.txt": answer(503, Retry_After="600")})
    visits.fetch()
    asked = len(visits.net.asked)
    visits.clock.at += 1
    again = visits.fetch()
    assert isinstance(again, Deferred)
    assert (again.whole_site, again.elsewhere, again.wait_s) == (False, True, 599.0)
    assert [address for address, _ in visits.net.asked[asked:]] == [PAGE.address]
    visits.clock.at += 600
    del visits.net.says[f"{OTHER}/robots.txt"]
    assert isinstance(visits.fetch(), Content)


def test_a_robots_txt_that_redirects_to_a_failing_host_rests_its_site_an_hour_at_the_most() -> None:
    ours = PAGE._replace(address=f"{HOME}/robots.txt", role=Role.ROBOTS)
    says: dict[str, Response | TransportError] = {
        ours.address: to(f"{OTHER}/r"),
        f"{OTHER}/r": answer(503, Retry_After="86400"),
    }
    got = Visits(says).fetch(ours)
    assert isinstance(got, Deferred)
    assert (got.whole_site, got.wait_s) == (True, 3600.0)


def test_hops_on_one_site_keep_its_pace() -> None:
    chain = [PAGE.address, *(f"{HOME}/{n}" for n in range(9))]
    visits = Visits({one: to(other) for one, other in pairwise(chain)})
    assert isinstance(visits.fetch(), Content)
    assert visits.waits == [(address, float(n)) for n, address in enumerate(chain)]


class Bounces(Net):
    """A server that has a page only for who brings a cookie back: it sets one there, or elsewhere if it is told so."""

    beside, path, status = "", "/", 302

    async def get(self, request: Request) -> Response | TransportError:
        got = await super().get(request)
        if request.url == PAGE.address and "Cookie: seen=1" in request.headers:
            return got
        if request.url == PAGE.address and self.beside:
            return to(self.beside)
        return answer(self.status, Location=PAGE.address, Set_Cookie=f"seen=1; Path={self.path}")


class Rotates(Net):
    """A server that sets another cookie each time, and never has enough of it."""

    async def get(self, request: Request) -> Response | TransportError:
        await super().get(request)
        return answer(302, Location=PAGE.address, Set_Cookie=f"at={len(self.asked)}")


@pytest.mark.parametrize("status", [301, 302])
@pytest.mark.parametrize("beside", ["", f"{HOME}/setcookie"])
@pytest.mark.parametrize(
    ("path", "cookies", "had"), [("/", "on", True), ("/elsewhere/", "on", False), ("/", "off", False)]
)
def test_a_page_that_sets_a_cookie_and_asks_to_be_asked_again_is_had(
    beside: str, path: str, cookies: str, had: bool, status: int
) -> None:
    net = Bounces(Still(), {})
    net.beside, net.path, net.status = beside, path, 302 if beside else status
    visits = Visits(net, cookies=cookies)
    said = visits.fetch()
    chain = [PAGE.address, *filter(None, [beside]), *([PAGE.address] if had else [])]
    assert visits.waits == [(address, float(n)) for n, address in enumerate(chain)]
    assert isinstance(said, Content if had else Failed)
    assert had or getattr(said, "status", 0) == 977


def test_a_redirect_to_itself_with_ever_other_cookies_comes_to_an_end() -> None:
    visits = Visits(Rotates(Still(), {}))
    said = visits.fetch()
    assert isinstance(said, Failed)
    assert (said.status, len(visits.waits)) == (977, 1 + web.MAX_HOPS)


def test_a_crawl_delay_of_our_own_robots_txt_holds_for_hops() -> None:
    visits = Visits({PAGE.address: to(f"{HOME}/x")}, robots=b"User-agent: *\nCrawl-delay: 20\nDisallow: /no\n")
    visits.fetch()
    assert visits.waits == [(PAGE.address, 0.0), (f"{HOME}/x", 20.0)]
    visits.net.says[PAGE.address] = to(f"{HOME}/no")
    assert isinstance(visits.fetch(), Excluded)


def test_a_crawl_delay_holds_for_the_answer_to_a_digest_too() -> None:
    asks = answer(401, WWW_Authenticate='Digest realm="r", nonce="n"')
    visits = Visits(
        {PAGE.address: asks}, robots=b"User-agent: *\nCrawl-delay: 20\n", credentials=[f"{HOME} digest me secret:s"]
    )
    assert isinstance(visits.fetch(), Failed)
    assert visits.waits == [(PAGE.address, 0.0), (PAGE.address, 20.0)]


def test_another_site_is_asked_at_its_own_pace() -> None:
    rules = answer(200, b"User-agent: *\nCrawl-delay: 5\n")
    visits = Visits({PAGE.address: to(f"{OTHER}/x"), f"{OTHER}/robots.txt": rules})
    visits.fetch()
    visits.fetch()
    assert visits.waits == [
        (PAGE.address, 0.0), (f"{OTHER}/robots.txt", 0.0), (f"{OTHER}/x", 5.0),
        (PAGE.address, 5.0), (f"{OTHER}/x", 10.0),
    ]  # fmt: skip


def test_redirects_of_a_robots_txt_keep_the_pace() -> None:
    ours = PAGE._replace(address=f"{HOME}/robots.txt", role=Role.ROBOTS)
    visits = Visits({ours.address: to(f"{HOME}/r"), f"{HOME}/r": answer(301, Location=f"{OTHER}/r")})
    assert isinstance(visits.fetch(ours), Content)
    assert visits.waits == [(ours.address, 0.0), (f"{HOME}/r", 1.0), (f"{OTHER}/r", 1.0)]


def test_nobody_waits_longer_than_a_minute_for_another_site() -> None:
    visits = Visits({PAGE.address: to(f"{OTHER}/x")}, delay_s=90)
    got = visits.fetch()
    assert isinstance(got, Deferred)
    assert (got.wait_s, got.elsewhere) == (90.0, True)
    assert [address for address, _ in visits.waits] == [PAGE.address, f"{OTHER}/robots.txt"]
    visits.clock.at += 90
    assert isinstance(visits.fetch(), Content)


def test_what_is_kept_of_other_sites_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "MOST_ELSEWHERE", 2)
    others = [f"https://{name}.example" for name in "bcd"]
    visits = Visits({f"{HOME}/{n}": to(f"{other}/x") for n, other in enumerate(others)})
    for number in (0, 1, 2, 2, 0):
        visits.fetch(PAGE._replace(address=f"{HOME}/{number}"))
    robots = [address for address, _ in visits.waits if address.endswith("/robots.txt")]
    assert robots == [f"{other}/robots.txt" for other in [*others, others[0]]]


@pytest.mark.parametrize("shift", [0.0, -400 * DAY_S, 400 * DAY_S])
def test_rules_of_another_site_hold_for_a_day_whatever_the_clock_shows(shift: float) -> None:
    visits = Visits({PAGE.address: to(f"{OTHER}/x")})
    visits.clock.shift = 1e9
    visits.fetch()
    visits.clock.shift += shift
    visits.clock.at += DAY_S - 60
    visits.fetch()
    assert sum(address == f"{OTHER}/robots.txt" for address, _ in visits.net.asked) == 1
    visits.clock.at += 120
    visits.fetch()
    assert sum(address == f"{OTHER}/robots.txt" for address, _ in visits.net.asked) == 2


@pytest.mark.parametrize("host", ["localhost", "localhost:8080", "wiki.localhost", "a.b.localhost:81", "localhost."])
def test_names_of_this_machine_have_its_pace_before_anybody_resolved_them(host: str) -> None:
    source = Visits({}).source
    for site in (host, "127.0.0.1"):
        bare = WebSource(3, source.settings, None, Still())
        assert (bare.pace(site, {}).delay_s, bare.pace(site, {}).parallel) == (0.0, 4)
    assert (source.pace(host, {}).delay_s, source.pace(host, {}).parallel) == (0.0, 4)


@pytest.mark.parametrize("host", ["localhost.example", "notlocalhost", "a.example", "[2001:4860::8888]:8080"])
def test_other_names_are_public_until_they_were_resolved(host: str) -> None:
    pace = Visits({}).source.pace(host, {})
    assert (pace.delay_s, pace.parallel) == (1.0, 1)


def test_validators_belong_to_the_address_they_came_from() -> None:
    said = answer(200, b"<p>x", ETag='"1"', Last_Modified="Mon, 02 Nov 2026 10:00:00 GMT")
    direct = Visits({PAGE.address: said}).fetch()
    assert isinstance(direct, Content)
    assert (direct.etag, bool(direct.modified)) == ('"1"', True)
    redirected = Visits({PAGE.address: to(f"{HOME}/x"), f"{HOME}/x": said}).fetch()
    assert isinstance(redirected, Content)
    assert (redirected.body, redirected.etag, redirected.modified) == (b"<p>x", "", "")


@pytest.mark.parametrize(
    ("status", "lines"), [(971, 2), (962, 2), (973, 2), (1001, 2), (981, 2), (970, 0), (964, 0), (200, 0), (404, 0)]
)
def test_what_was_read_and_excluded_is_asked_for_conditionally(status: int, lines: int) -> None:
    never_found = PAGE._replace(status=status, outcome=int(OutcomeKind.EXCLUDED), validator='"1"\nMon, 02 Nov 2026')
    visits = Visits({})
    visits.fetch(never_found)
    assert len(visits.net.headers[-1]) == 1 + lines
    found = PAGE._replace(status=200, indexed=True, etag="", modified="", validator='"1"\n')
    visits.fetch(found)
    assert len(visits.net.headers[-1]) == 1, "its validators are elsewhere"


KNOWN = PAGE._replace(status=200, indexed=True, etag='"1"')
ROBOTS = PAGE._replace(address=f"{HOME}/robots.txt", role=Role.ROBOTS)


@pytest.mark.parametrize(
    ("tag", "rule"),
    [
        ("noindex", "X-Robots-Tag: noindex"),
        ("None", "X-Robots-Tag: none"),
        ("Acme: nofollow, noindex", "X-Robots-Tag: noindex"),
        ("max-image-preview:large, noindex", "X-Robots-Tag: noindex"),
        ("max-video-preview: -1, noindex", "X-Robots-Tag: noindex"),
    ],
)
def test_a_304_may_forbid_what_it_confirms(tag: str, rule: str) -> None:
    got = Visits({PAGE.address: answer(304, X_Robots_Tag=tag)}, robots_agent="acme").fetch(KNOWN)
    assert isinstance(got, Excluded)
    assert (got.status, got.ruling.status, got.ruling.rule) == (971, 971, rule)
    assert not got.ruling.lasting, "the next 304 may leave the header out"


@pytest.mark.parametrize(
    ("tag", "meta", "lasting"),
    [("noindex", "", False), ("none", "noindex", False), ("nofollow", "noindex", True), ("nosnippet", "none", True)],
)
def test_only_the_page_itself_is_confirmed_by_a_304(tag: str, meta: str, lasting: bool) -> None:
    visits = Visits({PAGE.address: answer(200, X_Robots_Tag=tag)})
    got = visits.fetch()
    assert isinstance(got, Content)
    said = visits.source.gates.index(got, Extraction("text", directives=(meta,)))
    assert (said.admitted, said.status, said.lasting) == (False, 971, lasting)


@pytest.mark.parametrize("tag", ["", "nofollow", "otherbot: noindex"])
def test_a_304_that_forbids_us_nothing_confirms(tag: str) -> None:
    said = answer(304, X_Robots_Tag=tag) if tag else answer(304)
    assert Visits({PAGE.address: said}, robots_agent="acme").fetch(KNOWN) == Unchanged()
    unasked = Visits({PAGE.address: said}).fetch(PAGE)
    assert isinstance(unasked, Failed)
    assert unasked.status == 1005


@pytest.mark.parametrize("tag", ["max-image-preview:large, noindex", "max-video-preview: -1, noindex"])
def test_a_directive_with_a_value_is_no_agent(tag: str) -> None:
    got = Visits({PAGE.address: answer(200, X_Robots_Tag=tag)}).fetch()
    assert isinstance(got, Content)
    assert got.directives == tuple(tag.split(", "))


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (501, OutcomeKind.FAILED), (505, OutcomeKind.FAILED), (400, OutcomeKind.FAILED),
        (408, OutcomeKind.DEFERRED), (500, OutcomeKind.DEFERRED), (502, OutcomeKind.DEFERRED),
    ],
)  # fmt: skip
def test_what_a_server_does_not_do_it_will_not_do_the_next_time(status: int, kind: OutcomeKind) -> None:
    got = Visits({PAGE.address: answer(status)}).fetch()
    assert isinstance(got, Failed | Deferred)
    assert (got.kind, got.status) == (kind, status)


class Short(Net):
    """Gives no more of a body than was asked for."""

    async def get(self, request: Request) -> Response | TransportError:
        got = await super().get(request)
        return answer(got.status, got.body[: request.max_bytes]) if isinstance(got, Response) else got


def test_a_robots_txt_that_is_cut_within_a_rule_forbids_no_more_than_it_says() -> None:
    start = b"User-agent: *\nDisallow: /no\n"
    body = start + b"#" * (MAX_BODY - len(start) - len(b"\nDisallow: /")) + b"\nDisallow: /tmp/a\n"
    assert body[:MAX_BODY].endswith(b"\nDisallow: /")
    visits = Visits({})
    visits.source._fetcher = cast("Fetcher", Short(visits.clock, {ROBOTS.address: answer(200, body)}))
    got = visits.fetch(ROBOTS)
    assert isinstance(got, Content)
    gates = visits.source.gates
    assert gates.robots_ruling(HOME, got.body, f"{HOME}/page").admitted
    assert not gates.robots_ruling(HOME, got.body, f"{HOME}/no").admitted


def test_a_site_whose_robots_txt_brings_no_usable_answer_is_closed_for_a_while() -> None:
    assert Visits({ROBOTS.address: TransportError(1005, "garbled")}).fetch(ROBOTS) == Deferred(
        1005, "garbled", None, whole_site=True
    )
    assert Visits({ROBOTS.address: REFUSED}).fetch(ROBOTS) == Failed(906, "refused")


def test_a_site_that_cannot_even_be_asked_is_not_waited_for() -> None:
    unaskable = TransportError(1004, "The address cannot be asked for.")
    assert Visits({ROBOTS.address: unaskable}).fetch(ROBOTS) == Failed(1004, unaskable.reason)
    away = "https://b.example../robots.txt"
    got = Visits({ROBOTS.address: to(away), away: unaskable}).fetch(ROBOTS)
    assert isinstance(got, Deferred), "its own site was asked, and would be for every page of it"
    assert (got.status, got.whole_site) == (1004, True)
