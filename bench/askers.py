"""How long do many concurrent searches take, and how much CPU time do they cost?

Two ways to ask the same questions again and again for some seconds: over HTTP on kept connections, each asker with one
request under way, as many browsers would; and within this process, an asker a thread. An asker begins at a place of its
own in the list, so that not all ask the same at a time.
"""

from __future__ import annotations

import asyncio
import http.client
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

from bench import process
from bench.measure import megabytes

_LOOK_S = 0.5


class NoAnswer(Exception):
    """A question was not answered as it must be; the message says which, and how."""


@dataclass(slots=True)
class Asked:
    """The result of a round: the seconds of each query, and the CPU time and memory that all took."""

    took_s: list[float] = field(default_factory=list)
    cpu_s: float = 0.0
    wall_s: float = 0.0
    peak_mb: float = 0.0

    def percentile(self, share: float) -> float:
        """The time in milliseconds within which this share of the questions was answered."""
        return sorted(self.took_s)[min(int(len(self.took_s) * share), len(self.took_s) - 1)] * 1_000

    @property
    def per_cpu_s(self) -> float:
        """Questions for each second of CPU time."""
        return len(self.took_s) / self.cpu_s if self.cpu_s else 0.0

    @property
    def per_s(self) -> float:
        """Questions a second."""
        return len(self.took_s) / self.wall_s if self.wall_s else 0.0


def within(ask: Callable[[str], object], questions: Sequence[str], clients: int, seconds: float) -> Asked:
    """Ask in threads of this process; the CPU time is all of this process's."""
    asked = Asked()
    until = time.monotonic() + seconds

    def one(number: int) -> None:
        place = number * len(questions) // clients
        while (began := time.monotonic()) < until:
            ask(questions[place % len(questions)])
            asked.took_s.append(time.monotonic() - began)
            place += 1

    threads = [threading.Thread(target=one, args=(number,)) for number in range(clients)]
    began, cpu = time.monotonic(), time.process_time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    asked.cpu_s, asked.wall_s = time.process_time() - cpu, time.monotonic() - began
    return asked


def once_over_http(address: str, questions: Sequence[str]) -> None:
    """Ask everything once, one after the other. Raises NoAnswer."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc)
    for path in _paths(questions):
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise NoAnswer(f"{path} was answered {answer.status}: {body[:200]!r}")
    connection.close()


def _paths(questions: Sequence[str]) -> list[str]:
    return [f"/api/v1/search?{urlencode({'q': question})}" for question in questions]


def over_http(address: str, server: int, questions: Sequence[str], clients: int, seconds: float) -> Asked:
    """Ask the interface for programs at `address`; CPU time and memory are those of the process tree `server`."""
    return asyncio.run(_over_http(address, server, questions, clients, seconds))


async def _over_http(address: str, server: int, questions: Sequence[str], clients: int, seconds: float) -> Asked:
    asked = Asked()
    paths = _paths(questions)
    began, cpu = time.monotonic(), _cpu_s(server)
    until = began + seconds
    watch = asyncio.create_task(_watch(server, asked))
    try:
        each = (_client(address, paths, number * len(paths) // clients, until, asked) for number in range(clients))
        await asyncio.gather(*each)
    finally:
        watch.cancel()
    asked.cpu_s, asked.wall_s = _cpu_s(server) - cpu, time.monotonic() - began
    return asked


async def _client(address: str, paths: Sequence[str], place: int, until: float, asked: Asked) -> None:
    """One asker on one connection."""
    host, port = urlsplit(address).hostname, urlsplit(address).port
    reader, writer = await asyncio.open_connection(host, port)
    try:
        while (began := time.monotonic()) < until:
            path = paths[place % len(paths)]
            writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: application/json\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            status, length = answered(head)
            body = await reader.readexactly(length)
            if status != 200:
                raise NoAnswer(f"{path} was answered {status}: {body[:200]!r}")
            asked.took_s.append(time.monotonic() - began)
            place += 1
    finally:
        writer.close()


def answered(head: bytes) -> tuple[int, int]:
    """Status and length of the body, as the head of an answer says them."""
    first, *fields = head.decode("latin-1").split("\r\n")
    said = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in fields)}
    return int(first.split(" ")[1]), int(said.get("content-length", "0"))


async def _watch(server: int, asked: Asked) -> None:
    """Look at the memory of the tree now and then."""
    while True:
        taken = sum(process.memory(each).pss_kb for each in _tree(server))
        asked.peak_mb = max(asked.peak_mb, megabytes(taken))
        await asyncio.sleep(_LOOK_S)


def _tree(server: int) -> list[int]:
    return [server, *process.descendants(server)]


def _cpu_s(server: int) -> float:
    return sum(process.cpu_s(each) for each in _tree(server))
