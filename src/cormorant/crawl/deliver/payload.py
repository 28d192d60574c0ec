"""Payload of a receiver: events of the stream with their documents, from the rows and the cache."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from sys import getsizeof
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import sqlalchemy as sa

from cormorant.base.errors import CacheDamaged
from cormorant.base.log import logger
from cormorant.frontier.links import link_score
from cormorant.frontier.links.link_score import NOTHING, AnchorSummary
from cormorant.frontier.staging import duplicate_clusters
from cormorant.receivers.stream import Event
from cormorant.store.blobs.protocol import BlobPlace
from cormorant.store.catalog.rejected_deliveries import RejectedDelivery
from cormorant.store.db import bulk
from cormorant.store.schema import content, resource, source

if TYPE_CHECKING:
    from cormorant.model.run import Counters
    from cormorant.receivers.protocol import Refusal, Stop
    from cormorant.receivers.stream import Numbered
    from cormorant.store.blobs.protocol import Cache
    from cormorant.store.blobs.record import Frame
    from cormorant.store.catalog.acls import ACLNumbers
    from cormorant.store.db.database import Tx

_log = logger(__name__)
MOST_BYTES = 32 << 20
"""Text of documents in memory at a time, in bytes: estimated by the size of the original until its copy is read."""


class Payload(NamedTuple):
    """An event with its rows and its cached copy; without them if the document is gone or its copy is damaged.

    Events about links alone mostly have neither. `said` is the anchor summary of the document, `depth` its distance
    from a start by links, `near` its class of near duplicates, if it is in one.
    """

    event: Numbered
    row: Any | None
    frame: Frame | None
    rights: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    said: AnchorSummary = NOTHING
    depth: int | None = None
    near: int | None = None

    @property
    def damaged(self) -> bool:
        """Return whether the document exists but its cached copy cannot be read."""
        return self.row is not None and self.frame is None

    @property
    def named(self) -> RejectedDelivery:
        """The delivery as it is stored if a receiver rejects it; the reason is added then."""
        event = self.event
        url = self.row.url if self.row is not None else event.url or ""
        return RejectedDelivery(event.resource, event.source, event.seq, event.run, int(event.event), url, "")


class Sink(Protocol):
    """One receiver at work. `place` is how far events were prepared, in memory; `receive` returns the confirmed place.

    `last_seq` is the number of the last record that the receiver took; 0 for none, and for the index.
    """

    place: int
    last_seq: int

    def prepare(self, tx: Tx, events: Sequence[Numbered]) -> Sequence[Payload]:
        """Look up the documents of the first events: of at least one, and of as many as memory should hold.

        Of none if the first event must be delivered later.
        """
        ...

    def receive(self, found: Sequence[Payload], upto: int, now: float) -> int:
        """Deliver, and return the number up to which everything is confirmed. Called in the sink's own thread.

        `upto` is how far the stream was read: other events before it are not for this receiver.
        """
        ...

    def counted(self) -> Mapping[int, Counters]:
        """Return the counters gathered by run since the last call."""
        ...

    def said(self) -> Sequence[Refusal | Stop]:
        """Return the documents that the receiver refused since the last call, and the runs to stop."""
        ...

    def close(self) -> None:
        """Release all resources."""
        ...


_from = resource.alias("referring")
_ROWS = (
    sa.select(content, resource.c.address, resource.c.depth, _from.c.address.label("referrer"), resource.c.status,
              resource.c.attempts, resource.c.visited_at, source.c.name.label("source"))
    .join(resource, resource.c.id == content.c.id)
    .join(source, source.c.id == content.c.source_id)
    .outerjoin(_from, _from.c.id == resource.c.referrer)
    .where(content.c.id.in_(sa.bindparam("ids", expanding=True)))
)  # fmt: skip


def _needs_copy(event: Numbered, whole: Container[int]) -> bool:
    """Return whether the copy of an existing document is needed: not for links alone, unless in `whole`.

    The document of a deletion is gone; a row with its number may belong to another document.
    """
    if event.event is Event.LINKS:
        return event.resource in whole
    return not (event.event.of_gone or event.event.of_run)


class PayloadLoader:
    """Looks up the documents of events: rows from the store, cached copies from the cache."""

    def __init__(self, cache: Cache, acls: ACLNumbers) -> None:
        self._cache, self._acls = cache, acls

    def find(
        self, tx: Tx, events: Sequence[Numbered], *, body: bool | Container[str] = False, whole: Container[int] = ()
    ) -> list[Payload]:
        """The current rows and copies of the events' documents; an older event of a document has the current ones too.

        Only of the first events, at least of one, if all would need more memory than `MOST_BYTES`. The original's
        bytes are included if `body` says so, for all or for these media types. Documents in `whole` have their copy
        even if an event is about links alone.
        """
        ids = list({event.resource for event in events if _needs_copy(event, whole)})
        rows = {
            row.id: row
            for start in range(0, len(ids), 1000)
            for row in tx.rows(_ROWS, {"ids": ids[start : start + 1000]})
        }
        found: list[Payload] = []
        frames: dict[int, Frame | None] = {}
        held = 0
        for event in events:
            row = rows.get(event.resource) if _needs_copy(event, whole) else None
            if row is None or row.source_id != event.source:
                found.append(Payload(event, None, None))
                continue
            if event.resource not in frames:
                if found and held + row.size_bytes > MOST_BYTES:
                    break
                frame = frames[event.resource] = self._frame(row, body)
                held += getsizeof(frame.text) + len(frame.body) if frame is not None else 0
            found.append(Payload(event, row, frames[event.resource]))
        return found

    def _frame(self, row: Any, body: bool | Container[str]) -> Frame | None:
        wanted = body if isinstance(body, bool) else row.mime in body
        try:
            return self._cache.read(BlobPlace(row.pack, row.pack_offset, row.pack_length), body=wanted)
        except CacheDamaged as error:
            _log.warning("copy damaged", extra={"address": row.url, "reason": error.sentence})
            return None

    def furnished(self, tx: Tx, found: Sequence[Payload]) -> list[Payload]:
        """The payloads with access rights, anchor summaries and classes."""
        numbers = {each.event.resource for each in found}
        said, near = link_score.summaries_of(tx, numbers), duplicate_clusters.labels(tx, numbers)
        linked = {each.event.resource for each in found if each.event.event is Event.LINKS}
        depths = dict(bulk.select_in(tx, resource, ("id", "depth"), "id", linked))
        return [
            each._replace(
                said=said.get(each.event.resource, NOTHING),
                depth=depths.get(each.event.resource),
                near=near.get(each.event.resource),
            )
            for each in self.ruled(tx, found)
        ]

    def ruled(self, tx: Tx, found: Sequence[Payload]) -> list[Payload]:
        """The payloads with access rights."""
        return [each._replace(rights=self.acl(tx, each.row.acl_id)) if each.row else each for each in found]

    def acl(self, tx: Tx, number: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Grants and denies of an access list, by its number."""
        found = self._acls.list_of(tx, number)
        return found.grants, found.denies
