"""Persistence of a batch: the mapping of its rows to database tables. Called in the transaction that settles it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cormorant.crawl.finish import link_graph
from cormorant.frontier.staging import pending_deletes
from cormorant.frontier.state import canonical_target, writes
from cormorant.receivers import stream
from cormorant.receivers.stream import Event
from cormorant.store.catalog import receivers, rejected_deliveries
from cormorant.store.journal import visits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cormorant.crawl.commit.batch import BatchRows
    from cormorant.receivers.stream import NewEvent
    from cormorant.store.db.database import Tx


def write(tx: Tx, made: BatchRows, run: int) -> None:
    """Write the rows to their tables."""
    first = stream.append(tx, aimed(tx, made.entries)) if made.entries else 0
    writes.contents(tx, made.numbered(first))
    writes.validators(tx, made.validators)
    writes.judged(tx, made.judged)
    writes.access(tx, made.access)
    writes.links(tx, made.links)
    canonical_target.claim(tx, made.copies, made.originals)
    writes.fates(tx, made.fates, run)
    visits.write(tx, made.visits)
    if reweighed := made.regranted | made.returned:
        link_graph.reweigh(tx, made.entries[0].source, run, reweighed)
    pending_deletes.hide_until(tx, made.restricted(first))
    pending_deletes.hide(tx, made.hidden)
    pending_deletes.unhide(tx, made.shown)


def aimed(tx: Tx, entries: Sequence[NewEvent]) -> Sequence[NewEvent]:
    """The events in order; those of unchanged documents go to the index, and to receivers that rejected them before."""
    renewed = [each for each in entries if each.event is Event.FOUND]
    if not renewed:
        return entries
    index = receivers.index(tx)
    others = [row.id for row in receivers.every(tx) if row.id != index]
    lacking = rejected_deliveries.of_documents(tx, others, [each.resource for each in renewed])
    aimed = [each._replace(receiver=index) if each.event is Event.FOUND else each for each in entries]
    return aimed + [each._replace(receiver=number) for each in renewed for number, *_ in lacking.get(each.resource, ())]
