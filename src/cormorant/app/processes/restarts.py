"""Restarts: tells a start of the program from a restart of one child, which goes on with earlier runs.

Whoever was started again by the supervisor goes on with what was begun before.

supervisor starts -> conductor: what was cut off ends, where it is to (`Birth` says that this is done) -> runs go on
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
"""How often a retriever looks whether it may begin."""


class Birth:
    """Made by the supervisor before it forks; all its children see the same."""

    def __init__(self) -> None:
        self._told = mmap.mmap(-1, 1)

    def attend(self, plan: BuildPlan, house: Installation) -> None:
        """End what was cut off, unless that was done since the supervisor began."""
        if self._told[0]:
            return
        restarts.end_cut_off(house, data_dir.node(plan.folder))
        self._told[0] = 1

    async def attended(self, stop: asyncio.Event) -> None:
        """Wait until that is done: what is to end is not visited on. Not longer than until told to stop."""
        while not (self._told[0] or stop.is_set()):
            await nap(LOOK_S, stop)


def end_cut_off(plan: BuildPlan, house: Installation) -> list[RunRow]:
    """The same ahead of an order, so that it begins a new run; returns what was stopped.

    Nothing is done while somebody is at work on the folder, nor can anybody begin meanwhile.
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
