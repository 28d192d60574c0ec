"""Preparation of a run: corrects leftovers of earlier runs before the first visit.

Each step may be repeated after a kill.

waiting versions -> put back     examined documents -> unknown     order of visits -> as the settings now say
for a run that remembers nothing: forget everything except indexed documents
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
    """Carry out the steps drawn above."""
    mass_change_guard.begin(store, row.source_id, row.id)
    modes.begin(store, row)
    if row.refresh is Refresh.SCRATCH:
        await _forget(store, row.source_id)
    await level(store, row, build)


async def _forget(store: Store, source: int) -> None:
    """Forget what is known of a source, one transaction a chunk.

    Also its links: a forgotten address may be found again by the links of an unchanged page.
    """
    more = True
    while more:
        with store.begin() as tx:
            more = reset.forget(tx, source)
        await asyncio.sleep(0)  # other runs go on meanwhile
    await link_graph.again(store, source)


async def level(store: Store, row: RunRow, build: Callable[[RunRow], Source]) -> None:
    """Reorder known resources by the current settings. May be repeated after a kill."""
    with store.read() as tx:
        before = [each.settings.get("priority") for each in runs.since_whole(tx, row)]
    if any(said != row.settings.get("priority") for said in before):
        for _ in reprioritize.reassign_levels(store, row.source_id, build(row).settings.level):
            await asyncio.sleep(0)  # other runs go on meanwhile
