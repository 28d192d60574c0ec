"""A large site of many small pages whose addresses differ in everything that rules ask for. Pure, but for `main`.

    python -m tests.journeys.shelves ADDRESSES     serves it, prints its port, ends when its input does

The start page leads to tables of contents, and these lead to the pages, which lead nowhere.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

HOSTS = ("127.0.0.1", "127.0.0.2")
PER_TABLE = 400
SECTION = 100
"""Pages of a section."""
OLD, YOUNG = "Mon, 06 Jan 2020 10:00:00 GMT", "Fri, 20 Nov 2026 10:00:00 GMT"
ROOT = Path(__file__).resolve().parents[2]


class Page(NamedTuple):
    """One page: its host and path, and what the server says of it."""

    host: str
    path: str
    mime: str
    size: int
    modified: str


def page(number: int) -> Page:
    """The page of this number."""
    name = f"{'draft' if number % 11 == 0 else 'page'}-{number}"
    plain = number % 5 == 0
    query = "?view=print" if number % 13 == 0 else ""
    path = f"/s{number // SECTION}/t{number % 7}/{name}.{'txt' if plain else 'html'}{query}"
    modified = ("", OLD, YOUNG)[number % 3]
    return Page(HOSTS[number % 2], path, "text/plain" if plain else "text/html", 200 + number % 17 * 100, modified)


def word(number: int) -> str:
    """The word only this page has."""
    return "w" + "".join("bcdfghjklm"[int(digit)] for digit in str(number))


def address(number: int, port: int) -> str:
    """Where a page is."""
    said = page(number)
    return f"http://{said.host}:{port}{said.path}"


def answer(path: str, addresses: int, port: int) -> tuple[str, str, bytes]:
    """MIME type, Last-Modified and body of a path."""
    if path == "/robots.txt":
        return "text/plain", "", b""
    if path == "/tables/":
        tables = range((addresses + PER_TABLE - 1) // PER_TABLE)
        return "text/html", "", "".join(f"<a href=/tables/{each}.html>{each}</a>" for each in tables).encode()
    if path.startswith("/tables/"):
        first = int(path.removeprefix("/tables/").partition(".")[0]) * PER_TABLE
        numbers = range(first, min(first + PER_TABLE, addresses))
        return "text/html", "", "".join(f"<a href={address(each, port)}>{each}</a>" for each in numbers).encode()
    said = page(int(path.partition("?")[0].rpartition("-")[2].partition(".")[0]))
    number = int(path.partition("?")[0].rpartition("-")[2].partition(".")[0])
    return said.mime, said.modified, f"{word(number)} ".ljust(said.size, "x").encode()


class _Connection(asyncio.Protocol):
    """A kept-alive connection."""

    def __init__(self, addresses: int) -> None:
        self._addresses, self._heard = addresses, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._heard += data
        while b"\r\n\r\n" in self._heard:
            head, _, self._heard = self._heard.partition(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].decode()
            port = self._transport.get_extra_info("sockname")[1]
            mime, modified, body = answer(path, self._addresses, port)
            dated = f"Last-Modified: {modified}\r\n" if modified else ""
            said = f"HTTP/1.1 200 OK\r\nContent-Type: {mime}\r\n{dated}Content-Length: {len(body)}\r\n\r\n"
            self._transport.write(said.encode() + body)


async def _serve(addresses: int) -> None:
    loop, port = asyncio.get_running_loop(), 0
    for host in HOSTS:
        server = await loop.create_server(lambda: _Connection(addresses), host, port, backlog=512)
        port = server.sockets[0].getsockname()[1]
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.read)


@contextmanager
def shelves(addresses: int) -> Iterator[int]:
    """Serve the site for the length of a block; gives its port."""
    command = [sys.executable, "-m", "tests.journeys.shelves", str(addresses)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.kill()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
