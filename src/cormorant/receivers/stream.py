"""Delivery stream: the events, their order, and the position of each receiver.

The stream is append-only and numbered without gaps: the row of `stream_head` is locked by whoever appends until it
commits, so numbers become visible in their own order on every store.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple

import sqlalchemy as sa

from cormorant.base.clock import random_token
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import faulty, former_source, receiver, stream, stream_head


class Event(IntEnum):
    """The event that happened to a document.

    From 10 to 19 search must not find it until the index has passed the event.

    LINKS: links, or other documents, say something else of it than before, which is for the index alone. FOUND: it is
    there, told once more to the one receiver that asked for it, or to the index as its copy was kept anew. MOVED: it is
    at another address, where nobody was told of it; that it is gone from the one before comes first. UNVISITED and its
    companions: no link leads to it any more. The last four are of runs and of no document.
    """

    NEW = 1
    CHANGED = 2
    UNVISITED = 3
    UNVISITED_CHANGED = 4
    LINKS = 5
    FOUND = 6
    MOVED = 7
    DELETED = 10
    UNVISITED_DELETED = 11
    ACCESS = 12
    STARTED = 20
    FINISHED = 21
    STOPPED = 22
    FAILED = 23

    @property
    def word(self) -> str:
        """The word receivers are told."""
        return {Event.ACCESS: "changed", Event.MOVED: "new"}.get(self, self.name.lower())

    @property
    def of_run(self) -> bool:
        """Return whether the event concerns a run and no document."""
        return self >= Event.STARTED

    @property
    def of_unvisited(self) -> bool:
        """Return whether the event says only that no link leads to its document."""
        return self in (Event.UNVISITED, Event.UNVISITED_CHANGED)

    @property
    def of_gone(self) -> bool:
        """Return whether the event's document is gone."""
        return self in (Event.DELETED, Event.UNVISITED_DELETED)


class NewEvent(NamedTuple):
    """One event, before it has its number. `url` is set for what is no longer there.

    `receiver` is the number of the only one it is for, None when it is for all.
    """

    source: int
    resource: int
    run: int
    event: Event
    url: str | None = None
    receiver: int | None = None


class Numbered(NamedTuple):
    """One event in the stream."""

    seq: int
    source: int
    resource: int
    run: int
    event: Event
    url: str | None


def append(tx: Tx, entries: Sequence[NewEvent]) -> int:
    """Append events in this order; returns the number of the first. The others follow without a gap."""
    count = len(entries)
    statement = sa.update(stream_head).where(stream_head.c.id == 1).values(seq=stream_head.c.seq + count)
    last = int(tx.execute(statement.returning(stream_head.c.seq)).scalar_one())
    first, at = last - count + 1, tx.now()
    rows = [
        (first + n, e.source, e.resource, e.run, int(e.event), e.url, e.receiver, at) for n, e in enumerate(entries)
    ]
    bulk.insert(tx, stream, ("seq", "source_id", "resource_id", "run", "event", "url", "receiver_id", "at"), rows)
    return first


_HEAD: Final = sa.select(stream_head.c.seq).where(stream_head.c.id == 1)


def head(tx: Tx) -> int:
    """The number of the newest event, 0 before the first."""
    return int(tx.execute(_HEAD).scalar_one())


_NAME: Final = sa.select(stream_head.c.installation).where(stream_head.c.id == 1)
"""Asked with every search, so it is made once."""


def named(tx: Tx) -> str | None:
    """The name of `installation`, None where none was given yet."""
    found = tx.execute(_NAME).scalar_one_or_none()
    return None if found is None else str(found)


def installation(tx: Tx, otherwise: str | None = None) -> str:
    """A name for whoever gives these numbers, which stays the same: receivers may have several installations.

    The first time it is `otherwise`, or one that nobody else has.
    """
    name = named(tx)
    if name is None:
        name = otherwise or random_token(8)
        tx.execute(sa.update(stream_head).where(stream_head.c.id == 1).values(installation=name))
    return name


def pass_over(tx: Tx, place: int) -> None:
    """Give no number up to this one any more: somebody was told of it before a backup of the database was restored."""
    tx.execute(sa.update(stream_head).where(stream_head.c.id == 1, stream_head.c.seq < place).values(seq=place))


def after(tx: Tx, place: int, most: int, source: int | None = None, receiver_id: int | None = None) -> list[Numbered]:
    """The next events behind a place, of all sources or one; also those for this receiver alone, if one is named."""
    bound = {"place": place, "source": source, "receiver": receiver_id, "most": most}
    rows = tx.rows(_AFTER if source is None else _AFTER_OF_SOURCE, bound)
    return [Numbered(row[0], row[1], row[2], row[3], Event(row[4]), row[5]) for row in rows]


def moment(tx: Tx, seq: int) -> float | None:
    """Return when an event occurred, in epoch seconds; None where that is unknown."""
    return tx.execute(sa.select(stream.c.at).where(stream.c.seq == seq)).scalar_one_or_none()


def told_between(tx: Tx, place: int, upto: int, receiver_id: int, run: int) -> dict[Event, int]:
    """Count the events of a run by kind, for a receiver of all sources, after one place and up to another."""
    columns = stream.c
    between = columns.seq > place, columns.seq <= upto, columns.run == run
    statement = sa.select(columns.event, sa.func.count()).where(*between, told(None, receiver_id))
    return {Event(row[0]): int(row[1]) for row in tx.rows(statement.group_by(columns.event))}


def told(source: int | None, receiver_id: int | None) -> sa.ColumnElement[bool]:
    """Return the condition for a receiver's events: of its source, or of all, but not for another alone."""
    columns = stream.c
    mine = sa.or_(columns.receiver_id.is_(None), columns.receiver_id == receiver_id)
    return mine if source is None else sa.and_(mine, columns.source_id == source)


_AFTER: Final = (
    sa.select(stream.c.seq, stream.c.source_id, stream.c.resource_id, stream.c.run, stream.c.event, stream.c.url)
    .where(
        stream.c.seq > sa.bindparam("place"),
        sa.or_(stream.c.receiver_id.is_(None), stream.c.receiver_id == sa.bindparam("receiver")),
    )
    .order_by(stream.c.seq)
    .limit(sa.bindparam("most"))
)
_AFTER_OF_SOURCE: Final = _AFTER.where(stream.c.source_id == sa.bindparam("source"))


def reaches(tx: Tx, place: int) -> bool:
    """Return whether a receiver at this place can continue.

    Not when events behind it are gone, or when it is ahead of all of them.
    """
    newest = head(tx)
    if place >= newest:
        return place == newest
    first = tx.execute(sa.select(sa.func.min(stream.c.seq)).where(stream.c.seq > place)).scalar_one()
    return bool(first == place + 1)


def trim(tx: Tx) -> int:
    """Drop what every receiver has passed; returns how many rows went. Without receivers nothing is kept."""
    slowest = tx.execute(sa.select(sa.func.min(receiver.c.place))).scalar_one()
    place = head(tx) if slowest is None else int(slowest)
    dropped = tx.execute(sa.delete(stream).where(stream.c.seq <= place)).rowcount
    if dropped:
        _forget_names(tx, place)
    return dropped


def _forget_names(tx: Tx, place: int) -> None:
    """Forget what deleted sources were called of which nobody is to be told anything any more."""
    columns = former_source.c
    tells = [sa.exists().where(each.c.source_id == columns.id) for each in (stream, faulty)]
    tx.execute(sa.delete(former_source).where(columns.seq <= place, *(sa.not_(each) for each in tells)))


def head_or_none(tx: Tx) -> int | None:
    """The same as `head` of a database that may have lost it."""
    found = tx.execute(sa.select(stream_head.c.seq).where(stream_head.c.id == 1)).scalar_one_or_none()
    return None if found is None else int(found)


def ensure_head(tx: Tx) -> int | None:
    """Give the stream its head back when it was lost, behind all that is known to have had a number; None if not."""
    if head_or_none(tx) is not None:
        return None
    newest = [sa.select(sa.func.max(stream.c.seq)), sa.select(sa.func.max(receiver.c.place))]
    last = max(int(tx.execute(each).scalar_one() or 0) for each in newest)
    tx.execute(sa.insert(stream_head).values(id=1, seq=last))
    return last
