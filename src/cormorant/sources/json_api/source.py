"""Source that asks an interface in JSON: changes since a cursor, or a complete listing where these do not suffice."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Generator, Mapping, Sequence
from typing import Any, ClassVar, Final, Generic, TypeAlias, TypeVar

import xxhash

from cormorant.base.errors import CormorantError, Unreachable
from cormorant.model.acl import ACL
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Failed, Outcome
from cormorant.model.resource import DiscoveredUrl, Removal, Resource
from cormorant.model.status import Status
from cormorant.model.url import origin_of, try_canonical
from cormorant.net.http.http_session import HttpSession
from cormorant.sources.base import BaseSource, Batches
from cormorant.sources.json_api.client import ApiClient
from cormorant.sources.json_api.cursor import DeltaCursor
from cormorant.sources.json_api.exchange import ApiFault, DiscoverySession, Exchange, visited
from cormorant.sources.json_api.settings import ApiSettings
from cormorant.sources.kind import Tools
from cormorant.sources.protocol import Discovery

A = TypeVar("A", bound=ApiSettings)
C = TypeVar("C", bound=ApiClient)
Marks: TypeAlias = dict[str, Any]
Listing: TypeAlias = Generator[Sequence[DiscoveredUrl | Removal], None, Marks]
"""Batches of a complete listing; at its end how far each part was read."""
Changes: TypeAlias = Generator[Sequence[DiscoveredUrl | Removal], None, Marks | None]
"""Batches of changes; at their end the same, or None when they may not be all, so that everything is to be listed."""
DAY_S: Final = 86_400.0
ADVICE: Final[dict[int, str]] = {
    Status.UNAUTHORIZED: "Keep a valid login in the secret that the source names: `cormorant secret edit NAME`.",
    Status.FORBIDDEN: "Give the login of the source the right to read it; its how-to page says which rights it needs.",
    Status.NOT_FOUND: "Nothing to do: it was deleted, or moved to where the login may not read.",
    Status.GONE: "Nothing to do: it was deleted.",
    Status.TOO_MANY_REQUESTS: "It goes on by itself; raise delay_s of the source, or lower per_host, to ask less.",
    Status.TOO_BIG: "Raise max_size_bytes of the source, where it has that setting.",
    Status.PROTOCOL_ERROR: "Wait for the next try; if it stays, check that url of the source is that of the server.",
}
"""Advice on a status, by its number."""


class ApiSource(BaseSource[A], Generic[A, C]):
    """A source whose discovery is a complete listing, or names the changes since the last one.

    Subclasses give `client`, `listing`, `changes` and `document`. The proof that a discovery gives is known
    when it has ended: LISTING or FEED.
    """

    discovery: ClassVar[Discovery] = Discovery.FEED
    shows_otherwise = True
    advice: ClassVar[Mapping[int, str]] = ADVICE

    def __init__(self, number: int, settings: A, tools: Tools) -> None:
        super().__init__(number, settings, tools)
        self._client: C | None = None
        self._entrance = asyncio.Lock()

    @abstractmethod
    def client(self) -> C:
        """Return a client of the server, with the secrets of the settings."""

    @abstractmethod
    def listing(self, client: C, session: DiscoverySession) -> Listing:
        """Yield batches of everything there is. Raises ApiFault."""

    @abstractmethod
    def changes(self, client: C, session: DiscoverySession, marks: Marks) -> Changes:
        """Yield batches of what changed since a discovery that left these marks. Raises ApiFault."""

    @abstractmethod
    def document(self, client: C, key: str, resource: Resource) -> Exchange[Content | Outcome]:
        """Ask for one document. Raises ApiFault."""

    def discover(self, cursor: str) -> Batches:
        """Yield batches of what changed since the cursor, or of everything.

        Raises Unreachable when the server does not tell everything, and when nothing is left of what there was.
        """
        if self.tools.egress is None:
            raise Unreachable("Nothing may be connected to here.")
        self.discovery = Discovery.FEED  # type: ignore[misc]  # of this discovery, not of its class
        self.next_cursor = ""
        http = HttpSession(self.tools.egress)
        try:
            client = self.client()
            session = DiscoverySession(http.send, client.rest_s, self._delay_s, self.tools.clock)
            yield from self._discovered(client, session, DeltaCursor.of(cursor, self.settings.place))
        except ApiFault as fault:
            raise fault.as_error(self.settings.url) from None
        finally:
            http.close()

    def _discovered(self, client: C, session: DiscoverySession, before: DeltaCursor | None) -> Batches:
        now, place = self.tools.clock.now(), self.settings.place
        if before is not None and now - before.listed_at < self.settings.relist_days * DAY_S:
            named, after = yield from _noted(self.changes(client, session, dict(before.marks)))
            if after is not None:
                self.next_cursor = str(DeltaCursor(place, before.listed_at, before.empty and not named, after))
                return
        self.discovery = Discovery.LISTING  # type: ignore[misc]  # as above
        named, after = yield from _noted(self.listing(client, session))
        if not named and before is not None and not before.empty:
            raise Unreachable(
                f"{self.settings.url} names no document, and did before. Check the rights of the login; if everything "
                "was removed on purpose, crawl with --force."
            )
        self.next_cursor = str(DeltaCursor(place, now, not named, after or {}))

    def _delay_s(self) -> float:
        return self.settings.pace(self.tools.clock.now()).delay_s

    async def fetch(self, resource: Resource, wire: VisitTrace) -> Content | Outcome:
        """Ask for one document, in as many requests as it takes."""
        if self.tools.fetcher is None:
            return Deferred(Status.IO_ERROR, "Nothing may be connected to here.", whole_site=True)
        site = origin_of(resource.address).site
        try:
            client = self._client = self._client or self.client()
            async with self._entrance:
                await visited(client.enter(), self.tools.fetcher, wire, site)
            exchange = self.document(client, self.key_of(resource.address), resource)
            return await visited(exchange, self.tools.fetcher, wire, site)
        except ApiFault as fault:
            return fault.outcome()
        except CormorantError as error:
            return Failed(Status.UNAUTHORIZED, error.sentence)


def _noted(batches: Changes | Listing) -> Generator[Sequence[DiscoveredUrl | Removal], None, tuple[bool, Marks | None]]:
    """Yield the batches; returns whether they named any document, and their marks."""
    named = False
    try:
        while True:
            batch = next(batches)
            named = named or any(isinstance(each, DiscoveredUrl) for each in batch)
            yield batch
    except StopIteration as stop:
        marks: Marks | None = stop.value
        return named, marks


def version_of(*parts: object, acl: ACL | None = None) -> str:
    """Return the version of a document: what changes with its text, and with who may read it."""
    words = "\0".join(map(str, (*parts, *(acl.grants if acl else ()), "", *(acl.denies if acl else ()))))
    return xxhash.xxh3_128_hexdigest(words.encode("utf-8", "replace"))


def shown(address: str) -> str:
    """Return an address that readers may be led to, "" for one that leads to nothing a browser gets."""
    found = try_canonical(address) if address.startswith(("https://", "http://")) else None
    return found if found and len(found) <= 2_000 else ""
