"""Damaged copies: recovery of documents whose cached copy fails at delivery, viewing or reindexing.

damage met -> on the list of what its receiver could not take
the next run of its source begins -> read once more -> still damaged: this run fetches it whole and keeps it anew
                                                   |-> it can be read: told, as it is, to who could not be told
                                                   `-> it is out of sight: it stays on the list

Never while a run is at work: a visit in flight would write what it knew of the document before. Again after a kill.
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
"""Documents read, and renewed or told anew, at a time."""


async def mend(store: Store, copies: Callable[[], Cache], row: RunRow) -> None:
    """Have a run fetch what receivers could not be told of, and still cannot, since its copy is damaged.

    Not a run that visits only what is new, nor one that tells nobody of what it finds: another would have to fetch all
    of it once more. What goes wrong here keeps no run from beginning.
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
    """Go through the list of one receiver."""
    behind: int | None = 0
    while behind is not None:
        with store.read() as tx:
            told = rejected_deliveries.for_reason(tx, receiver, source, DAMAGED, behind, AT_ONCE)
            places = staged_versions.in_use(tx, set(told) - refetch.awaited(tx, told))
        if places:
            with closing(copies()) as cache:
                found = {number: _looked_at(cache, staged_versions.place_of(known)) for number, known in places.items()}
            with store.begin() as tx:
                _put_right(tx, source, receiver, found)
        behind = told[-1] if len(told) == AT_ONCE else None
        await asyncio.sleep(0)  # other runs go on meanwhile


def _put_right(tx: Tx, source: int, receiver: int, found: Mapping[int, bool | None]) -> None:
    """Renew what is spoilt; what can be read again is told to who could not be told of it, as it is."""
    spoilt = [number for number, whole in found.items() if whole is False]
    whole = [number for number, whole in found.items() if whole]
    refetch.mend(tx, spoilt)
    if spoilt:
        _log.warning("damaged copies fetched anew", extra={"documents": len(spoilt)})
    if whole:
        stream.append(tx, [NewEvent(source, number, 0, Event.FOUND, None, receiver) for number in whole])
        rejected_deliveries.taken(tx, receiver, whole)


def _looked_at(cache: Cache, place: tuple[int, int, int]) -> bool | None:
    """Return whether a cached copy is intact. None where nobody can tell now."""
    try:
        cache.read(BlobPlace(*place))
    except (OutOfSight, DataFolderError):
        return None
    except CacheDamaged:
        return False
    return True


def note(tx: Tx, numbers: Collection[int]) -> None:
    """Put documents on the list of what the index could not be told of, if there is an index. At most 1,000."""
    index = receivers.index(tx)
    known = rejected_deliveries.of_documents(tx, [index], numbers)
    rows = [
        RejectedDelivery(number, source, seq, 0, int(Event.FOUND), url, DAMAGED)
        for number, source, seq, url in bulk.select_in(tx, content, ("id", "source_id", "seq", "url"), "id", numbers)
    ]
    # In the order in which who delivers to it writes them.
    receivers.add_refused(tx, index, [f"{each.url}: {each.reason}" for each in rows if each.resource not in known])
    rejected_deliveries.note(tx, index, rows if index else ())
