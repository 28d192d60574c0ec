"""Documents that lie in other documents: attachments of mails, members of archives, embedded files.

    a container is read --> its members are listed, each with its version --> the new and changed ones are visited
    a member is visited --> its bytes come out of the kept copy of its container; nothing is requested

Parts of a container that were unpacked last stay in memory, since its members are visited one after another.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Final, NamedTuple

import sqlalchemy as sa
from msgspec.structs import replace

from cormorant.base.errors import CacheDamaged
from cormorant.extract.detect.formats import format_of
from cormorant.extract.detect.sniff import is_text
from cormorant.extract.job import CONVERSION_FAILED, ConversionFault, ExtractionTask
from cormorant.extract.router import ChildTask
from cormorant.extract.unpack import LIMITS, UnpackedMember, UnpackedPart, UnpackTask, decode_part, encode_unpacking
from cormorant.model.acl import ACL
from cormorant.model.content import Content, Value
from cormorant.model.member import MemberEntry, container_of, depth_of, path_within
from cormorant.model.outcome import Deferred, Failed, Gone, Outcome, Quarantined
from cormorant.model.resource import Resource
from cormorant.model.url import fingerprint
from cormorant.store.blobs.protocol import BlobPlace, Cache
from cormorant.store.db.database import Store
from cormorant.store.schema import content, resource

UNPACK_TASK: Final = "unpack"
"""The task of a limited child that unpacks a container."""
KEPT_BYTES: Final = 64 * 1024 * 1024
"""Bytes of unpacked parts that stay in memory."""
KEPT_PLACES: Final = 16
"""Containers whose member places (which member lies in which part) stay in memory."""
NO_COPY: Final = "The kept copy of its container cannot be read. The next crawl with --force fetches it again."

_BEARING: Final = (b"x-robots-tag", b"link:", b"refresh", b"content-language", b"content-disposition")

Ask = Callable[[ChildTask, tuple[bytes, bytes], Content], Awaitable[bytes | Outcome]]
"""Has a limited child do a task for a document; returns its answer, or the outcome of its failure."""


class MemberListing(NamedTuple):
    """The members of a container, and a sentence about those that could not be listed, "" for none."""

    members: tuple[MemberEntry, ...] = ()
    fault: str = ""


class _Part(NamedTuple):
    """A part of a container in memory: its members by path."""

    members: dict[str, UnpackedMember]
    size_bytes: int


class _Step(NamedTuple):
    """One part on the way through a container: its members by unique paths. `cut`: the container has more."""

    members: dict[str, UnpackedMember]
    cut: bool


class _Container(NamedTuple):
    """The kept copy of a container, and the rights of its documents."""

    key: tuple[str, bytes]
    content: Content
    acl: ACL
    status_line: str
    header_block: bytes


class Containers:
    """Lists and reads the documents that lie in others."""

    def __init__(self, store: Store, cache: Cache, rights: Callable[[int], ACL]) -> None:
        self._store, self._cache, self._rights = store, cache, rights
        self._parts: OrderedDict[tuple[str, bytes, int], _Part] = OrderedDict()
        self._places: OrderedDict[tuple[str, bytes], dict[str, tuple[int, int]]] = OrderedDict()
        self._size = 0

    async def listed(self, found: Content, version: bytes, most_depth: int, ask: Ask) -> MemberListing:
        """List the members of a document; none if it is no container or lies too deep in others."""
        made = format_of(found.mime)
        if made is None or not made.embedded or depth_of(found.address) >= most_depth:
            return MemberListing()
        entries: list[MemberEntry] = []
        cut = False
        async for step in self._walk((found.address, version), found, ask):
            if isinstance(step, ConversionFault):
                return MemberListing(tuple(entries), step.reason)
            cut = step.cut
            entries += [MemberEntry(path, each.version.hex(), len(each.body)) for path, each in step.members.items()]
        return MemberListing(tuple(entries), f"Only its first {len(entries):,} members were read." if cut else "")

    def copy_of(self, document: Resource) -> Content | None:
        """Return the cached copy of a document with its validators; None if its response headers affect how it is read.

        Raises CacheDamaged, which is OutOfSight for a copy that may be whole.
        """
        found = self._opened(document.address, document)
        if found is None or _says_more(found.header_block):
            return None
        return replace(
            found.content, status_line=found.status_line, header_block=found.header_block,
            etag=document.etag, modified=document.modified, acl=found.acl,
        )  # fmt: skip

    async def fetch(self, member: Resource, ask: Ask) -> Content | Outcome:
        """Read a member from the cached copy of its container."""
        container = self._kept_copy(container_of(member.address), member)
        if not isinstance(container, _Container):
            return container
        found = await self._member(container, path_within(member.address), ask)
        if isinstance(found, ConversionFault):
            return Failed(found.status, found.reason)
        if found is None:
            return Gone()
        if found.refusal:
            return Failed(CONVERSION_FAILED, f"It cannot be read: {found.refusal}.")
        name = path_within(member.address).rpartition("/")[2]
        return Content(
            member.address, found.body, found.mime, acl=container.acl, file_name=name, modified_at=found.modified_at
        )

    def _kept_copy(self, address: str, member: Resource) -> _Container | Outcome:
        """Return the cached copy of a member's container, or the outcome if the member cannot be read."""
        try:
            return self._opened(address, member) or Gone()
        except CacheDamaged:
            return Failed(CONVERSION_FAILED, NO_COPY)

    def _opened(self, address: str, member: Resource) -> _Container | None:
        """Return the cached copy of the document at an address of the member's site and source. Raises CacheDamaged."""
        key = fingerprint(address, member.source)
        statement = (
            sa.select(
                content.c.content_hash, content.c.mime, content.c.acl_id, content.c.pack, content.c.pack_offset,
                content.c.pack_length, content.c.modified_at,
            )
            .join(resource, resource.c.id == content.c.id)
            .where(resource.c.site_id == member.site, resource.c.hash == key)
        )  # fmt: skip
        with self._store.read() as tx:
            rows = tx.rows(statement)
        if not rows:
            return None
        row = rows[0]
        frame = self._cache.read(BlobPlace(row.pack, row.pack_offset, row.pack_length))
        name = path_within(address).rpartition("/")[2]
        found = Content(
            address, frame.body, row.mime, frame.charset, file_name=name, modified_at=row.modified_at,
            title=frame.given_title, attributes=_typed(frame.given),
            truncated=frame.truncated and is_text(row.mime),
        )  # fmt: skip
        acl = self._rights(row.acl_id)
        return _Container((address, row.content_hash), found, acl, frame.status_line, frame.header_block)

    async def _member(self, container: _Container, path: str, ask: Ask) -> UnpackedMember | ConversionFault | None:
        """Find a member in memory, or in its part, or by going through the container."""
        place = self._places.get(container.key, {}).get(path)
        if place is not None:
            part = self._parts.get((*container.key, place[0]))
            if part is not None:
                return part.members.get(path)
        async for step in self._walk(container.key, container.content, ask, place or (0, 0)):
            if isinstance(step, ConversionFault):
                return step
            if path in step.members:
                return step.members[path]
        return None

    async def _walk(
        self, key: tuple[str, bytes], found: Content, ask: Ask, begin: tuple[int, int] = (0, 0)
    ) -> AsyncIterator[_Step | ConversionFault]:
        """Yield the parts of a container from a number on; a fault in the place of one that cannot be unpacked."""
        task = ExtractionTask(found.mime, found.address, found.charset, found.called)
        start, before = begin
        places = self._known(key)
        while True:
            payload = encode_unpacking(UnpackTask(task, start, before), found.body)
            answer = await ask(ChildTask(UNPACK_TASK, LIMITS), payload, found)
            part = decode_part(answer) if isinstance(answer, bytes) else _fault_of(answer)
            if isinstance(part, ConversionFault):
                yield part
                return
            named = _named(part, places, start, before)
            self._keep((*key, start), named)
            yield _Step(named, part.cut)
            if part.ended or not part.members:
                return
            start += len(part.members)
            before += sum(len(each.body) for each in part.members)

    def _known(self, key: tuple[str, bytes]) -> dict[str, tuple[int, int]]:
        places = self._places.setdefault(key, {})
        self._places.move_to_end(key)
        while len(self._places) > KEPT_PLACES:
            self._places.popitem(last=False)
        return places

    def _keep(self, key: tuple[str, bytes, int], members: dict[str, UnpackedMember]) -> None:
        size = sum(len(each.body) for each in members.values())
        if key not in self._parts:
            self._parts[key] = _Part(members, size)
            self._size += size
        while self._size > KEPT_BYTES and len(self._parts) > 1:
            self._size -= self._parts.popitem(last=False)[1].size_bytes


def _typed(given: Mapping[str, Value]) -> dict[str, Value]:
    """Return attributes as they were before they were stored: several values are a tuple."""
    return {name: each if isinstance(each, str | float | int) else tuple(each) for name, each in given.items()}  # type: ignore[misc]


def _says_more(header_block: bytes) -> bool:
    """Return whether a response header affects how its document is read or shown."""
    return any(line.lower().startswith(_BEARING) for line in header_block.split(b"\n"))


def _fault_of(outcome: Outcome) -> ConversionFault:
    said = outcome.reason if isinstance(outcome, Deferred | Failed | Quarantined) else ""
    return ConversionFault(CONVERSION_FAILED, said or "It cannot be unpacked.")


def _named(
    part: UnpackedPart, places: dict[str, tuple[int, int]], start: int, before: int
) -> dict[str, UnpackedMember]:
    """Give each member a unique path: an attachment may have no name, or the name of another one."""
    named: dict[str, UnpackedMember] = {}
    for number, each in enumerate(part.members, start):
        path = each.path.strip("/") or f"attachment {number + 1}"
        if places.get(path, (start, before)) != (start, before) or path in named:
            stem, dot, extension = path.rpartition(".")
            path = f"{stem or extension} ({number + 1}){dot}{extension if stem else ''}"
        places[path] = (start, before)
        named[path] = each
    return named
