"""What becomes of a document whose kept copy is found to be damaged, when it is delivered, looked at or indexed anew?

damage met -> on the list of what its receiver could not take
the next run of its source begins -> read once more -> still damaged: this run fetches it whole and keeps it anew
                                                   `-> it can be read, or is out of sight: it stays as it is

Never while a run is at work: a visit in flight would write what it knew of the document before. Again after a kill.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import closing
from typing import TYPE_CHECKING, Final

from cormorant.base.errors import CacheDamaged, DataFolderError
from cormorant.base.log import logger
from cormorant.cache.protocol import OutOfSight, Place
from cormorant.catalog import faulty, receivers
from cormorant.catalog.faulty import Faulty
from cormorant.frontier import recall, versions
from cormorant.model.run import WITHHELD
from cormorant.receivers.protocol import DAMAGED
from cormorant.receivers.stream import Event
from cormorant.store import bulk
from cormorant.store.schema import content

if TYPE_CHECKING:
    from cormorant.cache.protocol import Cache
    from cormorant.journal.runs import RunRow
    from cormorant.store.database import Store, Tx

_log = logger(__name__)
AT_ONCE: Final = 200
"""Documents read, and renewed, at a time."""


async def mend(store: Store, copies: Callable[[], Cache], row: RunRow) -> None:
    """Have a run fetch what receivers could not be told of, and still cannot, since its copy is damaged.

    Not a run that visits only what is new, nor one that tells nobody of what it finds: another would have to fetch all
    of it once more.
    """
    behind = 0 if row.new_of is None and row.mode not in WITHHELD else None
    while behind is not None:
        behind = _mend_some(store, copies, row.source_id, behind)
        await asyncio.sleep(0)  # other runs go on meanwhile


def _mend_some(store: Store, copies: Callable[[], Cache], source: int, behind: int) -> int | None:
    """The next documents on the lists; behind which number to go on, None when there are no more."""
    with store.read() as tx:
        told = faulty.for_reason(tx, source, DAMAGED, behind, AT_ONCE)
        places = versions.in_use(tx, set(told) - recall.awaited(tx, told))
    if places:
        with closing(copies()) as cache:
            spoilt = [number for number, known in places.items() if _is_spoilt(cache, versions.place_of(known))]
        with store.begin() as tx:
            recall.mend(tx, spoilt)
        if spoilt:
            _log.warning("damaged copies fetched anew", extra={"documents": len(spoilt)})
    return told[-1] if len(told) == AT_ONCE else None


def _is_spoilt(cache: Cache, place: tuple[int, int, int]) -> bool:
    try:
        cache.read(Place(*place))
    except (OutOfSight, DataFolderError):
        return False
    except CacheDamaged:
        return True
    return False


def note(tx: Tx, numbers: Collection[int]) -> None:
    """Put documents on the list of what the index could not be told of, if there is an index. At most 1,000."""
    index = receivers.index(tx)
    known = faulty.of_documents(tx, [index], numbers)
    rows = [
        Faulty(number, source, seq, 0, int(Event.FOUND), url, DAMAGED)
        for number, source, seq, url in bulk.select_in(tx, content, ("id", "source_id", "seq", "url"), "id", numbers)
    ]
    faulty.note(tx, index, rows if index else ())
    receivers.add_refused(tx, index, [f"{each.url}: {each.reason}" for each in rows if each.resource not in known])
