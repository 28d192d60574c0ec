"""Which table takes which of a batch's rows? Inside the transaction that settles it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cormorant.catalog import faulty, receivers
from cormorant.crawl import links
from cormorant.frontier import hiding, settlement, standing
from cormorant.journal import visits
from cormorant.receivers import stream
from cormorant.receivers.stream import Event

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cormorant.crawl.rows import Rows
    from cormorant.receivers.stream import Entry
    from cormorant.store.database import Tx


def write(tx: Tx, made: Rows, run: int) -> None:
    """Hand the rows to the tables they belong to."""
    first = stream.append(tx, aimed(tx, made.entries)) if made.entries else 0
    settlement.contents(tx, made.numbered(first))
    settlement.validators(tx, made.validators)
    settlement.judged(tx, made.judged)
    settlement.access(tx, made.access)
    settlement.links(tx, made.links)
    standing.claim(tx, made.copies, made.originals)
    settlement.fates(tx, made.fates, run)
    visits.write(tx, made.visits)
    if reweighed := made.regranted | made.returned:
        links.reweigh(tx, made.entries[0].source, run, reweighed)
    hiding.hide_until(tx, made.restricted(first))
    hiding.hide(tx, made.hidden)
    hiding.unhide(tx, made.shown)


def aimed(tx: Tx, entries: Sequence[Entry]) -> Sequence[Entry]:
    """The events in their order, and more: what is as it was is for the index, and for whoever could not take it."""
    renewed = [each for each in entries if each.event is Event.FOUND]
    if not renewed:
        return entries
    index = receivers.index(tx)
    others = [row.id for row in receivers.every(tx) if row.id != index]
    lacking = faulty.of_documents(tx, others, [each.resource for each in renewed])
    aimed = [each._replace(receiver=index) if each.event is Event.FOUND else each for each in entries]
    return aimed + [each._replace(receiver=number) for each in renewed for number, *_ in lacking.get(each.resource, ())]
