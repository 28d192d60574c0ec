"""A run begins whose rules about which pages come first are others than those of the runs before it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from cormorant.frontier.state import reprioritize
from cormorant.store.journal import runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from cormorant.sources.protocol import Source
    from cormorant.store.db.database import Store
    from cormorant.store.journal.runs import RunRow


async def level(store: Store, row: RunRow, build: Callable[[RunRow], Source]) -> None:
    """Put what is known already into the order that the settings want now. Again after a kill."""
    with store.read() as tx:
        before = [each.settings.get("priority") for each in runs.since_whole(tx, row)]
    if any(said != row.settings.get("priority") for said in before):
        for _ in reprioritize.level_anew(store, row.source_id, build(row).settings.level):
            await asyncio.sleep(0)  # other runs go on meanwhile
