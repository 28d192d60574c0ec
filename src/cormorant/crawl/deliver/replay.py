"""Replay: cached documents are appended to the stream again, for the one receiver that asked.

They are appended in chunks, when the receiver has few events before it, each in one transaction with the progress: a
kill loses nothing, a million documents do not fill the stream, and new events take their turn. No source is contacted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import sqlalchemy as sa

from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.catalog import receivers, rejected_deliveries
from cormorant.store.schema import content, faulty as not_taken

if TYPE_CHECKING:
    from cormorant.store.catalog.receivers import ReceiverRow, Replay
    from cormorant.store.db.database import Store, Tx

CHUNK = 500
"""Documents appended at a time."""


def go_on(store: Store, row: ReceiverRow) -> bool:
    """Append the next documents that a receiver is to get again; returns whether there was anything to do."""
    if row.resend is None:
        return False
    with store.begin() as tx:
        wanted = next((each.resend for each in receivers.every(tx) if each.id == row.id), None)
        if wanted is None:
            return False
        entries, behind = (_faulty if wanted.faulty else _kept)(tx, row, wanted)
        if entries:
            stream.append(tx, entries)
        receivers.set_resend(tx, row.id, wanted._replace(behind=behind) if behind < wanted.upto else None)
    return True


def left(tx: Tx, row: ReceiverRow) -> int:
    """Return how many documents of a replay have not been appended to the stream yet."""
    wanted = row.resend
    if wanted is None:
        return 0
    if wanted.faulty:
        return rejected_deliveries.between(tx, row.id, wanted.behind, wanted.upto, wanted.source_id)
    return int(tx.execute(sa.select(sa.func.count()).where(*_wanted(row, wanted))).scalar_one())


def newest(tx: Tx) -> int:
    """The highest number of a document, or of one that a receiver rejected."""
    asked = sa.select(sa.func.max(content.c.id)), sa.select(sa.func.max(not_taken.c.resource_id))
    return max(int(tx.execute(each).scalar_one() or 0) for each in asked)


def _wanted(row: ReceiverRow, wanted: Replay) -> list[sa.ColumnElement[bool]]:
    where = [content.c.indexed, content.c.id > wanted.behind, content.c.id <= wanted.upto]
    source = wanted.source_id if wanted.source_id is not None else row.source_id
    return where if source is None else [*where, content.c.source_id == source]


def _kept(tx: Tx, row: ReceiverRow, wanted: Replay) -> tuple[list[NewEvent], int]:
    """The next cached documents, and the number after which to continue."""
    columns = content.c.id, content.c.source_id
    found = tx.rows(sa.select(*columns).where(*_wanted(row, wanted)).order_by(content.c.id).limit(CHUNK))
    entries = [NewEvent(each.source_id, each.id, 0, Event.FOUND, None, row.id) for each in found]
    return entries, found[-1].id if len(found) == CHUNK else wanted.upto


def _faulty(tx: Tx, row: ReceiverRow, wanted: Replay) -> tuple[list[NewEvent], int]:
    """The next rejected documents, whose rejection is then forgotten; deleted ones get an event for the deletion."""
    found = [
        each for each, _ in rejected_deliveries.of(tx, row.id, CHUNK, wanted.behind) if each.resource <= wanted.upto
    ]
    mine = [each for each in found if wanted.source_id in (None, each.source)]
    there = _there(tx, [each.resource for each in mine])
    rejected_deliveries.taken(tx, row.id, [each.resource for each in mine])
    entries = [
        NewEvent(each.source, each.resource, each.run, Event.FOUND, None, row.id)
        if each.resource in there
        else NewEvent(each.source, each.resource, each.run, Event.DELETED, each.url, row.id)
        for each in mine
    ]
    return entries, found[-1].resource if len(found) == CHUNK else wanted.upto


def _there(tx: Tx, resources: Sequence[int]) -> set[int]:
    there = sa.select(content.c.id).where(content.c.indexed, content.c.id.in_(resources))
    return {row[0] for row in tx.rows(there)}
