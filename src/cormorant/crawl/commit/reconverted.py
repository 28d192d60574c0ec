"""Reread documents become durable: copies first, then one transaction that claims each as it was read.

    frames -> cache.keep -> BEGIN -> claim -> stream -> content, remark -> leave the rest to the next crawl -> COMMIT

No lease is needed: if a document changed since it was read, the result is dropped. Steps before the transaction may be
repeated; compaction frees the space of their frames in packs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from cormorant.crawl.commit import persist
from cormorant.crawl.commit.batch import MAX_TITLE, frame_of, kept_links
from cormorant.crawl.visit.reconversion import Reconversion
from cormorant.frontier.links import codec
from cormorant.frontier.queue import outdated_texts
from cormorant.frontier.staging import member_rows
from cormorant.frontier.state import refetch
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Resource
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.blobs.protocol import BlobPlace, Cache
from cormorant.store.blobs.record import encode
from cormorant.store.catalog import takedowns
from cormorant.store.db import bulk
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import acl, content, outlinks, resource

_TEXT: Final = (
    "text_hash", "mime", "language", "title", "pack", "pack_offset", "pack_length", "seq",
)  # fmt: skip
_READ: Final = (OutcomeKind.OK, OutcomeKind.UNCHANGED)


@dataclass(slots=True)
class ReconvertedBatch:
    """Reread documents that wait to be settled, with their frames; and documents that are left to a crawl."""

    read: list[Reconversion] = field(default_factory=list)
    frames: list[tuple[int, bytes]] = field(default_factory=list)
    left: list[Resource] = field(default_factory=list)

    def add(self, got: Reconversion) -> None:
        """Add a document, and encode its frame."""
        self.read.append(got)
        self.frames.append((got.resource.id, encode(frame_of(got.document, got.outcome.content))))

    @property
    def size_bytes(self) -> int:
        """Return the size of the frames in bytes."""
        return sum(len(frame) for _, frame in self.frames)

    def settle(self, store: Store, cache: Cache) -> int:
        """Write the batch, or nothing and raise; returns the number of documents whose text is now up to date."""
        places = dict(zip(map(id, self.read), cache.keep(self.frames), strict=True))
        with store.begin() as tx:
            takedowns.hold(tx, alone=False)
            claimed = outdated_texts.claim(tx, [*(each.resource for each in self.read), *self.left])
            entitled = _entitled(tx, self.read)
            kept = [each for each in self.read if each.resource.id in claimed & entitled]
            _write(tx, kept, places)
            left = [each.id for each in self.left] + [number for number in claimed if number not in entitled]
            refetch.leave(tx, sorted({*left, *_leading(tx, kept)} & claimed))
        refused = [places[id(each)] for each in self.read if each not in kept]
        if refused:  # documents taken down meanwhile must not stay on disk
            cache.erase(refused)
        return len(kept)


def _entitled(tx: Tx, read: Sequence[Reconversion]) -> set[int]:
    """Numbers of the documents whose access list is known; the next crawl learns the other lists."""
    lists = {row[0] for row in bulk.select_in(tx, acl, ("id",), "id", {each.resource.acl for each in read})}
    return {each.resource.id for each in read if each.resource.acl in lists}


def _write(tx: Tx, kept: Sequence[Reconversion], places: dict[int, BlobPlace]) -> None:
    """Write texts and remarks, and append events: to receivers for changed texts, to the index for all."""
    if not kept:
        return
    events = [
        NewEvent(each.resource.source, each.resource.id, 0, Event.FOUND if each.says_the_same else Event.CHANGED)
        for each in kept
    ]
    first, now = stream.append(tx, persist.aimed(tx, events)), tx.now()
    texts = [
        (said.text_hash, said.mime, said.language, bulk.storable(said.title[:MAX_TITLE]), *places[id(each)], first + n,
         each.resource.id)
        for n, each in enumerate(kept) for said in [each.document]
    ]  # fmt: skip
    bulk.update(tx, content, _TEXT, ("id",), texts)
    changed = [(now, each.resource.id) for each in kept if not each.says_the_same]
    bulk.update(tx, content, ("changed_at",), ("id",), changed)
    passing = [("", "", b"", each.resource.id) for each in kept if not each.document.content_hash]
    bulk.update(tx, content, ("etag", "modified", "content_hash"), ("id",), passing)
    remarks = [
        (bulk.storable(each.document.remark) if each.document.remark else None, each.resource.id)
        for each in kept
        if each.resource.outcome in _READ
    ]
    bulk.update(tx, resource, ("reason",), ("id",), remarks)


def _leading(tx: Tx, kept: Sequence[Reconversion]) -> set[int]:
    """Documents whose links or members differ from the stored ones. A crawl has to follow them."""
    numbers = [each.resource.id for each in kept]
    known = {row[0]: row[1] for row in bulk.select_in(tx, outlinks, ("id", "links"), "id", numbers)}
    inside = member_rows.versions(tx, numbers)
    return {
        each.resource.id
        for each in kept
        if known.get(each.resource.id, codec.NOTHING) != codec.pack(kept_links(each.outcome) or ())
        or inside[each.resource.id] != each.members
    }
