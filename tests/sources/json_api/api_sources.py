"""Sources of suites as tests make them: with a way out to loopback, secrets, and a clock that does not wait."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import cast

from cormorant.base.clock import Clock, SystemClock
from cormorant.base.errors import NotFoundError
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Outcome
from cormorant.model.resource import DiscoveredUrl, Removal
from cormorant.net.egress.guard import Egress
from cormorant.net.egress.resolver import Resolver
from cormorant.net.http.client import Fetcher
from cormorant.net.http.messages import Request, Response, TransportError
from cormorant.plugins import Source, Tools, make_source
from cormorant.testing.sources import resource_of


class KnownSecrets:
    """Secrets by name."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values

    def reveal(self, name: str) -> str:
        """Return one."""
        if name not in self.values:
            raise NotFoundError(f"There is no secret {name!r}.")
        return self.values[name]

    def seal(self, data: bytes) -> bytes:
        """Nothing is sealed here."""
        return data

    def unseal(self, data: bytes) -> bytes | None:
        """Nothing is sealed here."""
        return data


class LoopFetcher:
    """A fetcher for one request at a time, on whatever loop runs."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def get(self, request: Request) -> Response | TransportError:
        """Send a request over a connection of its own."""
        egress = Egress(self._clock, frozenset(), Resolver(self._clock))
        fetcher = Fetcher(egress, width=1)
        try:
            return await fetcher.get(request)
        finally:
            await fetcher.close()
            await egress.close()


def api_source(
    kind: str, settings: Mapping[str, object], secrets: Mapping[str, str] | None = None, clock: Clock | None = None
) -> Source:
    """Make a source of that kind, which may connect to the server of its settings."""
    told = clock or SystemClock()
    tools = Tools(
        cast("Fetcher", LoopFetcher(told)),
        told,
        KnownSecrets(secrets or {}),
        0,
        None,
        lambda: Egress(told, frozenset(), Resolver(told)),
    )
    return make_source(kind, 3, settings, tools)


def discovered(source: Source, cursor: str = "") -> tuple[dict[str, DiscoveredUrl], set[str]]:
    """Return the documents that a source names by their addresses, and the addresses that it says are gone."""
    found: dict[str, DiscoveredUrl] = {}
    gone = set[str]()
    for batch in source.discover(cursor):
        for each in batch:
            if isinstance(each, Removal):
                gone.add(each.address)
                found.pop(each.address, None)
            else:
                found[each.address] = each
    return found, gone


def fetched(source: Source, found: DiscoveredUrl, trace: VisitTrace | None = None) -> Content | Outcome:
    """Visit one document."""
    return asyncio.run(source.fetch(resource_of(found, source), trace or VisitTrace()))
