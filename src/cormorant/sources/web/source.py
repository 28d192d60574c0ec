"""A web source: its seeds, its pace, and one visit over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from cormorant.base.clock import Clock
from cormorant.egress.policy import AddressClass, Consent, classify
from cormorant.egress.resolve import literal
from cormorant.fetch.http import Fetcher
from cormorant.fetch.values import Answer, Fault, Request
from cormorant.model.address import origin_of
from cormorant.model.content import Content, Wire
from cormorant.model.outcome import Deferred, Excluded, Failed, Moved, Outcome
from cormorant.model.resource import Found, How, Removal, Resource, Role
from cormorant.sources.protocol import Discovery
from cormorant.sources.web import exchange
from cormorant.sources.web.exchange import Hop
from cormorant.sources.web.gates import WebGates
from cormorant.sources.web.robots import Reading, verdict_of_fetch
from cormorant.sources.web.settings import WebSettings

MAX_HOPS = 10
ROBOTS_HOPS = 5
ROBOTS_BYTES = 512 * 1024
MAX_CRAWL_DELAY_S = 60.0
_ACCEPT = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@dataclass(frozen=True, slots=True)
class WebPace:
    """How fast a host may be visited."""

    delay_s: float
    parallel: int


class WebSource:
    """Pages of web sites. Keeps nothing but the robots.txt of origins that temporary redirects led to."""

    kind: ClassVar[str] = "web"
    discovery: ClassVar[Discovery] = Discovery.SEEDS

    def __init__(self, number: int, settings: WebSettings, fetcher: Fetcher | None, clock: Clock) -> None:
        self.number, self.settings = number, settings
        self.next_cursor, self.unlisted = "", ()
        self._starts = settings.starts()
        self.gates = WebGates(settings, self._starts)
        self.consent = Consent.of(settings.named_hosts, settings.network)
        self._fetcher, self._clock = fetcher, clock
        self._elsewhere: dict[str, tuple[bytes, float]] = {}

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
        if self._fetcher is None:
            bare = (host or site).strip("[]")
            return bare == "localhost" or (literal(bare) is not None and classify(bare) is not AddressClass.PUBLIC)
        ports = [int(port)] if port.isdigit() else [443, 80]
        found = [self._fetcher.class_of(host or site, each, self.consent) for each in ports]
        return any(each is not None and each is not AddressClass.PUBLIC for each in found)

    async def fetch(self, resource: Resource, wire: Wire) -> Content | Outcome:
        """Ask for a resource, conditionally when its copy is in use; follow temporary redirects."""
        if resource.role is Role.ROBOTS:
            return await self._robots(resource.address, wire)
        conditions = _conditions(resource)
        address, chain = resource.address, [resource.address]
        while True:
            got = await self._get(address, wire, conditions if address == resource.address else ())
            said = self._said(got, address, conditional=bool(conditions) and address == resource.address)
            if not isinstance(said, Hop):
                return said
            if said.target in chain or len(chain) > MAX_HOPS:
                return Failed(977, f"Redirects end nowhere: {' -> '.join(chain[-3:])} -> {said.target}")
            refused = await self._forbidden(said.target, wire)
            if refused is not None:
                return refused
            address = said.target
            chain.append(address)

    def _said(self, got: Answer | Fault, address: str, *, conditional: bool) -> Content | Outcome | Hop:
        if isinstance(got, Fault):
            return exchange.of_fault(got)
        agent, now = self.settings.robots_agent, self._clock.now()
        return exchange.of_answer(got, address, now, conditional=conditional, agent=agent)

    async def _get(self, address: str, wire: Wire, conditions: tuple[str, ...], max_bytes: int = 0) -> Answer | Fault:
        """Send one request and count it."""
        if self._fetcher is None:
            raise LookupError("this source was built for discovery alone")
        settings = self.settings
        got = await self._fetcher.get(
            Request(
                address, (_ACCEPT, *conditions), self.consent, settings.agent_header,
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
        """Ask for a robots.txt, following at most five redirects, also to other hosts (RFC 9309 section 2.3.1.2)."""
        at, hops = address, 0
        while True:
            got = await self._get(at, wire, (), ROBOTS_BYTES)
            if isinstance(got, Fault):
                return exchange.of_fault(got)
            said = exchange.of_answer(got, at, self._clock.now(), conditional=False, agent="")
            if not isinstance(said, Hop | Moved) or hops == ROBOTS_HOPS:
                break
            at, hops = said.target, hops + 1
        verdict = verdict_of_fetch(got.status)
        if verdict.reading is Reading.DISALLOW_ALL:
            wait = said.wait_s if isinstance(said, Deferred) else None
            return Deferred(got.status, verdict.because, wait, whole_site=True)
        body = got.body if verdict.reading is Reading.PARSE else b""
        return Content(address, body, "text/plain", validator=str(verdict.valid_s))

    async def _forbidden(self, target: str, wire: Wire) -> Outcome | None:
        """Does the robots.txt of a redirect's target forbid it? The boundary is not asked for that hop."""
        if not target.startswith(("http://", "https://")):
            return Failed(1003, f"It redirects to {target}, which is not a web address.")
        if self.settings.robots == "ignore":
            return None
        origin, now = str(origin_of(target)), self._clock.now()
        body, until = self._elsewhere.get(origin, (b"", 0.0))
        if until <= now:
            got = await self._robots(f"{origin}/robots.txt", wire)
            if not isinstance(got, Content):
                return got
            body, until = got.body, now + float(got.validator or 0)
            self._elsewhere[origin] = (body, until)
        ruling = self.gates.robots_ruling(origin, body, target)
        return None if ruling.admitted else Excluded(ruling, ruling.status)

    def fact(self, content: Content | Outcome, role: Role) -> tuple[str, bytes, float] | None:
        """A robots.txt holds for its origin, for as long as its verdict says."""
        if role is not Role.ROBOTS or not isinstance(content, Content):
            return None
        return f"robots:{origin_of(content.address)}", content.body, float(content.validator or 0)

    async def close(self) -> None:
        """The fetcher is the process's, not ours."""


def _conditions(resource: Resource) -> tuple[str, ...]:
    """Header lines that make a request conditional (RFC 9110 section 13.1), when the copy they confirm is in use."""
    if not (resource.indexed or resource.status == 971):
        return ()
    if resource.etag:
        both = (f"If-None-Match: {resource.etag}",)
        return (*both, f"If-Modified-Since: {resource.modified}") if resource.modified else both
    return (f"If-Modified-Since: {resource.modified}",) if resource.modified else ()
