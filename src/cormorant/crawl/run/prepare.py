"""Preparation of a run: corrects leftovers of earlier runs before the first visit.

Each step may be repeated after a kill.

what waited for a person -> as it was     what was examined -> unknown     order of visits -> as the settings want it
of all that is known nothing but the documents that can be found, where nothing is to be remembered
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from cormorant.crawl.commit import mass_change_guard, modes
from cormorant.crawl.finish import link_graph
from cormorant.frontier.cleanup import reset
from cormorant.frontier.state import reprioritize
from cormorant.model.run import Refresh
from cormorant.store.journal import runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from cormorant.sources.protocol import Source
    from cormorant.store.db.database import Store
    from cormorant.store.journal.runs import RunRow


async def prepare(store: Store, row: RunRow, build: Callable[[RunRow], Source]) -> None:
    """Take the steps of the drawing."""
    mass_change_guard.begin(store, row.source_id, row.id)
    modes.begin(store, row)
    if row.refresh is Refresh.SCRATCH:
        await _forget(store, row.source_id)
    await level(store, row, build)


async def _forget(store: Store, source: int) -> None:
    """Forget what is known of a source, a transaction a chunk.

    Also who links to what: an address that was forgotten may come back by the links of a page that says what it said.
    """
    more = True
    while more:
        with store.begin() as tx:
            more = reset.forget(tx, source)
        await asyncio.sleep(0)  # other runs go on meanwhile
    await link_graph.again(store, source)


async def level(store: Store, row: RunRow, build: Callable[[RunRow], Source]) -> None:
    """Put what is known already into the order that the settings want now. Again after a kill."""
    with store.read() as tx:
        before = [each.settings.get("priority") for each in runs.since_whole(tx, row)]
    if any(said != row.settings.get("priority") for said in before):
        for _ in reprioritize.reassign_levels(store, row.source_id, build(row).settings.level):
            await asyncio.sleep(0)  # other runs go on meanwhile
