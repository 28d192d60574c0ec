"""The farm: every hostile host and one good one, each at an address of its own on this machine, in one process.

    python -m tests.journeys.hostile.farm PORT FOLDER QUICK    serves until its standard input ends

It says "ready" when it listens. FOLDER has the certificates, and gets `requests.jsonl`, a line a request, and at the
end `sockets.json`: the most connections that were open at once, and how many were at the end.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
from contextlib import suppress
from pathlib import Path
from socket import SO_REUSEADDR, SOL_SOCKET, socket
from typing import IO

from cormorant.base.clock import SystemClock
from tests.journeys.hostile.behaviours import BEHAVIOURS, PAGE, Behaviour, Script, Talk, page

GOOD = "127.0.2.1"
LINKS = 3
ASKED_AT_ONCE = 8
"""More start addresses a hostile host than a site is given visits at once."""
LEFT_ALONE = 24
"""Start addresses of a host that is to be left alone: more than it is asked for before and after its first rest."""


def host_of(number: int, behaviour: Behaviour) -> str:
    """Where a hostile host is."""
    return f"host-{number}.invalid" if behaviour.at == "nameless" else f"127.0.1.{number + 1}"


def starts_of(number: int, behaviour: Behaviour, port: int) -> list[str]:
    """The addresses that a crawl begins with at a hostile host."""
    count = LEFT_ALONE if behaviour.rests else ASKED_AT_ONCE
    return [f"{behaviour.scheme}://{host_of(number, behaviour)}:{port}/{each}" for each in range(count)]


def word(number: int) -> str:
    """The word that only this page of the good host has."""
    return f"lighthouse{number}"


def good(pages: int) -> Script:
    """A well-behaved host with so many pages, each leading to three."""

    async def script(talk: Talk) -> None:
        number = int(talk.path.strip("/") or 0)
        first = LINKS * number + 1
        links = "".join(f'<a href="/{each}">{each}</a> ' for each in range(first, min(first + LINKS, pages)))
        body = f"<html><head><title>Page {number}</title></head><body><p>{word(number)}</p>{links}</body></html>"
        await talk.send(page(body.encode()))

    return script


class Farm:
    """The state that all hosts share: a log, and a count of open connections."""

    def __init__(self, port: int, folder: Path, log: IO[str]) -> None:
        self._port, self._folder, self._log, self._clock = port, folder, log, SystemClock()
        self.open = self.most = 0
        self._kept: list[socket] = []
        self._servers: list[asyncio.Server] = []

    async def add(self, host: str, behaviour: Behaviour) -> None:
        """Have a host listen; one that refuses or has no name does not."""
        if behaviour.at in ("refuse", "nameless"):
            return
        if behaviour.at == "blackhole":
            self._blackhole(host)
            return

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.open += 1
            self.most = max(self.most, self.open)
            try:
                with suppress(ConnectionError, ssl.SSLError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                    await self._talk(Talk(reader, writer, host=f"{host}:{self._port}"), behaviour)
            finally:
                self.open -= 1
                writer.close()

        tls = None
        if behaviour.tls:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(self._folder / f"{behaviour.tls}-{host}.pem")
        self._servers.append(await asyncio.start_server(talk, host, self._port, ssl=tls, backlog=500))

    async def _talk(self, talk: Talk, behaviour: Behaviour) -> None:
        if behaviour.at == "accept":
            self._record(talk, "(connection)")
            await self._timed(talk, behaviour)
            return
        while True:
            head = await talk.reader.readuntil(b"\r\n\r\n")
            talk.path = head.split(b" ", 2)[1].decode("latin-1")
            self._record(talk, talk.path)
            if talk.path == "/robots.txt" and not behaviour.robots:
                await talk.send(page(b"", status="404 Not Found"))
                continue
            await self._timed(talk, behaviour)
            if talk.over:
                return

    async def _timed(self, talk: Talk, behaviour: Behaviour) -> None:
        """Answer, and tell how long the other side stayed with it."""
        began = self._clock.monotonic()
        try:
            await behaviour.script(talk)
        finally:
            held = {"host": talk.host.rpartition(":")[0], "held_s": round(self._clock.monotonic() - began, 2)}
            self._log.write(json.dumps(held) + "\n")

    def _record(self, talk: Talk, path: str) -> None:
        entry = {"at": round(self._clock.monotonic(), 4), "host": talk.host.rpartition(":")[0], "path": path}
        self._log.write(json.dumps(entry) + "\n")

    def _blackhole(self, host: str) -> None:
        """Listen with a queue that is full, so that requests to connect are dropped."""
        full = socket()
        full.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        full.bind((host, self._port))
        full.listen(0)
        self._kept.append(full)
        for _ in range(4):
            filler = socket()
            filler.setblocking(False)
            filler.connect_ex((host, self._port))
            self._kept.append(filler)


async def serve(port: int, folder: Path, pages: int, numbers: list[int]) -> None:
    """Serve the good host and these hostile ones until standard input ends."""
    with (folder / "requests.jsonl").open("a", buffering=1) as log:
        farm = Farm(port, folder, log)
        well = Behaviour("well", "", good(pages), "ok", 200)
        await farm.add(GOOD, well)
        for number in numbers:
            await farm.add(host_of(number, BEHAVIOURS[number]), BEHAVIOURS[number])
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        (folder / "sockets.json").write_text(json.dumps({"most": farm.most, "end": farm.open}))


if __name__ == "__main__":
    assert PAGE
    asyncio.run(serve(int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[4])))
