"""Near-duplicate detection: documents are compared on their way into the index.

    events and copies -> sketches -> classes -> index updates of these documents, and of others whose class changed

A repeated comparison changes nothing, so a kill costs one comparison. Unchanged documents have no event.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import sqlalchemy as sa

from cormorant.base.clock import random_token
from cormorant.crawl.deliver.payload import Payload, PayloadLoader
from cormorant.extract.compare.minhash import sketch
from cormorant.frontier.staging.duplicate_clusters import Classes, ClusterChange
from cormorant.model.acl import PUBLIC
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent, Numbered
from cormorant.store.catalog import sources
from cormorant.store.catalog.acls import ACLNumbers
from cormorant.store.schema import content, near

if TYPE_CHECKING:
    from cormorant.store.db.database import Store, Tx

PAGE = 500
SETTING = "near_duplicates"


def compare(store: Store, found: Sequence[Payload]) -> None:
    """Record documents that are about to enter the index; updates of other documents go through the stream."""
    newest = {each.event.resource: each for each in found if not _says_nothing(each.event)}
    if not newest:
        return
    with store.begin() as tx:
        off = _left_out(tx, {each.event.source for each in newest.values()})
        changes = [_cluster_change(each, off) for each in newest.values()]
        whole = {each.event.resource for each in newest.values() if each.row is not None}
        runs = [each.event.run for each in newest.values()]
        _update(tx, changes, whole, max(runs))


def compare_all(store: Store, shelf: PayloadLoader) -> None:
    """Compare documents indexed before there were sketches.

    Sketches of documents that are not indexed, or whose source is not compared, are dropped.
    """
    with store.begin() as tx:
        off = _left_out(tx, {row.id for row in sources.every(tx)})
        indexed = sa.select(content.c.id).where(content.c.id == near.c.id, content.c.indexed).exists()
        stale = sa.select(near).where(sa.or_(near.c.source_id.in_(off), sa.not_(indexed)))
        gone = [ClusterChange(row.id, row.source_id, row.acl_id, b"", row.seq) for row in tx.rows(stale)]
        _update(tx, gone, set(), 0)
    for events in _uncompared(store, off):
        with store.read() as tx:
            found = shelf.find(tx, events)
        compare(store, found)


def _uncompared(store: Store, off: set[int]) -> Iterator[list[Numbered]]:
    """Yield indexed documents that are in no class, as events about them."""
    behind = 0
    while True:
        statement = (
            sa.select(content.c.id, content.c.source_id, content.c.seq)
            .where(
                content.c.indexed, content.c.id > behind, content.c.source_id.not_in(off),
                content.c.id.not_in(sa.select(near.c.id)),
            )
            .order_by(content.c.id)
            .limit(PAGE)
        )  # fmt: skip
        with store.read() as tx:
            rows = tx.rows(statement)
        if not rows:
            return
        behind = rows[-1].id
        yield [Numbered(row.seq, row.source_id, row.id, 0, Event.NEW, None) for row in rows]


def _says_nothing(event: Numbered) -> bool:
    return event.event is Event.LINKS or event.event.of_run or event.event.of_unvisited


def _cluster_change(each: Payload, off: set[int]) -> ClusterChange:
    """Return the change to report to the duplicate clusters; a document with a damaged copy is not compared."""
    event, row, frame = each.event, each.row, each.frame
    if row is None or frame is None or not row.indexed or event.source in off:
        return ClusterChange(event.resource, event.source, 0, b"", event.seq)
    return ClusterChange(event.resource, event.source, row.acl_id, sketch(row.title, frame.text), event.seq)


def _update(tx: Tx, changes: Sequence[ClusterChange], whole: set[int], run: int) -> None:
    """Update the classes, and append index updates for documents whose class changed, except those in `whole`."""
    acls = ACLNumbers()
    classes = Classes(tx, lambda number: acls.list_of(tx, number) == PUBLIC, _fresh)
    changed = classes.update(changes) - whole
    if changed:
        rows = tx.rows(sa.select(near.c.id, near.c.source_id).where(near.c.id.in_(sorted(changed))))
        stream.append(tx, [NewEvent(row.source_id, row.id, run, Event.LINKS) for row in rows])


def _left_out(tx: Tx, numbers: set[int]) -> set[int]:
    """Return those of these sources whose documents are not compared."""
    found = (sources.numbered(tx, number) for number in numbers)
    return {row.id for row in found if row is not None and row.settings.get(SETTING) is False}


def _fresh() -> int:
    return int.from_bytes(bytes.fromhex(random_token(8)), "big", signed=True)
