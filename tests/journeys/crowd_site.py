"""A thousand hosts on addresses of this machine, served by one process that does next to nothing for a request.

    with crowd(hosts=1000, pages=50, folder=folder) as site:
        ...
    site.log

Every host has a home page that links to all of its other pages. Requests are kept in memory, and written when the block
ends, so that the site takes few resources from the crawl.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, cast

import uvloop

from tests.journeys.site import ROOT

ROBOTS = b"User-agent: *\nDisallow: /private/\n"
SECRET = "/private/secret.html"
TICK_S = 0.01


class Asked(NamedTuple):
    """One request: when (epoch seconds), the number of its host, its path."""

    at: float
    host: int
    path: str


@dataclass(slots=True)
class Crowd:
    """A running crowd of hosts. `log` and `late_s`, the worst delay of the machine, are there once it has ended."""

    hosts: int
    pages: int
    port: int
    log: list[Asked] = field(default_factory=list)
    late_s: float = 0.0

    @property
    def homes(self) -> list[str]:
        """The home page of every host."""
        return [f"http://{address(number)}:{self.port}/" for number in range(self.hosts)]


def address(number: int) -> str:
    """The address of a host: one of 127.1.0.0/16."""
    return f"127.1.{number // 250}.{1 + number % 250}"


def body(host: int, path: str, pages: int) -> bytes:
    """The page at a path of a host, of about a kilobyte, with a text that no other page has."""
    words = " ".join(f"w{host}x{path.strip('/') or 'home'}x{each}" for each in range(60))
    links = "".join(f'<a href="/{number}">page {number}</a> ' for number in range(1, pages)) if path == "/" else ""
    secret = f'<a href="{SECRET}">secret</a>' if path == "/" else ""
    return f"<!doctype html><title>{host} {path}</title><p>{words}</p>{links}{secret}".encode()


class _Shop:
    """The state that all connections share."""

    def __init__(self, pages: int) -> None:
        self.pages, self.late_s = pages, 0.0
        self.asked: list[tuple[float, int, str]] = []

    def tick(self, due: float) -> None:
        """Measure how late this process comes to what it should do now."""
        loop = asyncio.get_running_loop()
        self.late_s = max(self.late_s, loop.time() - due)
        loop.call_later(TICK_S, self.tick, loop.time() + TICK_S)


class _Connection(asyncio.Protocol):
    """One kept-alive connection to a host."""

    def __init__(self, shop: _Shop, host: int) -> None:
        self._shop, self._host, self._heard = shop, host, b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is of no common class

    def data_received(self, data: bytes) -> None:
        self._heard += data
        if not self._heard.endswith(b"\r\n\r\n") or self._transport is None:
            return
        path = self._heard.split(b" ", 2)[1].decode("latin-1")
        self._heard = b""
        self._shop.asked.append((time.time(), self._host, path))
        said = ROBOTS if path == "/robots.txt" else body(self._host, path, self._shop.pages)
        kind = b"text/plain" if path == "/robots.txt" else b"text/html; charset=utf-8"
        head = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (kind, len(said))
        self._transport.write(head + said)


async def _serve(hosts: int, pages: int) -> str:
    """Serve until the input ends; returns how late the machine was and what was asked for, as JSON."""
    loop, shop, port = asyncio.get_running_loop(), _Shop(pages), 0
    servers = []
    for number in range(hosts):
        made = await loop.create_server(lambda number=number: _Connection(shop, number), address(number), port)  # type: ignore[misc]
        servers.append(made)
        port = servers[0].sockets[0].getsockname()[1]
    shop.tick(loop.time())
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    heard = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(heard), sys.stdin)
    await heard.read()
    return json.dumps([shop.late_s, shop.asked])


@contextmanager
def crowd(hosts: int, pages: int, folder: Path) -> Iterator[Crowd]:
    """Serve so many pages on each of so many hosts for the length of a block; it ends when its input does."""
    log = folder / "asked.json"
    command = [sys.executable, "-m", "tests.journeys.crowd_site", str(hosts), str(pages), str(log)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            made = Crowd(hosts, pages, int(process.stdout.readline()))
            yield made
            process.stdin.close()
            process.wait(60)
            made.late_s, asked = json.loads(log.read_text())
            made.log = [Asked(*each) for each in asked]
        finally:
            process.kill()


if __name__ == "__main__":
    Path(sys.argv[3]).write_text(uvloop.run(_serve(int(sys.argv[1]), int(sys.argv[2]))))
