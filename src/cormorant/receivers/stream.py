"""Delivery stream: the events, their order, and the position of each receiver.

The stream is append-only and numbered without gaps: a transaction that appends locks the row of `stream_head` until its
commit, so numbers become visible in their order on every database.
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

    Search must not show the document of an event from 10 to 19 until the index has processed the event.

    LINKS: links or other documents changed a property of it that only the index needs. FOUND: it exists, repeated for
    the one receiver that asked for it, or for the index after its copy was stored again. MOVED: it is at another
    address for which no receiver has had an event; the deletion of the previous address comes first. UNVISITED and its
    companions: no link leads to it any more. WITHDRAWN: it is gone in the run that it came in. The last four belong to
    runs instead of documents.
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
    WITHDRAWN = 13
    STARTED = 20
    FINISHED = 21
    STOPPED = 22
    FAILED = 23

    @property
    def word(self) -> str:
        """The name of the event that receivers get."""
        words = {Event.ACCESS: "changed", Event.MOVED: "new", Event.WITHDRAWN: "deleted"}
        return words.get(self, self.name.lower())

    @property
    def of_run(self) -> bool:
        """Return whether the event belongs to a run instead of a document."""
        return self >= Event.STARTED

    @property
    def of_unvisited(self) -> bool:
        """Return whether the event only reports that no link leads to its document."""
        return self in (Event.UNVISITED, Event.UNVISITED_CHANGED)

    @property
    def of_gone(self) -> bool:
        """Return whether the event's document is gone."""
        return self in (Event.DELETED, Event.UNVISITED_DELETED, Event.WITHDRAWN)

    @property
    def of_known_gone(self) -> bool:
        """Return whether the event's document is gone and was there before the run."""
        return self.of_gone and self is not Event.WITHDRAWN


class NewEvent(NamedTuple):
    """One event without a number yet. `url` is set for a document that no longer exists.

    `receiver` is the number of the only receiver that gets it, None if all do.
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
    """Return the number of the newest event, 0 before the first."""
    return int(tx.execute(_HEAD).scalar_one())


_NAME: Final = sa.select(stream_head.c.installation).where(stream_head.c.id == 1)
"""Executed with every search, so it is built once."""


def named(tx: Tx) -> str | None:
    """Return the name of the `installation`, None if it has none yet."""
    found = tx.execute(_NAME).scalar_one_or_none()
    return None if found is None else str(found)


def installation(tx: Tx, otherwise: str | None = None) -> str:
    """Return the permanent name of this installation: a receiver may get events from several.

    At the first call the name becomes `otherwise`, or a random token.
    """
    name = named(tx)
    if name is None:
        name = otherwise or random_token(8)
        tx.execute(sa.update(stream_head).where(stream_head.c.id == 1).values(installation=name))
    return name


def pass_over(tx: Tx, place: int) -> None:
    """Assign no number up to this one any more: a receiver had it before the database was restored from a backup."""
    tx.execute(sa.update(stream_head).where(stream_head.c.id == 1, stream_head.c.seq < place).values(seq=place))


def after(tx: Tx, place: int, most: int, source: int | None = None, receiver_id: int | None = None) -> list[Numbered]:
    """Return the next events after a place, of all sources or one, and those for `receiver_id` alone."""
    bound = {"place": place, "source": source, "receiver": receiver_id, "most": most}
    rows = tx.rows(_AFTER if source is None else _AFTER_OF_SOURCE, bound)
    return [Numbered(row[0], row[1], row[2], row[3], Event(row[4]), row[5]) for row in rows]


def moment(tx: Tx, seq: int) -> float | None:
    """Return when an event occurred, in epoch seconds; None if that is unknown."""
    return tx.execute(sa.select(stream.c.at).where(stream.c.seq == seq)).scalar_one_or_none()


def count_between(tx: Tx, place: int, upto: int, receiver_id: int, run: int) -> dict[Event, int]:
    """Count the events of a run by kind, for a receiver of all sources, after one place and up to another."""
    columns = stream.c
    between = columns.seq > place, columns.seq <= upto, columns.run == run
    statement = sa.select(columns.event, sa.func.count()).where(*between, addressed_to(None, receiver_id))
    return {Event(row[0]): int(row[1]) for row in tx.rows(statement.group_by(columns.event))}


def addressed_to(source: int | None, receiver_id: int | None) -> sa.ColumnElement[bool]:
    """Return the condition for the events of a receiver: of its source, or of all, except those for another alone."""
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

    It cannot if events after the place are gone, or if the place is beyond the newest event.
    """
    newest = head(tx)
    if place >= newest:
        return place == newest
    first = tx.execute(sa.select(sa.func.min(stream.c.seq)).where(stream.c.seq > place)).scalar_one()
    return bool(first == place + 1)


def trim(tx: Tx) -> int:
    """Delete the events that every receiver has passed; returns their number. Without receivers all are deleted."""
    slowest = tx.execute(sa.select(sa.func.min(receiver.c.place))).scalar_one()
    place = head(tx) if slowest is None else int(slowest)
    dropped = tx.execute(sa.delete(stream).where(stream.c.seq <= place)).rowcount
    if dropped:
        _forget_names(tx, place)
    return dropped


def _forget_names(tx: Tx, place: int) -> None:
    """Delete the names of removed sources for which no event is left to be delivered."""
    columns = former_source.c
    pending = [sa.exists().where(each.c.source_id == columns.id) for each in (stream, faulty)]
    tx.execute(sa.delete(former_source).where(columns.seq <= place, *(sa.not_(each) for each in pending)))


def head_or_none(tx: Tx) -> int | None:
    """Return the same as `head` for a database that may have lost its row."""
    found = tx.execute(sa.select(stream_head.c.seq).where(stream_head.c.id == 1)).scalar_one_or_none()
    return None if found is None else int(found)


def ensure_head(tx: Tx) -> int | None:
    """Restore a lost head after the greatest number known to be assigned, and return that; None if it was there."""
    if head_or_none(tx) is not None:
        return None
    newest = [sa.select(sa.func.max(stream.c.seq)), sa.select(sa.func.max(receiver.c.place))]
    last = max(int(tx.execute(each).scalar_one() or 0) for each in newest)
    tx.execute(sa.insert(stream_head).values(id=1, seq=last))
    return last
