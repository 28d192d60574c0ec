"""Delete a source with everything that is known about it. Receivers get the deletion of its documents."""

from __future__ import annotations

import sqlalchemy as sa

from cormorant.frontier.staging import pending_deletes
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.catalog import attribute_values, schedules, sources
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx
from cormorant.store.journal import items, schedule_firings
from cormorant.store.schema import (
    claim,
    content,
    exclusion,
    hidden,
    inlinks,
    original,
    outlinks,
    resource,
    run,
    run_count,
    site_fact,
    site_source,
    source,
    version,
    visit,
    withdrawn,
)


def remove(tx: Tx, row: SourceRow) -> int:
    """Remove a source of which no run is under way. Returns how many documents leave the index."""
    gone = say_deleted(tx, content.c.source_id == row.id)
    mine = sa.select(resource.c.id).where(resource.c.source_id == row.id)
    for table in (outlinks, inlinks):
        tx.execute(sa.delete(table).where(table.c.id.in_(mine)))
    tx.execute(sa.delete(visit).where(visit.c.resource_id.in_(mine)))
    tx.execute(sa.delete(site_fact).where(site_fact.c.scope == row.id))
    tx.execute(sa.delete(hidden).where(hidden.c.source_id == row.id, pending_deletes.WAITS))
    tx.execute(sa.delete(run_count).where(run_count.c.run_id.in_(sa.select(run.c.id).where(run.c.source_id == row.id))))
    for each in (content, withdrawn, original, version, resource, claim, exclusion, site_source, run):
        tx.execute(sa.delete(each).where(each.c.source_id == row.id))
    items.forget(tx, row.id)
    _leave_out(tx, row.id)
    if row.test_of is None:
        attribute_values.forget_source(tx, row.name)
    sources.keep_name(tx, row, stream.head(tx))
    tx.execute(sa.delete(source).where(source.c.id == row.id))
    return gone


def say_deleted(tx: Tx, these: sa.ColumnElement[bool]) -> int:
    """Tell receivers of contents that search could find and that are about to go; returns how many there are."""
    columns = content.c
    gone = tx.rows(sa.select(columns.id, columns.source_id, columns.url).where(these, columns.indexed))
    if gone:
        first = stream.append(tx, [NewEvent(each.source_id, each.id, 0, Event.DELETED, each.url) for each in gone])
        pending_deletes.hide_until(tx, [(each.id, each.source_id, 0, first + n) for n, each in enumerate(gone)])
    return len(gone)


def _leave_out(tx: Tx, number: int) -> None:
    """Schedules no longer crawl a source; one that crawls nothing else goes with it."""
    for row in schedules.of_source(tx, number):
        schedules.leave_out(tx, row, number)
        if len(row.plan.sources) == 1:
            schedule_firings.forget(tx, row.id)
            schedules.delete(tx, row.id)
