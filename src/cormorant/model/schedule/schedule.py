"""Schedules, and the state of the launch for each time at which a schedule fires.

fires -> LAUNCHING -> EXECUTING -> FINISHED, PARTIALLY_FAILED, FAILED, STOPPED      the sources, one after another
   |-> QUEUED -> LAUNCHING          the launch before is still under way, and this one waits
   `-> SKIPPED                      the same, or no process was running at that time, and it is left out
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from cormorant.model.run import Refresh

LATE_S: Final = 120.0
"""Seconds after its time from which on a launch counts as missed: longer than a restart takes."""


class Overrun(StrEnum):
    """The treatment of a time while the previous launch still runs: skipped, queued, or run instead of it."""

    SKIP = "skip"
    QUEUE = "queue"
    RESTART = "restart"


class MissedPolicy(StrEnum):
    """The treatment of times at which no process was running: one launch as soon as one is, or none."""

    RUN = "run"
    SKIP = "skip"


class Revisit(StrEnum):
    """The known resources that a schedule visits, as in `Refresh`. An unattended run forgets nothing."""

    ALL = Refresh.ALL.value
    DUE = Refresh.DUE.value
    APPEND = Refresh.APPEND.value


class FiringReason(StrEnum):
    """The cause of a launch: it was due, it was due while no process was running, or a person asked for it."""

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
"""States of launches that a process has to continue."""


class ScheduleState(StrEnum):
    """The current state of a schedule, or the result of its last launch.

    INDEXING_PENDING: the examined documents of one of its sources wait for a person, who indexes them or stops the run.
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
    """The hold on a launch's run outside its hours: by the schedule, or released by a person since."""

    WINDOW = "window"
    RELEASED = "released"


class Fired(NamedTuple):
    """The launch for a time: its initial state, the cause and a message. `stops`: it stops the other launch."""

    state: LaunchState
    why: FiringReason
    reason: str | None = None
    stops: bool = False


def fired(late_s: float, missed: MissedPolicy, overrun: Overrun, *, busy: bool, waits: bool) -> Fired:
    """Decide on a time that came `late_s` ago. `busy`: a launch is under way; `waits`: another is queued."""
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
    """Return the final state of a launch with `failed` of its `total` sources failed."""
    if failed == 0:
        return LaunchState.FINISHED
    return LaunchState.FAILED if failed >= total else LaunchState.PARTIALLY_FAILED


_SHOWN: Final = {
    LaunchState.QUEUED: ScheduleState.LAUNCHING, LaunchState.LAUNCHING: ScheduleState.LAUNCHING,
    LaunchState.EXECUTING: ScheduleState.EXECUTING, LaunchState.FAILED: ScheduleState.FAILED,
    LaunchState.PARTIALLY_FAILED: ScheduleState.PARTIALLY_FAILED, LaunchState.STOPPED: ScheduleState.STOPPED,
}  # fmt: skip


def state_of(newest: LaunchState | None, *, enabled: bool, pending: bool = False) -> ScheduleState:
    """Return the displayed state of a schedule, by its newest launch that was not skipped.

    `pending`: the run of one of its sources waits to be indexed, which is displayed if nothing failed.
    """
    shown = _SHOWN.get(newest, ScheduleState.SCHEDULED) if newest is not None else ScheduleState.SCHEDULED
    if not enabled and newest not in OPEN_LAUNCHES:
        return ScheduleState.DISABLED
    return ScheduleState.INDEXING_PENDING if pending and shown is ScheduleState.SCHEDULED else shown
