"""Real servers of several origins on loopback, with certificates made up for the test, and a source to visit them."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import trustme

from cormorant.base.clock import SystemClock
from cormorant.base.errors import NotFoundError
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Outcome
from cormorant.model.resource import Role
from cormorant.model.settings.source import parse_settings
from cormorant.model.url import origin_of
from cormorant.net.egress.guard import Egress
from cormorant.net.egress.resolver import Resolver
from cormorant.net.http.client import Fetcher
from cormorant.sources.web.auth.session import Session
from cormorant.sources.web.settings.web import WebSettings
from cormorant.sources.web.source import WebSource
from tests.crawl.samples import NEVER_SEEN

HOSTS = {"home.test": "127.0.0.1", "other.test": "127.0.0.2", "sub.home.test": "127.0.0.3", "proxy.test": "127.0.0.4"}
NAMELESS: set[str] = set()
"""Hosts that only a proxy finds."""
REASONS = {200: "OK", 401: "Who", 404: "None", 407: "Who"}


class Said(NamedTuple):
    """What a server answers to a path."""

    status: int = 200
    headers: tuple[str, ...] = ()
    body: bytes = b"<title>Here</title><p>words</p>"


class Heard(NamedTuple):
    """A request: its head, and whether a client certificate was shown."""

    head: bytes
    certificate: bool

    @property
    def path(self) -> str:
        return self.head.split(b" ", 2)[1].decode()

    def field(self, name: str) -> str:
        """A header field, "" when it was not sent."""
        said = re.search(rb"(?im)^" + name.encode() + rb":[ \t]*(.*?)\r$", self.head)
        return said[1].decode() if said else ""


@dataclass
class Place:
    """One origin: what it says to its paths, what it heard."""

    scheme: str
    host: str
    port: int = 0
    says: dict[str, Said | Callable[[Heard], Said]] = field(default_factory=dict)
    heard: list[Heard] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}"

    def answer(self, heard: Heard) -> Said:
        said = self.says.get(heard.path.partition("?")[0], Said(404) if heard.path == "/robots.txt" else Said())
        return said if isinstance(said, Said) else said(heard)

    def pages(self) -> list[Heard]:
        """Requests but those for robots.txt."""
        return [each for each in self.heard if each.path != "/robots.txt"]


@dataclass
class Authority:
    """An authority made up for the test, its server contexts and a client's certificate."""

    ca: trustme.CA
    folder: Path

    @property
    def file(self) -> str:
        path = self.folder / "ca.pem"
        self.ca.cert_pem.write_to_path(str(path))
        return str(path)

    def client(self, name: str = "crawler.test") -> str:
        """A client's certificate with its key, in one file."""
        path = self.folder / "client.pem"
        self.ca.issue_cert(name).private_key_and_cert_chain_pem.write_to_path(str(path))
        return str(path)

    def server(self, *names: str) -> ssl.SSLContext:
        """TLS that takes a client's certificate when one is shown."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.ca.issue_cert(*names).configure_cert(context)
        self.ca.configure_trust(context)
        context.verify_mode = ssl.CERT_OPTIONAL
        return context


async def talk(place: Place, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer requests on one connection until its end."""
    tls = writer.get_extra_info("ssl_object")
    shown = bool(tls and tls.getpeercert())
    try:
        while True:
            heard = Heard(await reader.readuntil(b"\r\n\r\n"), shown)
            place.heard.append(heard)
            said = place.answer(heard)
            lines = ("Content-Type: text/html", f"Content-Length: {len(said.body)}", *said.headers)
            head = f"HTTP/1.1 {said.status} {REASONS.get(said.status, 'Said')}\r\n" + "".join(f"{x}\r\n" for x in lines)
            writer.write(head.encode() + b"\r\n" + said.body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
        pass
    finally:
        writer.close()


@asynccontextmanager
async def serving(*places: Place, authority: Authority | None = None) -> AsyncIterator[None]:
    """Have places listen, at ports of their own."""
    async with AsyncExitStack() as stack:
        for place in places:
            tls = authority.server(place.host) if authority and place.scheme == "https" else None
            each = place

            def on(reader: Any, writer: Any, place: Place = each) -> Any:
                return talk(place, reader, writer)

            server = await asyncio.start_server(on, HOSTS.get(place.host, place.host), place.port, ssl=tls)
            place.port = server.sockets[0].getsockname()[1]
            stack.callback(server.close)
        yield


@dataclass
class Known:
    """Secrets by name, as a source is given them."""

    values: Mapping[str, str]

    def reveal(self, name: str) -> str:
        if name not in self.values:
            raise NotFoundError(f"There is no secret {name!r}.")
        return self.values[name]

    def seal(self, data: bytes) -> bytes:
        return data[::-1]

    def unseal(self, data: bytes) -> bytes | None:
        return data[::-1]


def lookup(host: str) -> tuple[str, ...]:
    """The hosts of the farm."""
    if host not in HOSTS or host in NAMELESS:
        raise OSError("no such name")
    return (HOSTS[host],)


@dataclass
class Visitor:
    """A source that visits places of the farm."""

    source: WebSource
    fetcher: Fetcher
    wire: VisitTrace = field(default_factory=VisitTrace)

    async def visit(self, address: str, role: Role = Role.DOCUMENT) -> Content | Outcome:
        """Visit an address, as a retriever does."""
        self.wire = VisitTrace(site=origin_of(address).site, facts=self.wire.facts)
        return await self.source.fetch(NEVER_SEEN._replace(address=address, role=role), self.wire)


@asynccontextmanager
async def visiting(secrets: Mapping[str, str], run: int = 1, **given: Any) -> AsyncIterator[Visitor]:
    """A source with these settings."""
    clock = SystemClock()
    egress = Egress(clock, resolver=Resolver(clock, lookup))
    fetcher = Fetcher(egress, width=4)
    settings = parse_settings(WebSettings, {"network": ["loopback"], "delay_s": 0, "robots": "ignore", **given})
    source = WebSource(1, settings, fetcher, clock, session=Session(1, settings, Known(secrets), run))
    try:
        yield Visitor(source, fetcher)
    finally:
        await source.close()
        await fetcher.close()
        await egress.close()


def wants_digest(user: str, password: str, nonces: list[str]) -> Callable[[Heard], Said]:
    """A server's side of digest, worked out anew: any nonce that was given and is the newest is good."""

    def say(heard: Heard) -> Said:
        said = dict(re.findall(r'(\w+)="?([^",]*)"?', heard.field("Authorization")))
        ha1 = hashlib.sha256(f"{user}:here:{password}".encode()).hexdigest()
        ha2 = hashlib.sha256(f"GET:{heard.path}".encode()).hexdigest()
        parts = (ha1, said.get("nonce", ""), said.get("nc", ""), said.get("cnonce", ""), "auth", ha2)
        good = said.get("response") == hashlib.sha256(":".join(parts).encode()).hexdigest()
        if good and said["nonce"] == nonces[-1] and said["uri"] == heard.path:
            return Said()
        stale = ", stale=true" if good else ""
        return Said(
            401, (f'WWW-Authenticate: Digest realm="here", qop="auth", algorithm=SHA-256, nonce="{nonces[-1]}"{stale}',)
        )

    return say


@dataclass
class Relay:
    """A proxy: forwards what it is asked for by whole address, tunnels CONNECT, and wants a login when it has one.

    `broken` is a status it answers everything with.
    """

    login: str = ""
    broken: int = 0
    port: int = 0
    heard: list[bytes] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://proxy.test:{self.port}"

    @asynccontextmanager
    async def relaying(self) -> AsyncIterator[None]:
        """Have it listen."""
        server = await asyncio.start_server(self._talk, HOSTS["proxy.test"], self.port)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield
        finally:
            server.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._once(reader, writer):
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _once(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Take one request; a tunnel lasts to its end."""
        head = await reader.readuntil(b"\r\n\r\n")
        self.heard.append(head)
        wanted = b"Proxy-Authorization: Basic " + base64.b64encode(self.login.encode())
        refusal = self.broken or (407 if self.login and wanted not in head else 0)
        if refusal:
            more = b"Proxy-Authenticate: Basic realm=p\r\n" if refusal == 407 else b""
            writer.write(b"HTTP/1.1 %d No\r\nContent-Length: 0\r\n%s\r\n" % (refusal, more))
            return True
        method, target, _ = head.split(b" ", 2)
        name = target.decode() if method == b"CONNECT" else target.decode().split("/")[2]
        host, _, port = name.rpartition(":")
        onward, back = await asyncio.open_connection(HOSTS.get(host, host), int(port))
        if method == b"CONNECT":
            writer.write(b"HTTP/1.1 200 Connected\r\nX-From: proxy\r\n\r\n")
            await asyncio.gather(_pour(reader, back), _pour(onward, writer))
            return False
        lines = [line for line in head.split(b"\r\n")[1:] if not line.lower().startswith(b"proxy-")]
        path = "/" + target.decode().split("/", 3)[3]
        back.write(f"GET {path} HTTP/1.1\r\n".encode() + b"\r\n".join(lines))
        answer = await onward.readuntil(b"\r\n\r\n")
        length = re.search(rb"Content-Length: (\d+)", answer)
        writer.write(answer + (await onward.readexactly(int(length[1])) if length else b""))
        back.close()
        return True


async def _pour(source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
    while data := await source.read(65_536):
        to.write(data)
        await to.drain()
    to.close()
