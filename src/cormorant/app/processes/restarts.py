"""Restarts: distinguishes a start of the program from a restart of one child, which continues earlier runs.

supervisor starts -> conductor: ends interrupted runs that are not to go on (`Birth` records it) -> runs go on
                 |       `died -> conductor again: runs go on
                 `-> retrievers: wait until this is done
"""

from __future__ import annotations

import asyncio
import mmap
from os import close as close_descriptor

from cormorant.app import data_dir
from cormorant.app.build import BuildPlan
from cormorant.base.polling import nap
from cormorant.operate.installation import Installation
from cormorant.operate.runs import restarts
from cormorant.store.journal.runs import RunRow

LOOK_S = 0.02
"""Seconds between a retriever's checks whether it may begin."""


class Birth:
    """Flag that the supervisor makes before it forks; all its children see the same one."""

    def __init__(self) -> None:
        self._done = mmap.mmap(-1, 1)

    def attend(self, plan: BuildPlan, house: Installation) -> None:
        """End interrupted runs, unless that was done since the supervisor began."""
        if self._done[0]:
            return
        restarts.end_cut_off(house, data_dir.node(plan.folder))
        self._done[0] = 1

    async def attended(self, stop: asyncio.Event) -> None:
        """Wait until that is done, so that runs about to end get no more visits. Ends when `stop` is set."""
        while not (self._done[0] or stop.is_set()):
            await nap(LOOK_S, stop)


def end_cut_off(plan: BuildPlan, house: Installation) -> list[RunRow]:
    """End interrupted runs before an order, so that it begins a new run; returns the stopped runs.

    Does nothing while a process owns the folder; no other process can become the owner meanwhile.
    """
    resting = data_dir.resting(plan.folder)
    if resting is None or not restarts.are_cut_off(house, resting):
        return []
    lock = data_dir.take_lock(plan.folder)
    if lock is None:
        return []
    try:
        return restarts.end_cut_off(house, resting)
    finally:
        close_descriptor(lock)
