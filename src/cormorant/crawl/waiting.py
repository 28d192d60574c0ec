"""When is a run done retrieving, and when delivered? Looked up in the store, since other processes do the work."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from cormorant.catalog import receivers
from cormorant.frontier import progress
from cormorant.journal import runs
from cormorant.receivers import stream

if TYPE_CHECKING:
    from cormorant.journal.runs import RunRow
    from cormorant.model.settings import SourceSettings
    from cormorant.store.database import Store

TICK_S = 0.1


class Ended(NamedTuple):
    """Retrieving ended: because nothing is left (`complete`), or for a reason."""

    complete: bool
    reason: str | None


async def until_retrieved(store: Store, row: RunRow, settings: SourceSettings) -> Ended:
    """Wait until nothing is left, or only what must wait longer than patience, or the run's limit is reached."""
    waiting_since: float | None = None
    while True:
        with store.read() as tx:
            left, now = progress.left(tx, row.source_id, row.generation), tx.now()
            fetched = runs.counters(tx, row.id).fetched
        if left.sites == 0:
            return Ended(complete=True, reason=None)
        if settings.max_documents is not None and fetched >= settings.max_documents:
            return Ended(False, f"max_documents is {settings.max_documents}: more was found than one run may fetch")
        waiting_since = (waiting_since or now) if left.goes_on_at > now else None
        if waiting_since is not None and left.goes_on_at - waiting_since > settings.patience_s:
            return Ended(False, f"what is left must wait longer than patience_s, {settings.patience_s:g} seconds")
        await asyncio.sleep(TICK_S)


async def until_delivered(store: Store, row: RunRow) -> None:
    """Wait until every receiver that takes deliveries has come to the end of what the run found."""
    with store.read() as tx:
        end = stream.newest_of(tx, row.source_id)
    while True:
        with store.read() as tx:
            behind = [each for each in receivers.every(tx) if each.place < end and not each.error and not each.paused]
        if not behind:
            return
        await asyncio.sleep(TICK_S)
