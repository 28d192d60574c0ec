"""Acknowledgement of a batch by a receiver: its position, refused documents, and runs it wants stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cormorant.base.errors import NotFoundError
from cormorant.crawl.run import transitions
from cormorant.frontier.staging import pending_deletes
from cormorant.model.run import Counters
from cormorant.receivers import stream
from cormorant.receivers.protocol import Refusal, Stop
from cormorant.receivers.stream import Event
from cormorant.store.catalog import receivers, rejected_deliveries
from cormorant.store.catalog.rejected_deliveries import RejectedDelivery
from cormorant.store.journal import runs

if TYPE_CHECKING:
    from cormorant.crawl.deliver.payload import Payload
    from cormorant.crawl.deliver.receiver_task import ReceiverTask
    from cormorant.receivers.stream import Numbered
    from cormorant.store.catalog.receivers import ReceiverRow
    from cormorant.store.db.database import Tx


def end(found: Sequence[Payload], events: Sequence[Numbered]) -> int:
    """The last number of a batch that begins these events; the number before the first if the batch is empty."""
    return found[-1].event.seq if found else events[0].seq - 1


def acknowledge(tx: Tx, row: ReceiverRow, errand: ReceiverTask, place: int) -> None:
    """Write the place, rejected deliveries, counters by run, and documents that left the index."""
    receivers.set_place(tx, row.id, place, errand.outlet.last_seq)
    said = errand.outlet.said()
    seen = {seq: each for seq, each in errand.seen.items() if seq <= place}
    _refuse(tx, row, seen, [each for each in said if isinstance(each, Refusal)])
    for each in said:
        if isinstance(each, Stop):
            _stop(tx, row, each)
    if row.kind == receivers.INDEX:
        pending_deletes.passed(tx, place)
    for run, counters in errand.outlet.counted().items():
        total = runs.counted_by(tx, run, f"receiver {row.name}")
        total.add(counters)
        runs.count(tx, run, f"receiver {row.name}", total)
    stream.trim(tx)
    errand.confirmed, errand.seen = place, {seq: each for seq, each in errand.seen.items() if seq > place}


def overtake(tx: Tx, place: int) -> None:
    """Move the index to `place` after it was rebuilt, and count the events before that as delivered.

    Only for runs under way; the counters of other runs are final. The index may have moved past `place` meanwhile.
    """
    number, passed = receivers.index(tx), receivers.index_place(tx)
    if not number or place < passed <= stream.head(tx):
        return
    for run in runs.open_runs(tx):
        events = stream.count_between(tx, passed, place, number, run.id)
        if events:
            total = runs.counted_by(tx, run.id, f"receiver {receivers.INDEX}")
            total.add(_index_counters(events))
            runs.count(tx, run.id, f"receiver {receivers.INDEX}", total)
    receivers.set_place(tx, number, place)
    pending_deletes.passed(tx, place)
    stream.trim(tx)


def _index_counters(events: Mapping[Event, int]) -> Counters:
    """Return the index counters for events delivered to the index, given how many there are of each kind."""
    counters = Counters(indexed=events.get(Event.NEW, 0), index_link_updates=events.get(Event.LINKS, 0))
    for event, count in events.items():
        if event.of_gone:
            counters.index_deletes += count
            counters.deleted += count if event.of_known_gone else 0
        elif not (event is Event.LINKS or event.of_run or event.of_unvisited):
            counters.index_writes += count
    return counters


def _refuse(tx: Tx, row: ReceiverRow, seen: Mapping[int, RejectedDelivery], refusals: Sequence[Refusal]) -> None:
    """Store rejected deliveries; forget older rejections of documents that were now accepted."""
    if not refusals and not row.refused:
        return
    numbers = {each.seq for each in refusals}
    late = numbers - seen.keys()
    whole = sorted((seq, each.resource) for seq, each in seen.items() if not _is_beside(Event(each.event)))
    taken = {resource: seq for seq, resource in whole if seq not in numbers}
    known = {**seen, **(rejected_deliveries.numbered(tx, late) if late else {})}
    rows = [known[each.seq]._replace(reason=each.reason) for each in refusals if each.seq in known]
    rows = [each for each in rows if each.seq > taken.get(each.resource, 0)]
    rejected_deliveries.taken(tx, row.id, taken.keys() - {each.resource for each in rows})
    rejected_deliveries.note(tx, row.id, rows)
    urls = {number: each.url for number, each in known.items()}
    lines = [f"{urls.get(each.seq, '')} (number {each.seq}): {each.reason}".lstrip() for each in refusals]
    receivers.add_refused(tx, row.id, lines)


def _is_beside(event: Event) -> bool:
    """Return whether an event is not about the content of a document."""
    return event is Event.LINKS or event.of_unvisited


def _stop(tx: Tx, row: ReceiverRow, asked: Stop) -> None:
    """End a run that a receiver wants to end, if the receiver gets events of its source."""
    try:
        found = runs.get(tx, asked.run)
    except NotFoundError:
        return
    if row.source_id in (None, found.source_id):
        transitions.stop(tx, found, f"The receiver {row.name!r} stopped it: {asked.reason}")
