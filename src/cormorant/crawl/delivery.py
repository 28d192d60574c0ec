"""What is a receiver told? Events of the stream with the documents they are about, from the rows and the cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import sqlalchemy as sa

from cormorant.base.errors import CacheDamaged
from cormorant.cache.protocol import Place
from cormorant.receivers.stream import Event
from cormorant.store.schema import content, resource, source

if TYPE_CHECKING:
    from cormorant.cache.frame import Frame
    from cormorant.cache.protocol import Cache
    from cormorant.catalog.acls import ACLNumbers
    from cormorant.model.run import Counters
    from cormorant.receivers.stream import Numbered
    from cormorant.store.database import Tx


class Found(NamedTuple):
    """An event with its rows and its kept copy; without them when the document is gone or its copy is damaged."""

    event: Numbered
    row: Any | None
    frame: Frame | None
    rights: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


class Outlet(Protocol):
    """One receiver at work. `place` is how far it has been read for, in memory; `receive` returns what is confirmed."""

    place: int

    def prepare(self, tx: Tx, events: Sequence[Numbered]) -> Sequence[Found]:
        """Look up what the events are about."""
        ...

    def receive(self, found: Sequence[Found], now: float) -> int:
        """Deliver, and return the number up to which everything is confirmed."""
        ...

    def counted(self) -> Mapping[int, Counters]:
        """What has been counted by run since the last call."""
        ...

    def close(self) -> None:
        """Let go."""
        ...


_ROWS = (
    sa.select(content, resource.c.address, resource.c.depth, resource.c.referrer, resource.c.status,
              resource.c.attempts, resource.c.visited_at, source.c.name.label("source"))
    .join(resource, resource.c.id == content.c.id)
    .join(source, source.c.id == content.c.source_id)
    .where(content.c.id.in_(sa.bindparam("ids", expanding=True)))
)  # fmt: skip


class Shelf:
    """Looks up what events are about: rows from the store, kept copies from the cache."""

    def __init__(self, cache: Cache, acls: ACLNumbers) -> None:
        self._cache, self._acls = cache, acls

    def find(self, tx: Tx, events: Sequence[Numbered]) -> list[Found]:
        """The newest rows and copies of the events' documents; an event that a newer one follows has them too."""
        ids = list({event.resource for event in events if event.event < Event.DELETED or event.event is Event.ACCESS})
        rows = {
            row.id: row
            for start in range(0, len(ids), 1000)
            for row in tx.rows(_ROWS, {"ids": ids[start : start + 1000]})
        }
        return [Found(event, row, self._frame(row)) for event in events for row in (rows.get(event.resource),)]

    def _frame(self, row: Any | None) -> Frame | None:
        if row is None:
            return None
        try:
            return self._cache.read(Place(row.pack, row.pack_offset, row.pack_length))
        except CacheDamaged:
            return None

    def acl(self, tx: Tx, number: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Grants and denies of a number."""
        found = self._acls.list_of(tx, number)
        return found.grants, found.denies
