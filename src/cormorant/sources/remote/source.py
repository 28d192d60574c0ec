"""Remote files source: lists a folder of a server and reads its files, by the adapter of a protocol."""

from __future__ import annotations

import asyncio
import json
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import ClassVar, Final, TypeVar

from msgspec.structs import replace

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.model.acl import ACL, NOBODY
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Failed, Gone, Outcome
from cormorant.model.resource import DiscoveredUrl, Removal, Resource
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import Status
from cormorant.sources.base import BaseSource
from cormorant.sources.connection_pool import ConnectionPool
from cormorant.sources.http_status import StatusClass, status_class
from cormorant.sources.kind import Tools, Unlisted
from cormorant.sources.protocol import Discovery
from cormorant.sources.remote.protocol import ConnectionBroken, RemoteClient, RemoteFile, RemoteRefusal, ServerFull
from cormorant.sources.remote.settings import RemoteSettings
from cormorant.sources.remote.walk import RemoteWalk
from cormorant.sources.trees import absence
from cormorant.sources.trees.filters import TreeGates
from cormorant.sources.trees.tree_urls import mime_of, readable

R = TypeVar("R", bound=RemoteSettings)
T = TypeVar("T")

TRIES: Final = 2
"""Connections on which one file is tried: a kept one may have been closed by the server meanwhile."""
_AWAY: Final = "Check that its server is there; after five such runs the document is removed."
REMOTE_ADVICE: Final[Mapping[int, str]] = {
    Status.FORBIDDEN: "Let the user of the source read the file on its server, or exclude it.",
    Status.NOT_FOUND: "Nothing to do if it was removed or moved on purpose; otherwise put it back where it was.",
    Status.UNAUTHORIZED: "Check the settings user and password, and the account on the server.",
    Status.OUTSIDE_BOUNDARY: "Check the rule shown: include, exclude, hidden, symlinks or depth of the source.",
    Status.TOO_DEEP: "Raise depth, or add a source whose url is a folder nearer to it.",
    Status.UNREACHABLE_1: _AWAY,
    Status.UNREACHABLE_2: _AWAY,
    Status.UNREACHABLE_3: _AWAY,
}
"""Advice on a status, by its number."""


class RemoteFilesSource(BaseSource[R]):
    """A folder of a server. Subclasses give `kind`, `about`, `Settings` and `connect`.

    Where requests are HTTP's, a subclass overrides `read` too, and sends them from the event loop.
    """

    discovery: ClassVar[Discovery] = Discovery.LISTING
    advice = REMOTE_ADVICE
    tracks_moves = True
    rereads_moved = False
    one_listing: ClassVar[bool] = False
    """Whether one listing has everything, so that one connection is enough for discovery."""

    def __init__(self, number: int, settings: R, tools: Tools) -> None:
        super().__init__(number, settings, tools)
        self.naming = settings.naming
        self._tree_gates = self._gates = TreeGates(settings, self.naming)
        self._consent = settings.consented
        self._pool = self._made_pool()
        self._walk: RemoteWalk | None = None

    @abstractmethod
    def connect(self) -> RemoteClient:
        """Return a new connection that is logged in. Raises Unreachable, LoginRefused and ConnectionBroken."""

    def discover(self, cursor: str) -> Iterator[Sequence[DiscoveredUrl | Removal]]:
        """Yield every file in batches. Files that rules leave out are among them, except below excluded folders.

        Raises Unreachable when the server or the folder is missing, when it is another one than `cursor` remembers, or
        when it is suddenly empty, and LoginRefused.
        """
        self.next_cursor = ""
        parallel, pool = 1 if self.one_listing else self.settings.per_host, self._made_pool()
        walk = self._walk = RemoteWalk(pool, self.naming, self._tree_gates, parallel, self.tools.veto)
        self.unlisted, self.closed, self.vetoed = walk.unlisted, walk.closed, walk.vetoed
        try:
            identity = self._identity(pool)
            self._see_same(cursor, identity)
            yield from walk.files()
        finally:
            pool.close()
        self._see_filled(cursor, empty=walk.entries == 0)
        self.next_cursor = json.dumps({"url": self.settings.url, "folder": identity, "empty": walk.entries == 0})

    def absence(self, address: str) -> Unlisted | None:
        """Return why no listing names a file or a folder below the root."""
        return absence.of_address(self._tree_gates, self.naming, address)

    def _made_pool(self) -> ConnectionPool[RemoteClient]:
        return ConnectionPool(self.connect, lambda client: client.close(), self.tools.clock)

    def _see_same(self, cursor: str, identity: str) -> None:
        before = self._remembered(cursor)
        if before is not None and before[0] != identity:
            raise Unreachable(
                f"The folder {self.settings.url} is another one than before. Check the server; if it was replaced on "
                "purpose, crawl with --force."
            )

    def _see_filled(self, cursor: str, *, empty: bool) -> None:
        before = self._remembered(cursor)
        if empty and before is not None and not before[1]:
            raise Unreachable(
                f"The folder {self.settings.url} is empty, and was not before. Check the server; if it was emptied on "
                "purpose, crawl with --force."
            )

    def _identity(self, pool: ConnectionPool[RemoteClient]) -> str:
        """Ask which folder the root is, by which it is seen that it is there."""
        try:
            return _on_a_connection(pool, lambda client: client.identity())
        except ConnectionBroken as broken:
            raise Unreachable(f"{broken.sentence} Check the server, and the network to it.") from broken
        except RemoteRefusal as refusal:
            raise Unreachable(
                f"The folder {self.settings.url} cannot be opened: {refusal.sentence} Check the setting url, and the "
                "rights of the user."
            ) from refusal

    def _remembered(self, cursor: str) -> tuple[str, bool] | None:
        """Read a cursor: which folder it was and whether it was empty. None when it is of another address."""
        kept = json.loads(cursor) if cursor else {}
        return (str(kept["folder"]), bool(kept["empty"])) if kept.get("url") == self.settings.url else None

    async def fetch(self, resource: Resource, wire: VisitTrace) -> Content | Outcome:
        """Read a file, whatever is known of it: only what a listing shows as changed is asked for."""
        parts = self.naming.parts(resource.address)
        if not parts:
            return Failed(Status.BAD_REQUEST, "This is not the address of a file in the folder.")
        refusal = self._tree_gates.of_type(mime_of(parts[-1]))
        if refusal is not None:
            return Excluded(refusal, refusal.status)
        try:
            async with asyncio.timeout(self.settings.timeout_s):
                found = await self.read(parts, resource, wire)
        except TimeoutError:
            return Deferred(
                Status.READ_TIMEOUT,
                f"The file was not read within {self.settings.timeout_s:g} seconds.",
                whole_site=True,
            )
        except (LoginRefused, Unreachable, ConnectionBroken, RemoteRefusal) as error:
            if isinstance(error, RemoteRefusal) and error.status == Status.TOO_BIG:
                return self._too_big(None)
            return outcome_of(error, unknown=NOBODY if self.settings.owner_grants else None)
        if not isinstance(found, RemoteFile):
            return found
        wire.received += found.received
        wire.decoded += len(found.body)
        return self._content(resource.address, parts[-1], found)

    async def read(self, parts: Sequence[bytes], resource: Resource, wire: VisitTrace) -> RemoteFile | Outcome:  # noqa: ARG002 - a protocol may count its requests, and know a version
        """Read a file, in a thread. Raises what a RemoteClient raises, and LoginRefused."""
        limit = self.settings.max_size_bytes
        return await asyncio.to_thread(_on_a_connection, self._pool, lambda client: client.read(parts, limit))

    def _content(self, address: str, name: bytes, found: RemoteFile) -> Content | Outcome:
        limit = self.settings.max_size_bytes
        acl = found.acl
        if acl is not None and self.settings.denies:
            acl = ACL.of(acl.grants, (*acl.denies, *self.settings.denies))
        too_big = max(found.size, len(found.body)) > limit
        if too_big and self.settings.too_big == "drop":
            return self._too_big(acl)
        content = Content(address, found.body[:limit], found.mime or mime_of(name), found.charset)
        return replace(
            content,
            directives=() if self.settings.follow_links else ("nofollow",),
            file_name=readable(name),
            modified_at=found.modified_at,
            acl=acl,
            truncated=too_big,
            attributes=found.attributes,
        )

    def _too_big(self, acl: ACL | None) -> Outcome:
        rule = Ruling(False, Gate.SIZE, f"max_size_bytes = {self.settings.max_size_bytes}", Status.TOO_BIG)
        return Excluded(rule, Status.TOO_BIG, acl=acl)

    def display(self, address: str) -> str:
        """Return the address that readers are shown."""
        return self.naming.display(address)

    async def close(self) -> None:
        """Let go of the connections."""
        if self._walk is not None:
            self._walk.stop()
        await asyncio.to_thread(self._pool.close)


def _on_a_connection(pool: ConnectionPool[RemoteClient], act: Callable[[RemoteClient], T]) -> T:
    """Do something on a connection, once more on another one where it breaks."""
    for _ in range(TRIES - 1):
        with suppress(ConnectionBroken):
            return _once(pool, act)
    return _once(pool, act)


def _once(pool: ConnectionPool[RemoteClient], act: Callable[[RemoteClient], T]) -> T:
    """Do something on a connection, which is good for more after a refusal."""
    with pool.connection() as client:
        try:
            return act(client)
        except RemoteRefusal as error:
            refusal = error
    raise refusal


def outcome_of(error: Exception, unknown: ACL | None) -> Outcome:
    """Return the outcome of a file that could not be read. `unknown` is who may read one whose rights are not known."""
    if isinstance(error, LoginRefused):
        return Deferred(Status.UNAUTHORIZED, error.sentence, whole_site=True)
    if isinstance(error, Unreachable):
        return Deferred(Status.CONNECTION_REFUSED, error.sentence, whole_site=True)
    if isinstance(error, ServerFull):
        return Deferred(Status.SERVICE_UNAVAILABLE, error.sentence, whole_site=True)
    if isinstance(error, ConnectionBroken):
        return Deferred(Status.BROKEN_STREAM, error.sentence)
    if not isinstance(error, RemoteRefusal):
        raise TypeError(f"{type(error).__name__} is no fault of a server") from error
    if error.status in (Status.NOT_FOUND, Status.GONE):
        return Gone(error.status)
    if error.status == Status.COLLECTION:
        return Excluded(Ruling(False, Gate.TYPE, error.sentence, Status.COLLECTION), Status.COLLECTION)
    if error.status == Status.OUTSIDE_BOUNDARY:
        return Excluded(Ruling(False, Gate.BOUNDARY, error.sentence, Status.OUTSIDE_BOUNDARY), Status.OUTSIDE_BOUNDARY)
    if error.status == Status.IO_ERROR or status_class(error.status) in _MOMENTARY:
        return Deferred(error.status, error.sentence)
    return Failed(error.status, error.sentence, acl=unknown if error.status == Status.FORBIDDEN else None)


_MOMENTARY: Final = (StatusClass.MOMENTARY, StatusClass.OVERLOADED)
"""Classes of refusals that may not last, whose numbers other protocols use too."""
