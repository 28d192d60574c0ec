"""A web source: its seeds, its pace, and one visit over HTTP.

A temporary redirect is followed within the visit, to wherever it leads. What goes wrong at another site than the
resource's is then told of the resource alone: nobody can have a site left alone that is not theirs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

from cormorant.base.clock import Clock
from cormorant.egress.policy import AddressClass, Consent, classify
from cormorant.egress.resolve import literal
from cormorant.fetch.http import Fetcher
from cormorant.fetch.values import Answer, Fault, Request
from cormorant.model.address import Origin, origin_of
from cormorant.model.content import Content, Wire
from cormorant.model.outcome import Deferred, Excluded, Failed, Moved, Outcome, Unchanged
from cormorant.model.resource import Found, How, Removal, Resource, Role
from cormorant.model.status import Status
from cormorant.sources.protocol import Discovery
from cormorant.sources.web import exchange
from cormorant.sources.web.audit import differing, is_chosen
from cormorant.sources.web.exchange import Hop
from cormorant.sources.web.gates import WebGates
from cormorant.sources.web.recent import Recent
from cormorant.sources.web.robots import MAX_BODY, Reading, verdict_of_fetch
from cormorant.sources.web.settings import WebSettings
from cormorant.sources.web.turns import Sleep, Turns

MAX_HOPS = 10
ROBOTS_HOPS = 5
ROBOTS_BYTES = MAX_BODY + 1
"""So that one that is longer is known to be, and ends with a line."""
MAX_CRAWL_DELAY_S = 60.0
MOST_ELSEWHERE, MOST_ELSEWHERE_BYTES = 256, 16 << 20
"""Robots.txt files, and bytes of them, kept of origins that redirects led to."""
MAX_HOP_WAIT_S = 60.0
"""How long a visit waits for the turn of another site; where it would be longer the resource is tried again later."""
REST_ELSEWHERE_S = 60.0
"""How long another site is left alone that wants a rest and does not say how long."""
READ_AND_EXCLUDED = (
    Status.TYPE_EXCLUDED, Status.NOINDEX, Status.INDEX_RULES, Status.NO_CONVERTER, Status.NOT_HTML, Status.QUARANTINED,
)  # fmt: skip
"""What was read, or tried to be, and may not be found: with the same version it would end the same."""
_ACCEPT = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@dataclass(frozen=True, slots=True)
class WebPace:
    """How fast a host may be visited."""

    delay_s: float
    parallel: int


class _Rules(NamedTuple):
    """A robots.txt, and until when it holds (epoch seconds)."""

    body: bytes
    until: float


class _Home(NamedTuple):
    """Where a resource lives: its site, its origin, and the robots.txt that its visit was ruled by."""

    site: str
    origin: str
    robots: bytes | None


class WebSource:
    """Pages of web sites. Keeps nothing but the robots.txt and the turns of sites that redirects led to."""

    kind: ClassVar[str] = "web"
    discovery: ClassVar[Discovery] = Discovery.SEEDS

    def __init__(
        self, number: int, settings: WebSettings, fetcher: Fetcher | None, clock: Clock, sleep: Sleep = asyncio.sleep
    ) -> None:
        self.number, self.settings = number, settings
        self.next_cursor, self.unlisted = "", ()
        self.closed: Sequence[str] = ()
        self._starts = settings.starts()
        self.gates = WebGates(settings, self._starts)
        self.consent = Consent.of(settings.named_hosts, settings.network)
        self._fetcher, self._clock = fetcher, clock
        self._elsewhere: Recent[_Rules] = Recent(MOST_ELSEWHERE, MOST_ELSEWHERE_BYTES)
        self._asking: Recent[asyncio.Lock] = Recent(MOST_ELSEWHERE, 0)
        self._turns = Turns(clock, sleep)

    def discover(self, cursor: str) -> Iterator[Sequence[Found | Removal]]:  # noqa: ARG002 - seeds need none
        """Yield the start addresses."""
        for start in range(0, len(self._starts), 1000):
            some = self._starts[start : start + 1000]
            yield [Found(each, origin_of(each).site, 0, How.SEED, priority=0) for each in some]

    def display(self, address: str) -> str:
        """A page is shown where it was fetched."""
        return address

    def pace(self, site: str, facts: Mapping[str, bytes]) -> WebPace:
        """Public hosts are spared unless the settings say otherwise; a Crawl-delay that is slower is obeyed."""
        private = self._is_private(site)
        delay = self.settings.delay_s if self.settings.delay_s is not None else (0.0 if private else 1.0)
        if self.settings.crawl_delay == "obey" and self.settings.robots == "obey":
            for name, body in facts.items():
                asked = self.gates.robots_of(name.removeprefix("robots:"), body).crawl_delay if body else None
                delay = max(delay, min(asked or 0.0, MAX_CRAWL_DELAY_S))
        return WebPace(delay, self.settings.per_host or (4 if private else 1))

    def _is_private(self, site: str) -> bool:
        host, _, port = site.rpartition(":") if not site.endswith("]") and ":" in site else (site, "", "")
        if is_localhost(host or site):
            return True
        if self._fetcher is None:
            bare = (host or site).strip("[]")
            return literal(bare) is not None and classify(bare) is not AddressClass.PUBLIC
        ports = [int(port)] if port.isdigit() else [443, 80]
        found = [self._fetcher.class_of(host or site, each, self.consent) for each in ports]
        return any(each is not None and each is not AddressClass.PUBLIC for each in found)

    async def fetch(self, resource: Resource, wire: Wire) -> Content | Outcome:
        """Ask for a resource, conditionally when its copy is in use; follow temporary redirects, each in its turn."""
        address, chain = resource.address, [resource.address]
        home = await self._at_home(origin_of(address))
        if resource.role is Role.ROBOTS:
            return await self._robots(address, wire)
        conditions = _conditions(resource)
        while True:
            got = await self._get(address, wire, conditions if address == resource.address else ())
            said = self._said(got, address, conditional=bool(conditions) and address == resource.address)
            if not isinstance(said, Hop):
                if isinstance(said, Unchanged) and self.settings.hash_audit:
                    said = await self._audited(said, resource, home, wire)
                if not isinstance(said, Content):
                    return self._told(said, origin_of(address).site, home)
                # Another resource's validators would confirm what they know nothing of.
                return said if address == resource.address else replace(said, etag="", modified="")
            if said.target in chain or len(chain) > MAX_HOPS:
                return Failed(977, f"Redirects end nowhere: {' -> '.join(chain[-3:])} -> {said.target}")
            refused = await self._forbidden(said.target, home, wire)
            if refused is not None:
                return refused
            address = said.target
            chain.append(address)

    async def _at_home(self, origin: Origin) -> _Home:
        """Where a visit begins, in its turn: redirects of other visits, which no desk sees, may come before."""
        name = str(origin)
        body = self.gates.newest(name)
        await self._late(origin.site, {} if body is None else {f"robots:{name}": body}, origin.site)
        return _Home(origin.site, name, body)

    async def _audited(self, said: Unchanged, resource: Resource, home: _Home, wire: Wire) -> Unchanged | Content:
        """What a 304 is worth, if its turn has come to be checked: that, or the page that it should not have confirmed.

        Another answer than 200 says nothing about it, so that the 304 stands.
        """
        address, share = resource.address, self.settings.hash_audit
        if not resource.content_hash or not is_chosen(address, self._clock.now(), share):
            return said
        facts = {} if home.robots is None else {f"robots:{home.origin}": home.robots}
        await self._late(home.site, facts, home.site)
        before = wire.requests
        got = self._said(await self._get(address, wire, ()), address, conditional=False)
        wire.audits += wire.requests - before
        return (differing(got, resource.content_hash) or said) if isinstance(got, Content) else said

    def _told(self, said: Outcome, site: str, home: _Home) -> Outcome:
        """What came of asking `site`, told as it concerns the resource; another site that wants a rest gets it here."""
        if site == home.site:
            return said
        if isinstance(said, Deferred) and said.whole_site:
            self._turns.rest(site, min(said.wait_s or REST_ELSEWHERE_S, exchange.MAX_WAIT_ELSEWHERE_S))
        return exchange.elsewhere(said, site)

    def _said(self, got: Answer | Fault, address: str, *, conditional: bool) -> Content | Outcome | Hop:
        if isinstance(got, Fault):
            return exchange.of_fault(got)
        agent, now = self.settings.robots_agent, self._clock.now()
        return exchange.of_answer(got, address, now, conditional=conditional, agent=agent)

    async def _get(self, address: str, wire: Wire, conditions: tuple[str, ...], max_bytes: int = 0) -> Answer | Fault:
        """Send one request and count it."""
        if self._fetcher is None:
            raise LookupError("this source was built for discovery alone")
        settings, site = self.settings, origin_of(address).site

        def sent() -> None:
            wire.sent()
            self._turns.sent(site)

        got = await self._fetcher.get(
            Request(
                address, (_ACCEPT, *conditions), self.consent, sent, settings.agent_header,
                max_bytes or settings.max_size_bytes, bool(max_bytes) or settings.too_big == "cut",
                settings.timeout_s, settings.idle_timeout_s, settings.connect_timeout_s,
            )
        )  # fmt: skip
        wire.requests += got.requests
        wire.conditional += bool(conditions) and got.requests
        wire.received += got.received
        wire.decoded += got.decoded if isinstance(got, Answer) else 0
        return got

    async def _robots(self, address: str, wire: Wire) -> Content | Outcome:
        """Ask for a robots.txt, following at most five redirects, also to other hosts (RFC 9309 section 2.3.1.2).

        Without it nothing of its site may be visited, wherever it redirects: the site then rests, but what another host
        asks for does not make that long.
        """
        at, hops, site = address, 0, origin_of(address).site
        while True:
            got = await self._get(at, wire, (), ROBOTS_BYTES)
            if isinstance(got, Fault):
                return _unread(exchange.of_fault(got), redirected=at != address)
            said = exchange.of_answer(got, at, self._clock.now(), conditional=False, agent="")
            if not isinstance(said, Hop | Moved) or hops == ROBOTS_HOPS:
                break
            late = await self._late(origin_of(said.target).site, {}, site)
            if late is not None:
                return replace(late, whole_site=True, elsewhere=False)
            at, hops = said.target, hops + 1
        verdict = verdict_of_fetch(got.status)
        if verdict.reading is Reading.DISALLOW_ALL:
            wait = said.wait_s if isinstance(said, Deferred) else None
            if wait is not None and origin_of(at).site != site:
                wait = min(wait, exchange.MAX_WAIT_ELSEWHERE_S)
            return Deferred(got.status, verdict.because, wait, whole_site=True)
        body = got.body if verdict.reading is Reading.PARSE else b""
        return Content(address, body, "text/plain", validator=str(verdict.valid_s))

    async def _forbidden(self, target: str, home: _Home, wire: Wire) -> Outcome | None:
        """Why a redirect is not followed, None when it may be now: by robots.txt, and when its site's turn has come.

        The boundary is not asked for that hop.
        """
        if not target.startswith(("http://", "https://")):
            return Failed(1003, f"It redirects to {target}, which is not a web address.")
        origin, facts = origin_of(target), {}
        if self.settings.robots == "obey":
            body = home.robots if str(origin) == home.origin else None
            if body is None:
                rules = await self._rules(origin, home, wire)
                if not isinstance(rules, _Rules):
                    return rules
                body = rules.body
            ruling = self.gates.robots_ruling(str(origin), body, target)
            if not ruling.admitted:
                return Excluded(ruling, ruling.status)
            facts = {f"robots:{origin}": body}
        return await self._late(origin.site, facts, home.site)

    async def _rules(self, origin: Origin, home: _Home, wire: Wire) -> _Rules | Outcome:
        """The robots.txt of an origin that a redirect leads to; when no copy holds, one visit asks for it."""
        name = str(origin)
        asking = self._asking.get(name) or asyncio.Lock()
        self._asking.put(name, asking)
        async with asking:
            known = self._elsewhere.get(name)
            if known is not None and known.until > self._clock.now():
                return known
            late = await self._late(origin.site, {}, home.site)
            if late is not None:
                return late
            got = await self._robots(f"{origin}/robots.txt", wire)
            if not isinstance(got, Content):
                return self._told(got, origin.site, home)
            rules = _Rules(got.body, self._clock.now() + float(got.validator or 0))
            self._elsewhere.put(name, rules, len(got.body))
        return rules

    async def _late(self, site: str, facts: Mapping[str, bytes], home: str) -> Deferred | None:
        """Wait for the turn of a site that is to be asked; an outcome when it is another one and that takes too long.

        A visit waits for its own site as long as it must: the site's next visit waits for this one.
        """
        resting = self._turns.rests_s(site) if site != home else 0.0
        longest = MAX_HOP_WAIT_S if site != home else float("inf")
        wait = resting or await self._turns.take(site, self.pace(site, facts).delay_s, longest)
        if not wait:
            return None
        why = "wants to be left alone for a while" if resting else "has many to answer before"
        return Deferred(
            Status.SERVICE_UNAVAILABLE, f"It redirects to {site}, which {why}.",
            min(wait, exchange.MAX_WAIT_ELSEWHERE_S), elsewhere=True,
        )  # fmt: skip

    def fact(self, content: Content | Outcome, role: Role) -> tuple[str, bytes, float] | None:
        """A robots.txt holds for its origin, for as long as its verdict says."""
        if role is not Role.ROBOTS or not isinstance(content, Content):
            return None
        return f"robots:{origin_of(content.address)}", content.body, float(content.validator or 0)

    async def close(self) -> None:
        """The fetcher is the process's, not ours."""


def _unread(said: Outcome, *, redirected: bool) -> Outcome:
    """No usable answer came for a robots.txt: its site is closed for a while (RFC 9309 section 2.3.1.4).

    What is refused, or cannot be connected to or asked for at all, ends the visit that asked: that will not change.
    """
    unasked = exchange.NO_CONNECTION if redirected else (*exchange.NO_CONNECTION, Status.BAD_RELATIVE_ADDRESS)
    if isinstance(said, Failed) and said.status not in unasked:
        return Deferred(said.status, said.reason, None, whole_site=True)
    return said


def is_localhost(host: str) -> bool:
    """Is it a name of this machine, whoever is asked (RFC 6761 section 6.3)? Then it need not be resolved to know."""
    return ("." + host.rstrip(".").lower()).endswith(".localhost")


def _conditions(resource: Resource) -> tuple[str, ...]:
    """Header lines that make a request conditional (RFC 9110 section 13.1), when the copy they confirm is in use."""
    if not (resource.indexed or resource.status in READ_AND_EXCLUDED):
        return ()
    etag, modified = resource.etag, resource.modified
    if not (resource.indexed or etag or modified):
        etag, _, modified = resource.validator.partition("\n")  # of a page that never could be found
    lines = (f"If-None-Match: {etag}" if etag else "", f"If-Modified-Since: {modified}" if modified else "")
    return tuple(filter(None, lines))
