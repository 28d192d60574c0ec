"""Rejected deliveries of a receiver: the newest of each document, until one is taken or it is sent again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa

from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, faulty, stream, visit


class RejectedDelivery(NamedTuple):
    """A delivery that a receiver could not take, with its reason. `event` is a number of `receivers.stream`."""

    resource: int
    source: int
    seq: int
    run: int
    event: int
    url: str
    reason: str


_EVENTS: Final = {"new": 1, "content": 2}
"""Event of a delivery, by the change that the journal records: numbers of `receivers.stream.Event`."""
_COLUMNS = ("resource_id", "source_id", "seq", "run", "event", "url", "reason")


def note(tx: Tx, receiver: int, rows: Sequence[RejectedDelivery]) -> None:
    """Store rejected deliveries; each replaces an earlier one of the same document."""
    conflict = bulk.OnConflict(key=("receiver_id", "resource_id"), columns=(*_COLUMNS[1:], "at"))
    now = tx.now()
    kept = [(receiver, *each._replace(url=bulk.storable(each.url), reason=bulk.storable(each.reason)), now)
            for each in rows]  # fmt: skip
    bulk.insert(tx, faulty, ("receiver_id", *_COLUMNS, "at"), kept, conflict)


def taken(tx: Tx, receiver: int, resources: Collection[int]) -> None:
    """Delete the rejections of these documents: the receiver has taken a newer delivery of each."""
    wanted = list(resources)
    mine = faulty.c.receiver_id == receiver
    if not wanted or not tx.rows(sa.select(faulty.c.seq).where(mine).limit(1)):
        return
    for start in range(0, len(wanted), 1000):
        tx.execute(sa.delete(faulty).where(mine, faulty.c.resource_id.in_(wanted[start : start + 1000])))


def of(tx: Tx, receiver: int, most: int, behind: int = 0) -> list[tuple[RejectedDelivery, float]]:
    """Return the deliveries that a receiver could not take, by document, with their times (epoch seconds)."""
    columns = [faulty.c[name] for name in _COLUMNS]
    statement = (
        sa.select(*columns, faulty.c.at)
        .where(faulty.c.receiver_id == receiver, faulty.c.resource_id > behind)
        .order_by(faulty.c.resource_id)
        .limit(most)
    )
    return [(RejectedDelivery(*row[:-1]), row[-1]) for row in tx.rows(statement)]


def of_documents(
    tx: Tx, receivers: Collection[int], resources: Collection[int]
) -> dict[int, list[tuple[int, RejectedDelivery, float]]]:
    """Return the rejections of these documents by these receivers, by document: receiver, delivery and time.

    At most 1,000 documents at a time.
    """
    if not tx.rows(sa.select(faulty.c.seq).limit(1)):
        return {}
    statement = (
        sa.select(faulty.c.receiver_id, *(faulty.c[name] for name in _COLUMNS), faulty.c.at)
        .where(faulty.c.receiver_id.in_(list(receivers)), faulty.c.resource_id.in_(list(resources)))
        .order_by(faulty.c.receiver_id)
    )
    found: dict[int, list[tuple[int, RejectedDelivery, float]]] = {}
    for row in tx.rows(statement):
        found.setdefault(row.resource_id, []).append((row[0], RejectedDelivery(*row[1:-1]), row[-1]))
    return found


def for_reason(tx: Tx, receiver: int, source: int, reason: str, behind: int, most: int) -> list[int]:
    """Return the documents of a source rejected for this reason, after a number, in rising order."""
    columns = faulty.c
    theirs = (columns.receiver_id == receiver, columns.source_id == source, columns.reason == reason)
    statement = sa.select(columns.resource_id).where(*theirs, columns.resource_id > behind)
    return [row[0] for row in tx.rows(statement.order_by(columns.resource_id).limit(most))]


def mended(tx: Tx, receiver: int, reason: str, since: float) -> None:
    """Delete rejections for this reason before a time (epoch seconds): all later documents were delivered again."""
    columns = faulty.c
    old = (columns.receiver_id == receiver, columns.reason == reason, columns.at < since)
    tx.execute(sa.delete(faulty).where(*old))


def count(tx: Tx, receiver: int) -> int:
    """Return the number of documents that a receiver could not take."""
    statement = sa.select(sa.func.count()).where(faulty.c.receiver_id == receiver)
    return int(tx.execute(statement).scalar_one())


def between(tx: Tx, receiver: int, behind: int, upto: int, source: int | None) -> int:
    """Return the number of rejected documents, of a source or of all, after one document number up to another."""
    columns = faulty.c
    where = [columns.receiver_id == receiver, columns.resource_id > behind, columns.resource_id <= upto]
    where += [] if source is None else [columns.source_id == source]
    return int(tx.execute(sa.select(sa.func.count()).where(*where)).scalar_one())


def since(tx: Tx, receiver: int, seq: int, reason: str | None = None) -> int:
    """Return the number of documents with a rejected delivery after a stream number, for this reason or for any."""
    where = [faulty.c.receiver_id == receiver, faulty.c.seq > seq]
    where += [] if reason is None else [faulty.c.reason == reason]
    return int(tx.execute(sa.select(sa.func.count()).where(*where)).scalar_one())


def numbered(tx: Tx, seqs: Collection[int]) -> dict[int, RejectedDelivery]:
    """Return the documents of deliveries with these numbers, as far as known, for receivers that reject late.

    Known are the events still in the stream, and the newest delivery of each document; for the latter `run` and `event`
    are 0 if the journal no longer has the visit. Reads all documents.
    """
    columns = stream.c
    url = sa.func.coalesce(columns.url, content.c.url, "")
    waiting = (
        sa.select(columns.resource_id, columns.source_id, columns.seq, columns.run, columns.event, url)
        .outerjoin(content, content.c.id == columns.resource_id)
        .where(columns.seq.in_(list(seqs)), columns.resource_id > 0)
    )
    newest = (
        sa.select(content.c.id, content.c.source_id, content.c.seq, visit.c.run, visit.c.changed, content.c.url)
        .outerjoin(visit, sa.and_(visit.c.resource_id == content.c.id, visit.c.at == content.c.changed_at))
        .where(content.c.seq.in_(list(seqs)))
    )
    found = {
        seq: RejectedDelivery(number, source, seq, run or 0, _EVENTS.get(changed, 0), address, "")
        for number, source, seq, run, changed, address in tx.rows(newest)
    }
    return found | {
        seq: RejectedDelivery(number, source, seq, run, event, address, "")
        for number, source, seq, run, event, address in tx.rows(waiting)
    }
