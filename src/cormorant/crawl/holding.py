"""Must the end of a run wait for a person's answer?

what waits is in use, or put back (swallowing) -> links -> absent from a complete listing -> brake? held
accepted ------> all of it in use                    `---> what the brake held is hidden again
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cormorant.crawl import links, sweep
from cormorant.frontier import progress

if TYPE_CHECKING:
    from cormorant.journal.runs import RunRow
    from cormorant.store.database import Store


def is_held(store: Store, row: RunRow, swallowed: str) -> bool:
    """Find out what a run would delete, and hold it if that is too much, or for what it would have overwritten.

    An accepted run is never held.
    """
    links.invert(store, row.source_id)
    if row.asked == "accept":
        with store.begin() as tx:
            progress.hide_leaving(tx, row.source_id, row.id)
        return False
    if row.complete and row.lists:
        sweep.hide_absent(store, row.source_id, row.id, row.unlisted)
    return sweep.braked(store, row.source_id, row.id, swallowed)
