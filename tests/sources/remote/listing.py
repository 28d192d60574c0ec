"""A source of files on a server of a test: its secrets, its way out, its listing, its documents."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from cormorant.base.clock import SystemClock
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Outcome
from cormorant.model.resource import DiscoveredUrl, Resource, Role
from cormorant.net.egress.guard import Egress
from cormorant.net.http.client import Fetcher
from cormorant.plugins import Source, make_source
from cormorant.sources.kind import Tools

HANG_S = 30
NAMES = ("a.txt", "sub dir/b \u00fc%41#?;c.txt", "sub dir/deep/\u65e5\u672c.html")
"""Names of files that are hard to write in an address, at each depth."""


class Secrets:
    """Secrets of a test, by their names."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def reveal(self, name: str) -> str:
        return self._values[name]

    def seal(self, data: bytes) -> bytes:
        return data

    def unseal(self, data: bytes) -> bytes | None:
        return data


def with_files(folder: Path, names: Iterable[str]) -> Path:
    """Make a folder `docs` in a folder, with a file of each name whose content is its name."""
    for name in names:
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return folder


def has_every_file(got: Iterable[object], names: Iterable[str]) -> bool:
    """Whether these documents are those files, each with its name as its content."""
    return sorted(each.body.decode() for each in got if isinstance(each, Content)) == sorted(names)


def egress() -> Egress:
    return Egress(SystemClock())


def remote(kind: str, secrets: Mapping[str, str], **settings: object) -> Source:
    """A source as discovery has it."""
    return make_source(kind, 1, settings, Tools(None, SystemClock(), Secrets(secrets), egress=egress))


def found(source: Source, cursor: str = "") -> list[DiscoveredUrl]:
    return [each for batch in source.discover(cursor) for each in batch if isinstance(each, DiscoveredUrl)]


def listed(source: Any, cursor: str = "") -> dict[str, str]:
    """The versions of everything a source yields, by the address below its folder."""
    everything = found(source, cursor)
    start = f"{source.settings.url}/"
    names = {each.address.removeprefix(start): each.validator for each in everything}
    assert len(names) == len(everything), "an address was yielded twice"
    return names


def resource(address: str) -> Resource:
    return Resource(1, 1, 1, address, Role.DOCUMENT, 0, 0, 0, 0, "", "", "", b"", b"", 0, indexed=False)


def fetched(
    kind: str, secrets: Mapping[str, str], name: str, wire: VisitTrace | None = None, **settings: object
) -> Content | Outcome:
    """Fetch the file of that name, percent-encoded, as a retriever does."""

    async def once() -> Content | Outcome:
        way = egress()
        fetcher = Fetcher(way)
        source: Any = make_source(kind, 1, settings, Tools(fetcher, SystemClock(), Secrets(secrets), egress=egress))
        try:
            got: Content | Outcome = await source.fetch(resource(f"{source.settings.url}/{name}"), wire or VisitTrace())
            return got
        finally:
            await source.close()
            await fetcher.close()
            await way.close()

    return asyncio.run(once())


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def started(
    command: list[str], port: int, log: Path, host: str = "127.0.0.1", environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Have a server listen for the length of a block, with variables of its own besides those of the test."""
    with log.open("wb") as said:
        process = subprocess.Popen(
            command, stdout=said, stderr=subprocess.STDOUT, env={**os.environ, **(environment or {})}
        )
    try:
        until = time.monotonic() + HANG_S
        while time.monotonic() < until and process.poll() is None:
            with suppress(OSError), closing(socket.create_connection((host, port), 1)):
                break
            time.sleep(0.05)
        assert process.poll() is None, log.read_text()
        yield process
    finally:
        process.terminate()
        process.wait(HANG_S)
