"""Have runs carried out, and watch them to their end: by processes of our own, or by whoever owns the data folder.

owner gone before the end? take its place -.
running(plan) -> look, look, look ... -----+-> every run has ended
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from cormorant.app import folder
from cormorant.app.build import Plan, open_house
from cormorant.app.session import Running, running
from cormorant.base.clock import pause
from cormorant.base.errors import CormorantError, Unreachable
from cormorant.operate import crawl
from cormorant.operate.house import House

LOOK_S = 0.1
STORE_LOOKS = 600
"""Looks in a row at a database that does not answer, before that is told; it may be started again meanwhile."""
LOOK_AT_LOCK = 10
"""How many looks pass between two at the lock of an owner that is somebody else."""


class Watcher(Protocol):
    """Is shown the runs while they go on."""

    def begin(self, *, owner: bool) -> None:
        """The processes are there; `owner` is False when they are another command's."""
        ...

    def look(self, house: House) -> None:
        """Called about ten times a second."""
        ...


class Nobody:
    """Watches nothing."""

    def begin(self, *, owner: bool) -> None:
        """Nothing to say."""

    def look(self, house: House) -> None:
        """Nothing to see."""


def carry_out(plan: Plan, numbers: Sequence[int], watcher: Watcher) -> None:
    """Return when every one of these runs has ended. No store may be open in this process: it forks.

    Raises CormorantError when our processes died.
    """
    ended = False
    while not ended:
        with running(plan) as processes:
            watcher.begin(owner=processes.owner)
            ended = _follow(plan, numbers, processes, watcher)


def _follow(plan: Plan, numbers: Sequence[int], processes: Running, watcher: Watcher) -> bool:
    """Watch until the runs have ended (True) or their owner is gone (False)."""
    house = open_house(plan)
    try:
        return _watch(plan, house, numbers, processes, watcher)
    finally:
        house.store.close()


def _watch(plan: Plan, house: House, numbers: Sequence[int], processes: Running, watcher: Watcher) -> bool:
    looks, unanswered = 0, 0
    while True:
        try:
            states = crawl.states(house, numbers)
            if all(state in crawl.ENDED for state in states.values()):
                return True
            watcher.look(house)
            unanswered = 0
        except Unreachable:
            unanswered += 1
            if unanswered > STORE_LOOKS:
                raise
        looks += 1
        if not processes.alive():
            raise CormorantError(
                "The crawl's processes ended unexpectedly. What was done so far is kept; the same command goes on. "
                f"What they said last is in {plan.folder / 'logs'}."
            )
        if not processes.owner and looks % LOOK_AT_LOCK == 0 and folder.is_free(plan.folder):
            return False
        pause(LOOK_S)
