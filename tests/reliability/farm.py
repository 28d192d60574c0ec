"""The sites of a simulated world: what they say, how they fail, and what they were asked.

Every request is a line of the witness. A fetcher asks a site as the real one does: it takes a while until the request
goes out, and another until the answer is there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from cormorant.net.egress.policy import AddressClass, Consent
from cormorant.net.http.messages import Request, Response, TransportError
from tests.reliability.world import Over, Process, World

REFUSED = TransportError(906, "The connection was refused.", retryable=True, whole_site=True)
BROKEN = TransportError(1002, "The connection broke off.", retryable=True)


class Asked(NamedTuple):
    """A line of the witness: who asked for what, for which source, and when (seconds of the world).

    `epoch` is that of the lease under which its visit began, 0 without one; `begun` when that was.
    """

    at: float
    process: Process
    host: str
    path: str
    source: str
    epoch: int
    begun: float


@dataclass(slots=True)
class Page:
    """A page: what it says now, and where its links lead."""

    version: int
    links: list[str]
    moved: str = ""


@dataclass(slots=True)
class Host:
    """A site. `crawl_delay` is what its robots.txt asks for; `mood` is how it answers until `mood_until`.

    It asks to be left alone for a while in so many of its answers, `busy`, whatever its mood.
    """

    name: str
    address: str
    crawl_delay: float
    latency: tuple[float, float]
    pages: dict[str, Page] = field(default_factory=dict)
    mood: str = ""
    mood_until: float = 0.0
    next_page: int = 0
    busy: float = 0.0


class Farm:
    """All sites, and the witness. `asked` is called when a request goes out; `begun` when it is about to be sent.

    `begun` returns the epoch of the lease of the requesting process. `put_off` is called if a response asks the process
    to wait for so many seconds.
    """

    def __init__(self, world: World, chance: Random, busy: Random | None = None) -> None:
        self.world, self._chance, self._busy = world, chance, busy or chance
        self.hosts: dict[str, Host] = {}
        self.witness: list[Asked] = []
        self.asked: Callable[[Asked], None] = lambda _: None
        self.begun: Callable[[Process, str, str, str], int] = lambda *_: 0
        self.put_off: Callable[[Asked, float], None] = lambda *_: None
        self.calm = False
        shared = chance.random() < 0.4
        for number in range(chance.randint(2, 3)):
            address = "20.0.0.1" if shared and number < 2 else f"20.0.0.{number + 2}"
            delay = chance.choice((0.0, 0.0, 0.0, 10.0))
            slow = chance.uniform(0.02, 0.8)
            name = f"h{number}.example.org"
            self.hosts[name] = Host(name, address, delay, (slow / 4, slow))
            if busy is not None:
                self.hosts[name].busy = busy.choice((0.0, 0.2))
        for host in self.hosts.values():
            for _ in range(chance.randint(3, 8)):
                self.add(host)

    def add(self, host: Host) -> None:
        """A page more, linked to from one that is there."""
        path = f"/p{host.next_page}" if host.next_page else "/"
        host.next_page += 1
        linked_from = self._chance.choice(sorted(host.pages)) if host.pages else None
        host.pages[path] = Page(0, [])
        if linked_from is not None:
            self._link(host.pages[linked_from], host, path)
        if self._chance.random() < 0.4:
            other = self._chance.choice(sorted(self.hosts.values(), key=lambda each: each.name))
            if other.pages:
                self._link(host.pages[path], other, self._chance.choice(sorted(other.pages)))

    @staticmethod
    def _link(page: Page, host: Host, path: str) -> None:
        page.links.append(f"http://{host.name}{path}")
        page.version += 1

    def edit(self) -> None:
        """Edit a site: change, remove or add a page."""
        host = self._chance.choice(sorted(self.hosts.values(), key=lambda each: each.name))
        what, paths = self._chance.random(), sorted(host.pages)
        if what < 0.35 or len(paths) < 2:
            self.add(host)
        elif what < 0.75:
            host.pages[self._chance.choice(paths)].version += 1
        elif what < 0.9:
            del host.pages[self._chance.choice(paths[1:])]
        else:
            page = host.pages[self._chance.choice(paths[1:])]
            page.moved, page.version = f"http://{host.name}/", page.version + 1
        self.world.stir()

    def sulk(self) -> None:
        """A site fails in one way or another for a while."""
        host = self._chance.choice(sorted(self.hosts.values(), key=lambda each: each.name))
        host.mood = self._chance.choice(("refuses", "breaks", "fails", "busy", "slow", "slow", "robots"))
        host.mood_until = self.world.now + self._chance.choice((3.0, 20.0, 90.0, 400.0))

    def heal(self) -> None:
        """Every site answers from now on."""
        self.calm = True

    def reachable(self, starts: list[str], below: tuple[str, ...]) -> dict[str, bytes]:
        """The pages that a crawl from these addresses has to find: address -> content of the page."""
        found, left = dict[str, bytes](), list(starts)
        while left:
            address = left.pop()
            name, _, path = address.removeprefix("http://").partition("/")
            host = self.hosts.get(name)
            page = host.pages.get(f"/{path}") if host else None
            if page is None or address in found or not address.startswith(below):
                continue
            if page.moved:
                left.append(page.moved)
            else:
                found[address] = body_of(f"/{path}", page)
                left += page.links
        return found

    def is_there(self, address: str) -> bool:
        """Is there such a page now?"""
        name, _, path = address.removeprefix("http://").partition("/")
        host = self.hosts.get(name)
        page = host.pages.get(f"/{path}") if host else None
        return page is not None and not page.moved

    def answer(self, host: Host, path: str, conditions: dict[str, str]) -> Response | TransportError:
        """The present response of a site."""
        mood = host.mood if not self.calm and self.world.now < host.mood_until else ""
        if mood == "refuses":
            return REFUSED
        if mood == "breaks" and self._chance.random() < 0.5:
            return BROKEN._replace(requests=1)
        if mood == "fails":
            return _answer(500, b"it failed")
        if mood == "busy" or (not self.calm and self._busy.random() < host.busy):
            return _answer(503, b"busy", f"Retry-After: {self._busy.choice((2, 4, 4, 30, 120))}")
        if path == "/robots.txt":
            return self._robots(host, mood)
        page = host.pages.get(path)
        if page is None:
            return _answer(404, b"<title>Nothing</title>nothing is here")
        if page.moved:
            return _answer(301, b"", f"Location: {page.moved}")
        tag = f'"{page.version}"'
        if conditions.get("if-none-match") == tag:
            return _answer(304, b"", f"ETag: {tag}")
        return _answer(200, body_of(path, page), f"ETag: {tag}")

    @staticmethod
    def _robots(host: Host, mood: str) -> Response:
        if mood == "robots":
            return _answer(500, b"")
        if not host.crawl_delay:
            return _answer(404, b"")
        return _answer(200, f"User-agent: *\nCrawl-delay: {host.crawl_delay:g}\n".encode(), mime="text/plain")

    def times(self, host: Host) -> tuple[float, float]:
        """Seconds until a request goes out, and until its answer is there."""
        slow = not self.calm and host.mood == "slow" and self.world.now < host.mood_until
        answer = self._chance.uniform(*host.latency) if not slow else self._chance.choice((5.0, 80.0, 130.0))
        return self._chance.choice((0.0, 0.01, 0.3)), answer


def body_of(path: str, page: Page) -> bytes:
    """The content of a page, as HTML."""
    links = "".join(f'<li><a href="{each}">{each}</a>' for each in page.links)
    return f"<title>{path}</title><h1>{path}</h1><p>version {page.version} of page {path}<ul>{links}</ul>".encode()


def _answer(status: int, body: bytes, *lines: str, mime: str = "text/html; charset=utf-8") -> Response:
    fields = (*lines, f"Content-Type: {mime}", f"Content-Length: {len(body)}")
    block = "".join(f"{line}\r\n" for line in fields).encode()
    return Response(status, f"HTTP/1.1 {status} Said", block, body, len(body) + len(block))


class Fetching:
    """The HTTP client of a simulated process: the interface of the real client, in front of the sites of the farm."""

    def __init__(self, farm: Farm, process: Process) -> None:
        self._farm, self._process = farm, process

    def apart(self) -> Fetching:
        return Fetching(self._farm, self._process)

    async def close(self) -> None:
        """There is nothing to let go of."""

    def class_of(self, host: str, port: int, consent: Consent) -> AddressClass:
        return AddressClass.PUBLIC

    def address_of(self, host: str, port: int, consent: Consent) -> str | None:
        found = self._farm.hosts.get(host)
        return found.address if found is not None else None

    async def look_up(self, host: str, port: int, consent: Consent) -> None:
        await asyncio.sleep(0.02)

    async def get(self, request: Request) -> Response | TransportError:
        """Ask a site of the farm."""
        farm, world = self._farm, self._farm.world
        name, _, path = request.url.removeprefix("http://").partition("/")
        host = farm.hosts.get(name)
        if host is None:
            return REFUSED
        epoch, begun = farm.begun(self._process, name, f"/{path}", request.user_agent), world.now
        before, until = farm.times(host)
        world.stir()
        await asyncio.sleep(before)
        if not self._process.alive:
            raise Over
        request.sent()
        line = Asked(world.now, self._process, name, f"/{path}", request.user_agent, epoch, begun)
        farm.witness.append(line)
        farm.asked(line)
        world.stir()
        await asyncio.sleep(min(until, request.timeout_s))
        world.stir()
        lines = (each.partition(": ") for each in request.headers)
        said = farm.answer(host, f"/{path}", {key.lower(): value for key, _, value in lines})
        if isinstance(said, Response) and said.headers.get("retry-after") and self._process.alive:
            farm.put_off(line, float(said.headers.get("retry-after")))
        return said
