"""What is a schedule, and what becomes of each time at which it fires?

fires -> LAUNCHING -> EXECUTING -> FINISHED, PARTIALLY_FAILED, FAILED, STOPPED      the sources, one after another
   |-> QUEUED -> LAUNCHING          the launch before is still under way, and it is to wait
   `-> SKIPPED                      the same, or nothing was at work at that time, and it is to be left out
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from cormorant.model.run import Refresh

LATE_S: Final = 120.0
"""Behind its time a launch has been missed: longer than a restart takes."""


class Overrun(StrEnum):
    """What becomes of a time at which the launch before is still under way: left out, done behind it, or instead."""

    SKIP = "skip"
    QUEUE = "queue"
    RESTART = "restart"


class MissedPolicy(StrEnum):
    """What becomes of times at which nothing was at work: one launch as soon as something is, or none."""

    RUN = "run"
    SKIP = "skip"


class Revisit(StrEnum):
    """What a schedule has visited of what is known, as `Refresh` says it: nothing is forgotten with nobody there."""

    ALL = Refresh.ALL.value
    DUE = Refresh.DUE.value
    APPEND = Refresh.APPEND.value


class FiringReason(StrEnum):
    """Why there was a launch: it was time, it had been time while nothing was at work, or a person asked for it."""

    DUE = "due"
    MISSED = "missed"
    STARTED = "started"


class LaunchState(StrEnum):
    """The states of the drawing above."""

    QUEUED = "queued"
    LAUNCHING = "launching"
    EXECUTING = "executing"
    FINISHED = "finished"
    PARTIALLY_FAILED = "partially_failed"
    FAILED = "failed"
    STOPPED = "stopped"
    SKIPPED = "skipped"


OPEN_LAUNCHES: Final = (LaunchState.QUEUED, LaunchState.LAUNCHING, LaunchState.EXECUTING)
"""States in which somebody must go on with it."""


class ScheduleState(StrEnum):
    """What a schedule does, or how it went last.

    INDEXING_PENDING: what one of its sources was examined for waits until a person has it indexed, or stops the run.
    """

    SCHEDULED = "scheduled"
    LAUNCHING = "launching"
    EXECUTING = "executing"
    INDEXING_PENDING = "indexing_pending"
    FAILED = "failed"
    PARTIALLY_FAILED = "partially_failed"
    STOPPED = "stopped"
    DISABLED = "disabled"


class Hold(StrEnum):
    """Who suspended the run of a launch outside of its hours: the schedule; and a person went on with it since."""

    WINDOW = "window"
    RELEASED = "released"


class Fired(NamedTuple):
    """What becomes of a time: the state its launch begins with, why there is one, what is said; `stops` the other."""

    state: LaunchState
    why: FiringReason
    reason: str | None = None
    stops: bool = False


def fired(late_s: float, missed: MissedPolicy, overrun: Overrun, *, busy: bool, waits: bool) -> Fired:
    """Decide on a time that has come `late_s` ago. `busy`: a launch is under way; `waits`: another is queued."""
    why = FiringReason.MISSED if late_s > LATE_S else FiringReason.DUE
    if why is FiringReason.MISSED and missed is MissedPolicy.SKIP:
        return Fired(LaunchState.SKIPPED, why, "Nothing was at work at that time, and what is missed is skipped.")
    said = "Nothing was at work at that time, so it was done later." if why is FiringReason.MISSED else None
    if not busy:
        return Fired(LaunchState.LAUNCHING, why, said)
    match overrun:
        case Overrun.SKIP:
            return Fired(LaunchState.SKIPPED, why, "The launch before was still under way.")
        case Overrun.QUEUE if waits:
            return Fired(LaunchState.SKIPPED, why, "The launch before was still under way, and another one waited.")
        case Overrun.QUEUE:
            return Fired(LaunchState.QUEUED, why, "It waits for the launch before, which is still under way.")
        case Overrun.RESTART:
            return Fired(LaunchState.LAUNCHING, why, "The launch before was stopped for it.", stops=True)


def ended(failed: int, total: int) -> LaunchState:
    """How a launch has ended, of whose sources so many failed."""
    if failed == 0:
        return LaunchState.FINISHED
    return LaunchState.FAILED if failed >= total else LaunchState.PARTIALLY_FAILED


_SHOWN: Final = {
    LaunchState.QUEUED: ScheduleState.LAUNCHING, LaunchState.LAUNCHING: ScheduleState.LAUNCHING,
    LaunchState.EXECUTING: ScheduleState.EXECUTING, LaunchState.FAILED: ScheduleState.FAILED,
    LaunchState.PARTIALLY_FAILED: ScheduleState.PARTIALLY_FAILED, LaunchState.STOPPED: ScheduleState.STOPPED,
}  # fmt: skip


def state_of(newest: LaunchState | None, *, enabled: bool, pending: bool = False) -> ScheduleState:
    """What is shown of a schedule by its newest launch that was not skipped.

    `pending`: the run of one of its sources waits to be indexed, which is told when nothing else went wrong.
    """
    shown = _SHOWN.get(newest, ScheduleState.SCHEDULED) if newest is not None else ScheduleState.SCHEDULED
    if not enabled and newest not in OPEN_LAUNCHES:
        return ScheduleState.DISABLED
    return ScheduleState.INDEXING_PENDING if pending and shown is ScheduleState.SCHEDULED else shown
