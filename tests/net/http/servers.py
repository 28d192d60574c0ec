"""Servers that do exactly what a test tells them, on loopback, and the fetcher that asks them."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import uvloop

from cormorant.base.clock import SystemClock
from cormorant.net.egress.guard import Egress
from cormorant.net.egress.policy import Consent
from cormorant.net.egress.resolver import Lookup, Resolver, system_lookup
from cormorant.net.http.client import Fetcher
from cormorant.net.http.messages import Request, Response, TransportError

T = TypeVar("T")
HERE = Path(__file__).parent
CERTIFICATE, EXPIRED = HERE / "localhost.pem", HERE / "expired.pem"


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a test's coroutine as the product runs: on uvloop."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


@dataclass
class Talk:
    """One connection as its script sees it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    server: Server

    async def request(self) -> bytes:
        """Read one request's head; b"" at the end of the connection."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            head = await self.reader.readuntil(b"\r\n\r\n")
            self.server.requests.append(head)
            self.server.came.release()
            return head
        return b""

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    def reset(self) -> None:
        """End the connection with a reset instead of a polite end."""
        self.writer.transport.abort()


Script = Callable[[Talk], Awaitable[None]]


@dataclass
class Server:
    """What a server saw; `came` is released once for every request."""

    port: int = 0
    connections: int = 0
    open: int = 0
    requests: list[bytes] = field(default_factory=list)
    came: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))

    def url(self, path: str = "/", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"


@asynccontextmanager
async def serving(
    script: Script, *, hosts: tuple[str, ...] = ("127.0.0.1",), tls: ssl.SSLContext | None = None
) -> AsyncIterator[Server]:
    """Serve every connection by `script`, at one port of all `hosts`."""
    server = Server()
    talks: set[asyncio.Task[None] | None] = set()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.connections += 1
        server.open += 1
        talks.add(asyncio.current_task())
        try:
            with suppress(ConnectionError, asyncio.CancelledError):
                await script(Talk(reader, writer, server))
        finally:
            server.open -= 1
            writer.close()

    listening: list[asyncio.Server] = []
    for host in hosts:
        one = await asyncio.start_server(talk, host, server.port, ssl=tls, backlog=500)
        server.port = one.sockets[0].getsockname()[1]
        listening.append(one)
    try:
        yield server
    finally:
        for one in listening:
            one.close()
        for task in talks:
            if task is not None and not task.done():
                task.cancel()
        await asyncio.gather(*(task for task in talks if task is not None), return_exceptions=True)


def saying(*responses: bytes) -> Script:
    """Say each response to one request, then close."""

    async def script(talk: Talk) -> None:
        for response in responses:
            if not await talk.request():
                return
            await talk.send(response)

    return script


def keeping(response: bytes) -> Script:
    """Say the same to every request and keep the connection."""

    async def script(talk: Talk) -> None:
        while await talk.request():
            await talk.send(response)

    return script


def saying_then_silent(response: bytes) -> Script:
    """Begin to answer, then hold the connection without a word."""

    async def script(talk: Talk) -> None:
        await talk.request()
        await talk.send(response)
        await talk.reader.read()

    return script


def ok(body: bytes = b"hello", *fields: str) -> bytes:
    """A complete response."""
    head = "".join(f"{line}\r\n" for line in ("HTTP/1.1 200 OK", f"Content-Length: {len(body)}", *fields))
    return head.encode() + b"\r\n" + body


@dataclass
class Client:
    """A fetcher with consent to one server under some names, and short time-outs."""

    fetcher: Fetcher
    consent: Consent
    server: Server

    async def get(self, url: str = "", **fields: Any) -> Response | TransportError:
        given = {"timeout_s": 20.0, "idle_timeout_s": 10.0, "connect_timeout_s": 2.0, **fields}
        return await self.fetcher.get(Request(url or self.server.url(), consent=self.consent, **given))

    async def answer(self, url: str = "", **fields: Any) -> Response:
        said = await self.get(url, **fields)
        assert isinstance(said, Response), said
        return said

    async def fault(self, url: str = "", **fields: Any) -> TransportError:
        said = await self.get(url, **fields)
        assert isinstance(said, TransportError), said
        return said


@asynccontextmanager
async def asking(server: Server, *names: str, width: int = 8, lookup: Lookup = system_lookup) -> AsyncIterator[Client]:
    """A client that may reach the server at 127.0.0.1 and under `names`, as `lookup` resolves them."""
    clock = SystemClock()
    egress = Egress(clock, resolver=Resolver(clock, lookup))
    fetcher = Fetcher(egress, width=width)
    hosts = ("127.0.0.1", "::1", *names)
    try:
        yield Client(fetcher, Consent.of((host, server.port) for host in hosts), server)
    finally:
        await fetcher.close()
        await egress.close()


def ask(script: Script, **fields: Any) -> Response | TransportError:
    """Ask a server with that script once."""

    async def work() -> Response | TransportError:
        async with serving(script) as server, asking(server) as client:
            return await client.get(**fields)

    return run(work())


def answered(script: Script, **fields: Any) -> Response:
    said = ask(script, **fields)
    assert isinstance(said, Response), said
    return said


def failed(script: Script, **fields: Any) -> TransportError:
    said = ask(script, **fields)
    assert isinstance(said, TransportError), said
    return said


def tls_of(certificate: Path) -> ssl.SSLContext:
    """A server's TLS context."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context
