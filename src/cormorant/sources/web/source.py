"""A web source: its seeds, its pace, and one visit over HTTP.

A temporary redirect is followed within the visit, to wherever it leads. A fault at another site than the resource's
then counts for the resource alone: otherwise a page could have the site of a stranger deferred.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple

from msgspec.structs import replace

from cormorant.base import run_context
from cormorant.base.clock import Clock
from cormorant.base.log import logger
from cormorant.base.lru_cache import LruCache
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Failed, Moved, Outcome, OutcomeKind, Unchanged
from cormorant.model.pace import Pace
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl, Removal, Resource, Role
from cormorant.model.status import Status
from cormorant.model.text.sampling import is_chosen
from cormorant.model.url import Origin, origin_of
from cormorant.net.egress.policy import AddressClass, Consent, classify
from cormorant.net.egress.resolver import is_localhost, literal
from cormorant.net.http import curl_errors
from cormorant.net.http.client import Fetcher
from cormorant.net.http.connection_options import Route
from cormorant.net.http.messages import Request, Response, TransportError
from cormorant.sources.protocol import Discovery
from cormorant.sources.web import exchange_log, feeds, filters, response
from cormorant.sources.web.auth.session import Session
from cormorant.sources.web.crawl_delay import pace_of
from cormorant.sources.web.filters import WebGates
from cormorant.sources.web.redirect_pacing import RedirectPacer, Sleep
from cormorant.sources.web.response import Hop, instead
from cormorant.sources.web.revalidation_audit import differing
from cormorant.sources.web.robots import MAX_BODY, RobotsAnswer, verdict_of_fetch
from cormorant.sources.web.settings import sitemaps
from cormorant.sources.web.settings.web import WebSettings
from cormorant.sources.web.urls.redact import Redaction

MAX_HOPS = 10
MAX_ANSWERS = 3
"""Requests for one answer: without a digest, with one, and with one for a newer nonce."""
ROBOTS_HOPS = 5
ROBOTS_BYTES = MAX_BODY + 1
"""So that one that is longer is known to be, and ends with a line."""
MOST_ELSEWHERE, MOST_ELSEWHERE_BYTES = 256, 16 << 20
"""Robots.txt files, and bytes of them, kept of origins that redirects led to."""
MAX_HOP_WAIT_S = 60.0
"""How long a visit waits for the turn of another site; where it would be longer the resource is tried again later."""
REST_ELSEWHERE_S = 60.0
"""How long another site is left alone that wants a rest and does not say how long."""
READ_AND_EXCLUDED = (
    Status.TYPE_EXCLUDED, Status.NOINDEX, Status.INDEX_RULES, Status.NO_CONVERTER, Status.NOT_HTML, Status.QUARANTINED,
)  # fmt: skip
"""Outcomes of documents that may not be found: with the same version a visit would end the same."""
_log = logger(__name__)
_ACCEPT = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


class _Rules(NamedTuple):
    """A robots.txt, and until when it holds (monotonic seconds)."""

    body: bytes
    until: float


class _Home(NamedTuple):
    """The home of a resource: its site, its origin, and the robots.txt that its visit was ruled by."""

    site: str
    origin: str
    robots: bytes | None


class WebSource:
    """Pages of web sites. Keeps nothing but the robots.txt and the turns of sites that redirects led to."""

    kind: ClassVar[str] = "web"
    discovery: ClassVar[Discovery] = Discovery.SEEDS
    tracks_moves = False
    rereads_moved = False

    def __init__(
        self, number: int, settings: WebSettings, fetcher: Fetcher | None, clock: Clock, sleep: Sleep = asyncio.sleep,
        *, session: Session | None = None,
    ) -> None:  # fmt: skip
        self.number, self.settings = number, settings
        self.next_cursor = ""
        self.unlisted: Sequence[str] = ()
        self.unlisted_reason = ""
        self.closed: Sequence[str] = ()
        self.vetoed: Sequence[str] = ()
        self.blind = ""
        self._starts = settings.starts()
        rules = settings.address_rules()
        self._redaction = Redaction(settings.redact_parameters)
        self.gates = WebGates(settings, self._starts, clock.now, rules)
        self.rename, self.shows_otherwise = rules.rename, rules.shows_otherwise
        self.consent = Consent.of(settings.named_hosts, settings.network, refused=settings.refused_ranges)
        self._fetcher = fetcher.apart() if fetcher is not None and not settings.usual else fetcher
        if settings.robots == "ignore" and fetcher is not None:  # it is going to ask, and not just to be looked at
            _log.warning("robots_ignored", extra={"source": number})
        self._clock, self._session = clock, session or Session(number, settings, None)
        self._elsewhere: LruCache[_Rules] = LruCache(MOST_ELSEWHERE, MOST_ELSEWHERE_BYTES)
        self._asking: LruCache[asyncio.Lock] = LruCache(MOST_ELSEWHERE, 0)
        self._turns = RedirectPacer(clock, sleep)

    def discover(self, cursor: str) -> Iterator[Sequence[DiscoveredUrl | Removal]]:  # noqa: ARG002 - seeds need none
        """Yield the sitemaps and the start addresses of the settings."""
        if of_settings := sitemaps.named(self.settings):
            yield of_settings
        for start in range(0, len(self._starts), 1000):
            some = self._starts[start : start + 1000]
            yield [DiscoveredUrl(each, origin_of(each).site, 0, DiscoveredBy.SEED, priority=0) for each in some]

    def display(self, address: str) -> str:
        """A page is shown where it was fetched, less the secrets in its address."""
        return self._redaction.of(address)

    def pace(self, site: str, facts: Mapping[str, bytes]) -> Pace:
        """Return the pace at which a host may be visited now, and the rule that sets it."""
        robots = ((name.removeprefix("robots:"), body) for name, body in facts.items() if name.startswith("robots:"))
        asked = (self.gates.robots_of(name, body).crawl_delay if body else None for name, body in robots)
        return pace_of(self.settings, asked, self._clock.now(), private=self._is_private(site))

    def lane(self, site: str) -> str | None:
        """The address of a site that shares its pace with every other site there."""
        host, ports = _host_and_ports(site)
        pace_by = self.settings.pace_by or ("host" if is_localhost(host) else None)
        if pace_by == "host" or self._fetcher is None:
            return ""
        found = [self._fetcher.address_of(host, port, self.consent) for port in ports]
        address = next(filter(None, found), None)
        if address is None:
            return None
        shared = pace_by == "address" or classify(address) is AddressClass.PUBLIC
        return address if shared else ""

    async def look_up(self, site: str) -> None:
        """Resolve the name of a site, so far as the policy lets it be connected to."""
        if self._fetcher is not None:
            host, ports = _host_and_ports(site)
            for port in ports:  # a source may consent to one and not to the other
                await self._fetcher.look_up(host, port, self.consent)
                if self._fetcher.address_of(host, port, self.consent) is not None:
                    return

    def leads(self, facts: Mapping[str, bytes]) -> Sequence[DiscoveredUrl]:
        """The sitemaps that robots.txt names. With depth 0 nothing but the start addresses is visited."""
        settings = self.settings
        if sitemaps.ROBOTS not in settings.sitemaps or settings.robots == "ignore" or settings.depth == 0:
            return ()
        return sitemaps.in_robots(facts, lambda origin, body: self.gates.robots_of(origin, body).sitemaps)

    def _is_private(self, site: str) -> bool:
        host, ports = _host_and_ports(site)
        if is_localhost(host):
            return True
        if self._fetcher is None:
            bare = host.strip("[]")
            return literal(bare) is not None and classify(bare) is not AddressClass.PUBLIC
        found = [self._fetcher.class_of(host, each, self.consent) for each in ports]
        return any(each is not None and each is not AddressClass.PUBLIC for each in found)

    async def fetch(self, resource: Resource, wire: VisitTrace) -> Content | Outcome:
        """Ask for a resource, conditionally when its copy is in use; follow temporary redirects, each in its turn."""
        address, chain = resource.address, [resource.address]
        renamed = self.rename(address) if resource.role is Role.DOCUMENT else None
        if renamed is not None and renamed.address != address:  # known from before the rules were as they are
            return Moved(renamed.address)
        home = await self._at_home(origin_of(address), wire, beside=resource.role is Role.PROBE)
        if resource.role is Role.ROBOTS:
            return await self._robots(address, wire)
        conditions = () if filters.comes_in(self.gates, resource) else _conditions(resource)
        seen = {self._as_asked(address, wire)}
        while True:
            said = await self._asked(resource, address, wire, conditions if address == resource.address else ())
            if not isinstance(said, Hop):
                if isinstance(said, Unchanged) and self.settings.hash_audit:
                    said = await self._audited(said, resource, wire)
                said = filters.judged(self.gates, resource, said) if self.gates.asks_age else said
                if not isinstance(said, Content):
                    ended = self._attributed(said, origin_of(address).site, home)
                    return self._instead(ended, resource, said.target if isinstance(said, Moved) else address)
                said = feeds.seen(resource, said)
                # Another resource's validators would confirm what they know nothing of.
                return said if address == resource.address else replace(said, etag="", modified="")
            asks = self._as_asked(said.target, wire)
            if asks in seen or len(chain) > MAX_HOPS:
                return Failed(977, f"Redirects end nowhere: {' -> '.join(chain[-3:])} -> {said.target}")
            refused = await self._forbidden(said.target, home, wire)
            if refused is not None:
                return self._instead(refused, resource, said.target)
            address = said.target
            chain.append(address)
            seen.add(asks)

    def _as_asked(self, address: str, wire: VisitTrace) -> tuple[str, str]:
        """Return what a response depends on: the URL, and the cookies sent, which others may have set."""
        return address, self._session.cookies(origin_of(address), address, wire, self._clock.now())

    def _instead(self, ended: Outcome, resource: Resource, at: str) -> Outcome:
        """The outcome, unless a login page is all that came."""
        return instead(ended, resource, at) if self.settings.doubts_logins else ended

    async def _asked(
        self, resource: Resource, address: str, wire: VisitTrace, conditions: tuple[str, ...]
    ) -> Content | Outcome | Hop:
        """Ask for a resource where it is, or where it was redirected to, and say what the answer means for it."""
        is_sitemap = resource.role is Role.SITEMAP
        got = await self._get(address, wire, conditions, sitemaps.MAX_BYTES if is_sitemap else 0)
        said = self._said(got, address, conditional=bool(conditions))
        if is_sitemap and got.status == 304 and isinstance(said, Excluded):
            return Unchanged()  # noindex is meant for the sitemap itself
        if isinstance(said, Moved) and self._is_at(said.target, resource.address):
            return Hop(said.target)  # it adds a session to its own address, say
        return response.denied(said, got, wire.credential) if said.__class__ is Failed else said

    def _is_at(self, target: str, address: str) -> bool:
        """Return whether the target of a redirect is known as this URL, though it is written differently."""
        known = self.rename(target)
        return known is not None and known.address == address

    async def _at_home(self, origin: Origin, wire: VisitTrace, *, beside: bool) -> _Home:
        """Return a visit's home in its turn; redirects of other visits, unseen by a desk, may come first.

        A request `beside` the page of a visit has no turn yet: that one was the page's.
        """
        if not beside and self._turns.begin(origin.site):
            return _Home(origin.site, str(origin), self.gates.newest(str(origin)))
        return _Home(origin.site, str(origin), await self._next_turn(origin, wire))

    async def _next_turn(self, origin: Origin, wire: VisitTrace) -> bytes | None:
        """Wait for the next turn at an origin's site. Returns the robots.txt it was last judged by: its pace holds."""
        body = self.gates.newest(str(origin))
        await self._late(origin.site, {} if body is None else {f"robots:{origin}": body}, origin.site, wire)
        return body

    async def _audited(self, said: Unchanged, resource: Resource, wire: VisitTrace) -> Unchanged | Content:
        """Return a 304, or, if its turn for an audit has come, the page that it wrongly confirmed.

        Another answer than 200 says nothing about it, so that the 304 stands.
        """
        address, share = resource.address, self.settings.hash_audit
        if not resource.content_hash or not is_chosen(address, self._clock.now(), share):
            return said
        await self._next_turn(origin_of(address), wire)
        before = wire.requests
        got = self._said(await self._get(address, wire, ()), address, conditional=False)
        wire.audits += wire.requests - before
        return (differing(got, resource.content_hash) or said) if isinstance(got, Content) else said

    def _attributed(self, said: Outcome, site: str, home: _Home) -> Outcome:
        """Adapt the outcome of a request to `site` to the resource; rest another site that asks for rest."""
        if site == home.site:
            return said
        if isinstance(said, Deferred) and said.whole_site:
            self._turns.rest(site, min(said.wait_s or REST_ELSEWHERE_S, response.MAX_WAIT_ELSEWHERE_S))
        return response.elsewhere(said, site)

    def _said(self, got: Response | TransportError, address: str, *, conditional: bool) -> Content | Outcome | Hop:
        if isinstance(got, TransportError):
            return response.of_fault(got)
        agent, now = self.settings.robots_agent, self._clock.now()
        return response.of_answer(got, address, now, conditional=conditional, agent=agent)

    async def _get(
        self, address: str, wire: VisitTrace, conditions: tuple[str, ...], max_bytes: int = 0
    ) -> Response | TransportError:
        """Ask with what is offered there; once more if the server names another form of login."""
        origin, session = origin_of(address), self._session
        left = MAX_ANSWERS
        while True:
            left -= 1
            offer = session.offer(origin, address, wire, self._clock.now())
            got = await self._send(address, wire, (*offer.lines, *conditions), (max_bytes, offer.route))
            wire.conditional += bool(conditions) and got.requests
            if isinstance(got, TransportError):
                return got
            if got.status == curl_errors.PROXY_LOGIN and offer.route.proxy is not None:
                return curl_errors.no_login(offer.route.proxy)._replace(requests=got.requests, received=got.received)
            if not (session.heard((origin, address), got, offer, wire, self._clock.now()) and left):
                return got
            await self._next_turn(origin, wire)

    async def _send(
        self, address: str, wire: VisitTrace, lines: tuple[str, ...], means: tuple[int, Route]
    ) -> Response | TransportError:
        """Send it and count it; `means` are the most bytes, 0 for what the settings say, and the way."""
        if self._fetcher is None:
            raise LookupError("this source was built for discovery alone")
        settings, site, (max_bytes, route) = self.settings, origin_of(address).site, means

        def sent() -> None:
            wire.sent(site)
            self._turns.sent(site)

        got = await self._fetcher.get(
            Request(
                address, (_ACCEPT, *lines), self.consent, sent, settings.agent_header,
                max_bytes or settings.max_size_bytes, bool(max_bytes) or settings.too_big == "cut",
                settings.timeout_s, settings.idle_timeout_s, settings.connect_timeout_s, route=route,
            )
        )  # fmt: skip
        if run_context.wants("header"):
            exchange_log.exchange(address, (f"User-Agent: {settings.agent_header}", _ACCEPT, *lines), got)
        wire.requests += got.requests
        wire.received += got.received
        wire.decoded += got.decoded if isinstance(got, Response) else 0
        return got

    async def _robots(self, address: str, wire: VisitTrace) -> Content | Outcome:
        """Ask for a robots.txt, following at most five redirects, also to other hosts (RFC 9309 section 2.3.1.2).

        Without it nothing of its site may be visited, wherever it redirects: the site then rests, but what another host
        asks for does not make that long.
        """
        at, hops, site = address, 0, origin_of(address).site
        while True:
            got = await self._get(at, wire, (), ROBOTS_BYTES)
            if isinstance(got, TransportError):
                return _unread(response.of_fault(got), redirected=at != address)
            said = response.of_answer(got, at, self._clock.now(), conditional=False, agent="")
            if not isinstance(said, Hop | Moved) or said.target == at or hops == ROBOTS_HOPS:
                break
            late = await self._late(origin_of(said.target).site, {}, site, wire)
            if late is not None:
                return replace(late, whole_site=True, elsewhere=False)
            at, hops = said.target, hops + 1
        verdict = verdict_of_fetch(got.status)
        if verdict.reading is RobotsAnswer.DISALLOW_ALL:
            wait = said.wait_s if isinstance(said, Deferred) else None
            if wait is not None and origin_of(at).site != site:
                wait = min(wait, response.MAX_WAIT_ELSEWHERE_S)
            return Deferred(got.status, verdict.because, wait, whole_site=True)
        body = got.body if verdict.reading is RobotsAnswer.PARSE else b""
        return Content(address, body, "text/plain", validator=str(verdict.valid_s))

    async def _forbidden(self, target: str, home: _Home, wire: VisitTrace) -> Outcome | None:
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
        return await self._late(origin.site, facts, home.site, wire)

    async def _rules(self, origin: Origin, home: _Home, wire: VisitTrace) -> _Rules | Outcome:
        """The robots.txt of an origin that a redirect leads to; when no copy holds, one visit asks for it."""
        name = str(origin)
        asking = self._asking.get(name) or asyncio.Lock()
        self._asking.put(name, asking)
        async with asking:
            known = self._known(origin, wire)
            if known is not None:
                return known
            late = await self._late(origin.site, {}, home.site, wire)
            if late is not None:
                return late
            if (known := self._known(origin, wire)) is not None:
                return known  # by another process meanwhile
            got = await self._robots(f"{origin}/robots.txt", wire)
            if not isinstance(got, Content):
                return self._attributed(got, origin.site, home)
            holds_s = float(got.validator or 0)
            rules = _Rules(got.body, self._clock.monotonic() + holds_s)
            self._elsewhere.put(name, rules, len(got.body))
            if wire.beside is not None:
                wire.beside.learn(origin.site, f"robots:{name}", got.body, holds_s)
        return rules

    def _known(self, origin: Origin, wire: VisitTrace) -> _Rules | None:
        """The robots.txt of an origin as it is known here, or to the installation, while it holds."""
        name = str(origin)
        known = self._elsewhere.get(name)
        if known is not None and known.until > self._clock.monotonic():
            return known
        fact = wire.beside.fact(origin.site, f"robots:{name}") if wire.beside is not None else None
        if fact is None:
            return None
        rules = _Rules(fact.value, self._clock.monotonic() + fact.until - self._clock.now())
        self._elsewhere.put(name, rules, len(fact.value))
        return rules

    async def _late(self, site: str, facts: Mapping[str, bytes], home: str, wire: VisitTrace) -> Deferred | None:
        """Wait for the turn of a site that is to be asked; an outcome when it is another one and that takes too long.

        A visit waits for its own site as long as it must: the site's next visit waits for this one.
        """
        resting = self._turns.rests_s(site) if site != home else 0.0
        longest = MAX_HOP_WAIT_S if site != home else float("inf")
        pace = self.pace(site, facts)
        wait = resting or await self._turns.take(site, pace.delay_s, longest)
        if not wait and wire.beside is not None and site != wire.site:
            wait = await wire.beside.turn(site, pace, longest)
        if not wait:
            return None
        why = "wants to be left alone for a while" if resting else "has many to answer before"
        return Deferred(
            Status.SERVICE_UNAVAILABLE, f"It redirects to {site}, which {why}.",
            min(wait, response.MAX_WAIT_ELSEWHERE_S), elsewhere=True,
        )  # fmt: skip

    def fact(self, content: Content | Outcome, role: Role) -> tuple[str, bytes, float] | None:
        """A robots.txt holds for its origin, for as long as its verdict says."""
        if role is not Role.ROBOTS or not isinstance(content, Content):
            return None
        return f"robots:{origin_of(content.address)}", content.body, float(content.validator or 0)

    async def close(self) -> None:
        """Let go of a fetcher of our own; another is the process's."""
        if self._fetcher is not None and not self.settings.usual:
            await self._fetcher.close()


def _unread(said: Outcome, *, redirected: bool) -> Outcome:
    """No usable answer came for a robots.txt: its site is closed for a while (RFC 9309 section 2.3.1.4).

    A refused request, or one that cannot be sent at all, ends the visit that asked: a later one would fail as well.
    """
    unasked = response.NO_CONNECTION if redirected else (*response.NO_CONNECTION, Status.BAD_RELATIVE_ADDRESS)
    if isinstance(said, Failed) and said.status not in unasked:
        return Deferred(said.status, said.reason, None, whole_site=True)
    return said


def _host_and_ports(site: str) -> tuple[str, list[int]]:
    """The host of a site's key, and at which ports it may have been asked for."""
    host, _, port = site.rpartition(":") if not site.endswith("]") and ":" in site else (site, "", "")
    return host or site, [int(port)] if port.isdigit() else [443, 80]


def _conditions(resource: Resource) -> tuple[str, ...]:
    """Header lines that make a request conditional (RFC 9110 section 13.1), when the copy they confirm is in use.

    Not of a document that was not asked for the last time, as its robots.txt forbade it, and that the deletion guard
    has kept: a 304 would confirm the exclusion. Knowledge of a sitemap that search still finds is of the document
    that it was taken for.
    """
    found = resource.indexed and resource.outcome != OutcomeKind.EXCLUDED
    in_use = found or resource.status in READ_AND_EXCLUDED
    if resource.role is Role.SITEMAP:
        in_use = not resource.indexed and resource.outcome in (OutcomeKind.OK, OutcomeKind.UNCHANGED)
    if not in_use:
        return ()
    etag, modified = resource.etag, resource.modified
    if not (resource.indexed or etag or modified):
        etag, _, modified = resource.validator.partition("\n")  # of what never could be found
    lines = (f"If-None-Match: {etag}" if etag else "", f"If-Modified-Since: {modified}" if modified else "")
    return tuple(filter(None, lines))
