"""A web site that tests can change while it is crawled, in a process of its own.

    with website(SiteSettings(pages=300), folder) as site:
        site.edit(7, status=404)
        site.log()

The process ends when its input does, so with the test whatever ends that. Every request is a line in the log.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, NamedTuple

from tests.clocks import until
from tests.journeys import pages
from tests.journeys.pages import Edit, SiteSettings

_REASONS = {200: "OK", 301: "Moved Permanently", 304: "Not Modified", 404: "Not Found", 410: "Gone", 503: "Busy"}
ROOT = Path(__file__).resolve().parents[2]
TICK_S = 0.01


class Logged(NamedTuple):
    """One request. `under_way` counts those of its host that were not answered yet, this one included.

    `late_s` is how late the machine has let the site do something at the worst, up to then: a request may have come by
    that much before it was noted.
    """

    at: float
    host: str
    path: str
    conditional: bool
    status: int
    under_way: int
    late_s: float = 0.0


class _Shop:
    """The state that all connections share: the site, its changes, and the log."""

    def __init__(self, settings: SiteSettings) -> None:
        self.site = settings
        self.port = 0
        self.delay_s = settings.delay_s
        self.robots = settings.robots
        self.missing = settings.missing
        self.edits: dict[int, Edit] = {}
        self.under_way: dict[str, int] = {}
        self.down = False
        self.open: set[asyncio.Transport] = set()
        self.late_s = 0.0
        self.log = os.open(settings.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def change(self, said: dict[str, object]) -> None:
        """Take one line of input."""
        if "page" in said:
            self.edits[int(str(said["page"]))] = Edit(**said["edit"])  # type: ignore[arg-type]
        self.delay_s = float(str(said.get("delay_s", self.delay_s)))
        self.robots = str(said.get("robots", self.robots))
        self.missing = str(said.get("missing", self.missing))
        self.down = bool(said.get("down", self.down))

    def tick(self, due: float) -> None:
        """Measure how late this process comes to what it should do now."""
        loop = asyncio.get_running_loop()
        self.late_s = max(self.late_s, loop.time() - due)
        loop.call_later(TICK_S, self.tick, loop.time() + TICK_S)

    def answer(self, path: str, condition: str) -> tuple[int, list[str], bytes]:
        """Status, header lines and body for a path."""
        if path == "/robots.txt":
            return 200, ["Content-Type: text/plain"], self.robots.encode()
        if path == pages.SECRET:
            return 200, ["Content-Type: text/html"], b"<p>not for crawlers</p>"
        number = _number(path)
        if number is None or pages.path(self.site, number) != path:
            if self.missing:
                return 200, ["Content-Type: text/html"], self.missing.replace("{path}", path).encode()
            return 404, ["Content-Type: text/plain"], b"no such page\n"
        edit = self.edits.get(number, Edit())
        if edit.status is not None:
            lines = [f"Location: http://{pages.host(self.site, number)}:{self.port}{edit.location}"]
            return edit.status, lines if edit.location else [], b"<p>no page</p>"
        date = f"{time.time():.6f}" if self.site.dated else ""
        body = pages.body(self.site, number, self.port, edit, date)
        lines = [f"Content-Type: {'application/pdf' if path.endswith('.pdf') else 'text/html; charset=utf-8'}"]
        if self.site.validators:
            tag = f'"{hashlib.blake2b(body, digest_size=8).hexdigest()}"'
            lines.append(f"ETag: {tag}")
            if condition == tag or (condition and edit.confirms):
                return 304, lines, b""
        return 200, lines, body


def _number(path: str) -> int | None:
    digits = path.removeprefix("/p/").partition(".")[0]
    return int(digits) if path.startswith("/p/") and digits.isdigit() else None


class _Connection(asyncio.Protocol):
    """One kept-alive connection: a request, its answer after the site's delay, the next."""

    def __init__(self, shop: _Shop) -> None:
        self._shop = shop
        self._host = ""
        self._heard = b""
        self._busy = False
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._shop.open.add(transport)
        self._host = transport.get_extra_info("sockname")[0]

    def connection_lost(self, error: Exception | None) -> None:
        if self._transport is not None:
            self._shop.open.discard(self._transport)
        self._transport = None
        self._done()

    def _done(self) -> None:
        if self._busy:
            self._busy = False
            self._shop.under_way[self._host] -= 1

    def data_received(self, data: bytes) -> None:
        self._heard += data
        head, end, self._heard = self._heard.partition(b"\r\n\r\n")
        if not end:
            self._heard = head
            return
        at, shop = time.time(), self._shop
        request, *lines = head.decode("latin-1").split("\r\n")
        sent = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        path, condition = request.split(" ")[1], sent.get("if-none-match", "")
        status, said, body = shop.answer(path, condition)
        self._busy = True
        shop.under_way[self._host] = under_way = shop.under_way.get(self._host, 0) + 1
        line = f"{at:.6f}\t{self._host}\t{path}\t{int(bool(condition))}\t{status}\t{under_way}\t{shop.late_s:.6f}\n"
        os.write(shop.log, line.encode())
        lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Said')}", *said, f"Content-Length: {len(body)}", "", ""]
        answer = "\r\n".join(lines).encode() + body
        asyncio.get_running_loop().call_later(shop.delay_s, self._send, answer)

    def _send(self, answer: bytes) -> None:
        self._done()
        if self._transport is not None:
            self._transport.write(answer)


async def _listen(shop: _Shop) -> list[asyncio.Server]:
    """Listen on every host, from the second time on where it was."""
    loop, servers = asyncio.get_running_loop(), []
    for number in range(max(shop.site.hosts, 1)):
        address = pages.host(shop.site, number)
        servers.append(await loop.create_server(lambda: _Connection(shop), address, shop.port, backlog=512))
        shop.port = servers[0].sockets[0].getsockname()[1]
    return servers


async def _serve(shop: _Shop) -> None:
    loop = asyncio.get_running_loop()
    shop.tick(loop.time())
    servers = await _listen(shop)
    sys.stdout.write(f"{shop.port}\n")
    sys.stdout.flush()
    heard = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(heard), sys.stdin)
    while line := await heard.readline():
        shop.change(json.loads(line))
        if shop.down:
            for server in servers:
                server.close()
            for transport in shop.open:
                transport.abort()
            servers = []
        elif not servers:
            servers = await _listen(shop)
        sys.stdout.write("done\n")
        sys.stdout.flush()


class WebSite:
    """A running site, as its test sees it."""

    def __init__(self, settings: SiteSettings, process: subprocess.Popen[str], port: int) -> None:
        self.settings, self.port = settings, port
        self._process = process

    def url(self, number: int) -> str:
        """The address of a page."""
        return f"http://{pages.host(self.settings, number)}:{self.port}{pages.path(self.settings, number)}"

    def word(self, number: int) -> str:
        """The word only this page has."""
        return pages.word(self.settings.seed, number)

    def edit(self, number: int, **changes: object) -> None:
        """Change a page from its next answer on; what was changed before is forgotten."""
        self.tell(page=number, edit=asdict(Edit(**changes)))  # type: ignore[arg-type]

    def tell(self, **said: object) -> None:
        """Change `delay_s` or `robots` of the site; while it is `down` its hosts refuse connections."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(said) + "\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "done\n", "the site has ended"

    def log(self, since: float = 0.0) -> list[Logged]:
        """Requests received from that moment on, in their order."""
        rows = (line.split("\t") for line in Path(self.settings.log).read_text().splitlines())
        made = [Logged(float(r[0]), r[1], r[2], r[3] == "1", int(r[4]), int(r[5]), float(r[6])) for r in rows]
        return [each for each in made if each.at >= since]

    def wait_for(self, requests: int) -> None:
        """Wait until that many requests have come."""
        until(lambda: len(self.log()) >= requests)

    @property
    def documents(self) -> int:
        """How many pages there are."""
        return self.settings.pages

    @property
    def source(self) -> dict[str, object]:
        """Settings of a source that crawls this site."""
        hosts = {pages.host(self.settings, number) for number in range(self.settings.hosts)}
        return {"start": [self.url(0)], "include": [f"host:{host}:{self.port}" for host in sorted(hosts)]}


@contextmanager
def website(settings: SiteSettings, folder: Path) -> Iterator[WebSite]:
    """Serve a site for the length of a block, with its log in `folder`."""
    given = asdict(settings) | {"log": str(folder / "requests.log")}
    command = [sys.executable, "-m", "tests.journeys.site", json.dumps(given)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True
    ) as process:
        try:
            output: IO[str] | None = process.stdout
            assert output is not None
            yield WebSite(SiteSettings(**given), process, int(output.readline()))
        finally:
            with suppress(ProcessLookupError):
                process.kill()


if __name__ == "__main__":
    asyncio.run(_serve(_Shop(SiteSettings(**json.loads(sys.argv[1])))))
