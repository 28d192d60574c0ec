"""Payload of a receiver. Events of the stream with the documents they are about, from the rows and the cache."""

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
"""Text of documents in hand at a time: guessed by the size of the original, and known once its copy was read."""


class Payload(NamedTuple):
    """An event with its rows and its kept copy; without them when the document is gone or its copy is damaged.

    Nor are they there, mostly, for an event that tells of links alone. `said` is what links say of the document,
    `depth` how far it is from a start by them, `near` its class, if it is in one with others that are nearly the same.
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
        """It as it is kept should a receiver not take it, for a reason yet to be told."""
        event = self.event
        url = self.row.url if self.row is not None else event.url or ""
        return RejectedDelivery(event.resource, event.source, event.seq, event.run, int(event.event), url, "")


class Sink(Protocol):
    """One receiver at work. `place` is how far it has been read for, in memory; `receive` returns what is confirmed.

    `last_seq` is the number of the last record that the receiver took; 0 for none, and for the index.
    """

    place: int
    last_seq: int

    def prepare(self, tx: Tx, events: Sequence[Numbered]) -> Sequence[Payload]:
        """Look up what the events are about: of the first ones, of one at least, as much as memory should hold.

        Of none when the first is not to be told yet.
        """
        ...

    def receive(self, found: Sequence[Payload], upto: int, now: float) -> int:
        """Deliver, and return the number up to which everything is confirmed. Called in a thread of the outlet's own.

        `upto` is how far the stream has been read: what is not found before it is not for this receiver.
        """
        ...

    def counted(self) -> Mapping[int, Counters]:
        """Return the counters gathered by run since the last call."""
        ...

    def said(self) -> Sequence[Refusal | Stop]:
        """Return the documents that the receiver refused since the last call, and the runs to stop."""
        ...

    def close(self) -> None:
        """Let go."""
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


def _needs_copy(event: Numbered, anew: Container[int]) -> bool:
    """Return whether the copy of an existing document is needed: not for links alone, unless in `anew`.

    What has the number of one that is gone now, if anything, is not what the event is about.
    """
    if event.event is Event.LINKS:
        return event.resource in anew
    return not (event.event.of_gone or event.event.of_run)


class PayloadLoader:
    """Looks up what events are about: rows from the store, kept copies from the cache."""

    def __init__(self, cache: Cache, acls: ACLNumbers) -> None:
        self._cache, self._acls = cache, acls

    def find(
        self, tx: Tx, events: Sequence[Numbered], *, body: bool | Container[str] = False, anew: Container[int] = ()
    ) -> list[Payload]:
        """The newest rows and copies of the events' documents; an event that a newer one follows has them too.

        Of the first events only, of one at least, when there is more to hold at once than `MOST_BYTES`. The original's
        bytes are there if `body` says so, of all or of these types, and what is told `anew` as a whole has its copy
        also where only links say more.
        """
        ids = list({event.resource for event in events if _needs_copy(event, anew)})
        rows = {
            row.id: row
            for start in range(0, len(ids), 1000)
            for row in tx.rows(_ROWS, {"ids": ids[start : start + 1000]})
        }
        found: list[Payload] = []
        frames: dict[int, Frame | None] = {}
        held = 0
        for event in events:
            row = rows.get(event.resource) if _needs_copy(event, anew) else None
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
        """The same with rights, with what links say of each, and with its class."""
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
        """The same with rights."""
        return [each._replace(rights=self.acl(tx, each.row.acl_id)) if each.row else each for each in found]

    def acl(self, tx: Tx, number: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Grants and denies of a number."""
        found = self._acls.list_of(tx, number)
        return found.grants, found.denies
