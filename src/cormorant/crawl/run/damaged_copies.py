"""Damaged copies: recovery of documents whose cached copy fails at delivery, viewing or reindexing.

damage detected -> on the list of rejected deliveries of its receiver
the next run of its source begins -> read again -> still damaged: this run refetches it and stores a new copy
                                               |-> readable: delivered to the receivers that rejected it
                                               `-> its file cannot be reached now: it stays on the list

Never while a run is at work: a visit in flight would write its older state of the document. May be repeated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Final

from cormorant.base.errors import CacheDamaged, CormorantError, DataFolderError
from cormorant.base.log import logger
from cormorant.crawl.run.completion import is_of_store
from cormorant.frontier.staging import staged_versions
from cormorant.frontier.state import refetch
from cormorant.model.run import WITHHELD
from cormorant.receivers import stream
from cormorant.receivers.protocol import DAMAGED
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.blobs.protocol import BlobPlace, OutOfSight
from cormorant.store.catalog import receivers, rejected_deliveries
from cormorant.store.catalog.rejected_deliveries import RejectedDelivery
from cormorant.store.db import bulk
from cormorant.store.schema import content

if TYPE_CHECKING:
    from cormorant.store.blobs.protocol import Cache
    from cormorant.store.db.database import Store, Tx
    from cormorant.store.journal.runs import RunRow

_log = logger(__name__)
AT_ONCE: Final = 50
"""Documents that are read, and refetched or delivered again, at a time."""


async def mend(store: Store, copies: Callable[[], Cache], row: RunRow) -> None:
    """Mark documents for refetching that were rejected because their copy is damaged, if it still is.

    Not for a run that visits only new documents or delivers nothing: another run would have to refetch them
    again. Errors here do not keep the run from beginning.
    """
    if row.new_of is not None or row.mode in WITHHELD:
        return
    with store.read() as tx:
        numbers = [each.id for each in receivers.every(tx)]
    try:
        for number in numbers:
            await _mend(store, copies, row.source_id, number)
    except CormorantError as error:
        if is_of_store(error):
            raise
        _log.warning("copies not looked at", extra={"reason": error.sentence})


async def _mend(store: Store, copies: Callable[[], Cache], source: int, receiver: int) -> None:
    """Check the rejected deliveries of one receiver."""
    behind: int | None = 0
    while behind is not None:
        with store.read() as tx:
            rejected = rejected_deliveries.for_reason(tx, receiver, source, DAMAGED, behind, AT_ONCE)
            places = staged_versions.in_use(tx, set(rejected) - refetch.awaited(tx, rejected))
        if places:
            with closing(copies()) as cache:
                found = {number: _looked_at(cache, staged_versions.place_of(known)) for number, known in places.items()}
            with store.begin() as tx:
                _put_right(tx, source, receiver, found)
        behind = rejected[-1] if len(rejected) == AT_ONCE else None
        await asyncio.sleep(0)  # other runs go on meanwhile


def _put_right(tx: Tx, source: int, receiver: int, found: Mapping[int, bool | None]) -> None:
    """Mark damaged documents for refetching; deliver readable ones to the receiver that rejected them."""
    spoilt = [number for number, whole in found.items() if whole is False]
    whole = [number for number, whole in found.items() if whole]
    refetch.mend(tx, spoilt)
    if spoilt:
        _log.warning("damaged copies refetched", extra={"documents": len(spoilt)})
    if whole:
        stream.append(tx, [NewEvent(source, number, 0, Event.FOUND, None, receiver) for number in whole])
        rejected_deliveries.taken(tx, receiver, whole)


def _looked_at(cache: Cache, place: tuple[int, int, int]) -> bool | None:
    """Return whether a cached copy is intact. None if that is unknown now."""
    try:
        cache.read(BlobPlace(*place))
    except (OutOfSight, DataFolderError):
        return None
    except CacheDamaged:
        return False
    return True


def note(tx: Tx, numbers: Collection[int]) -> None:
    """Add documents to the index's list of rejected deliveries, if there is an index. At most 1,000."""
    index = receivers.index(tx)
    known = rejected_deliveries.of_documents(tx, [index], numbers)
    rows = [
        RejectedDelivery(number, source, seq, 0, int(Event.FOUND), url, DAMAGED)
        for number, source, seq, url in bulk.select_in(tx, content, ("id", "source_id", "seq", "url"), "id", numbers)
    ]
    # In the order in which the provider writes these rows, so that transactions do not deadlock.
    receivers.add_refused(tx, index, [f"{each.url}: {each.reason}" for each in rows if each.resource not in known])
    rejected_deliveries.note(tx, index, rows if index else ())
