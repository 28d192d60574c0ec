"""Carry out runs and follow them to their end: by processes of our own, or by the owner of the data folder.

owner gone before the end? take its place -.
running(plan) -> look, look, look ... -----+-> every run has ended
                 `-> asked to end: our processes end; an owner suspends the runs that were ordered here
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from cormorant.app import data_dir
from cormorant.app.build import BuildPlan, open_house
from cormorant.app.processes.session import Running, running
from cormorant.app.processes.signals import held_back
from cormorant.base.clock import SystemClock, pause
from cormorant.base.errors import CormorantError, NoRoom, Unreachable
from cormorant.operate.installation import Installation
from cormorant.operate.runs import start, waiting_for
from cormorant.operate.runs.start import Ordered

LOOK_S = 0.1
RARER, RAREST = 1.03, 5.0
"""Seconds between two checks of the processes; and checks between two reads of the runs, which grow with time."""
STORE_LOOKS = 18_000
"""Consecutive checks of a database that does not answer before the command gives up: half an hour, which an update of a
machine may take. Crawling processes wait as long."""
LOOK_AT_LOCK = 10
"""Checks between two tests of the lock of another owner."""


class Watcher(Protocol):
    """Gets the state of the runs while they go on."""

    def begin(self, *, owner: bool) -> None:
        """Called when the processes are there; `owner` is False if they are another command's."""
        ...

    def look(self, house: Installation) -> None:
        """Called ten times a second at first, later twice."""
        ...

    def away(self, error: CormorantError) -> None:
        """Called instead of `look` for as long as the database does not answer, or its disk is full."""
        ...


class Detached(KeyboardInterrupt):
    """Asked to end. `suspended` are runs ordered here that an owner carries out; None: our processes have ended."""

    def __init__(self, suspended: Sequence[Ordered] | None) -> None:
        super().__init__()
        self.suspended = suspended


class Nobody:
    """Ignores all calls."""

    def begin(self, *, owner: bool) -> None:
        """Do nothing."""

    def look(self, house: Installation) -> None:
        """Do nothing."""

    def away(self, error: CormorantError) -> None:
        """Do nothing."""


def carry_out(plan: BuildPlan, ordered: Sequence[Ordered], watcher: Watcher) -> None:
    """Return when all of these runs have ended that this node may carry out: `elsewhere` has the others.

    No store may be open in this process: it forks.

    Raises CormorantError if our processes died, Detached if asked to end.
    """
    numbers, owner = [each.run for each in ordered], None
    ended = len(elsewhere(plan, numbers)) == len(numbers)
    try:
        while not ended:
            with running(plan) as processes:
                owner = processes.owner
                watcher.begin(owner=owner)
                ended = _follow(plan, numbers, processes, watcher)
    except KeyboardInterrupt as asked:
        raise Detached(left_by(asked, plan, ordered) if owner is not True else None) from None


def elsewhere(plan: BuildPlan, numbers: Sequence[int]) -> dict[int, str]:
    """Those of these runs that only another node may carry out, with the name of that node."""
    house = open_house(plan)
    try:
        return waiting_for.elsewhere(house, numbers, waiting_for.node_at(house, _place(plan)))
    finally:
        house.store.close()


def _place(plan: BuildPlan) -> str | None:
    """Return the node whose processes own the data folder; None if there are none."""
    return None if data_dir.is_free(plan.folder) else data_dir.node(plan.folder)


def left_by(asked: KeyboardInterrupt, plan: BuildPlan, ordered: Sequence[Ordered]) -> Sequence[Ordered] | None:
    """Return the runs that an interruption suspended; None if all runs stopped with our own processes.

    It may have come before `carry_out` began, when an owner had already taken the runs.
    """
    if isinstance(asked, Detached):
        return asked.suspended
    return None if data_dir.is_free(plan.folder) else _leave(plan, ordered)


def _leave(plan: BuildPlan, ordered: Sequence[Ordered]) -> list[Ordered]:
    """Suspend the runs that were ordered here; ignores further interruptions meanwhile."""
    left: list[Ordered] = []
    with contextlib.suppress(KeyboardInterrupt), held_back(SystemClock()):
        house = open_house(plan)
        try:
            left = start.leave(house, ordered)
        finally:
            house.store.close()
    return left


def _follow(plan: BuildPlan, numbers: Sequence[int], processes: Running, watcher: Watcher) -> bool:
    """Watch until the runs have ended (True) or their owner is gone (False)."""
    house = open_house(plan)
    try:
        return _watch(plan, house, numbers, processes, watcher)
    finally:
        house.store.close()


def _watch(plan: BuildPlan, house: Installation, numbers: Sequence[int], processes: Running, watcher: Watcher) -> bool:
    looks, between, due, unanswered = 0, 1.0, 0.0, 0.0
    place = None if processes.owner else data_dir.node(plan.folder)
    while True:
        if looks >= due:
            between = min(between * RARER, RAREST)
            due = looks + between
            ended, unanswered = _look(house, numbers, place, watcher, unanswered + between)
            if ended:
                return True
        looks += 1
        processes.look(plan.folder / "logs", "The work so far is kept; the same command continues it.")
        if not processes.owner and looks % LOOK_AT_LOCK == 0 and data_dir.is_free(plan.folder):
            return False
        pause(LOOK_S)


def _look(
    house: Installation, numbers: Sequence[int], place: str | None, watcher: Watcher, unanswered: float
) -> tuple[bool, float]:
    """Check whether all runs have ended, otherwise show them to the watcher.

    Returns that, and the number of checks for which the database has not answered.

    Raises Unreachable or NoRoom if there were too many of these.
    """
    try:
        if start.are_over(house, numbers, waiting_for.node_at(house, place)):
            return True, 0.0
        watcher.look(house)
    except (Unreachable, NoRoom) as error:
        if unanswered > STORE_LOOKS:
            raise
        watcher.away(error)
        return False, unanswered
    return False, 0.0


LOG = "detached.log"
"""The file for the output of such a process, in the log folder."""


def carry_out_later(plan: BuildPlan, ordered: Sequence[Ordered], config: str | None = None) -> Path | None:
    """Start a process that carries these runs out, unless one is at work already.

    Returns its log file, None if another command carries them out. No store may be open here.
    """
    if not ordered or not data_dir.is_free(plan.folder):
        return None
    names = list(dict.fromkeys(each.source for each in ordered))
    said = plan.folder / "logs" / LOG
    options = ["--config", str(Path(config).resolve())] if config else []
    command = [sys.executable, "-m", "cormorant", "--data", str(plan.folder.resolve()), *options, "crawl", *names]
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    files = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
    files += [(os.POSIX_SPAWN_OPEN, number, str(said), flags, 0o600) for number in (1, 2)]
    os.posix_spawn(command[0], command, os.environ, file_actions=files, setsid=True)
    return said
