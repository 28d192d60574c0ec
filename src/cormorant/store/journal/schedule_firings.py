"""Schedule firings: the outcome of each time at which a schedule fired, one row a time, written once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from cormorant.base.log import logger
from cormorant.model.schedule.schedule import OPEN_LAUNCHES, Fired, FiringReason, Hold, LaunchState
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import launch

_log = logger(__name__)
KEPT: Final = 500
"""Launches of a schedule that are kept, beside those under way."""


@dataclass(frozen=True, slots=True)
class FiringResult:
    """Result of one source of a launch. `run` is None if it had none."""

    source: str
    run: int | None
    failed: bool
    said: str | None


@dataclass(frozen=True, slots=True)
class LaunchRow:
    """A launch. `slot` is its scheduled time, `place` the position of the source with the run `run` in `sources`.

    `at` is when it was decided, which may be later; times are epoch seconds.
    """

    id: int
    schedule_id: int
    slot: float
    why: FiringReason
    state: LaunchState
    reason: str | None
    at: float
    started_at: float | None
    finished_at: float | None
    sources: Sequence[int]
    place: int
    run: int | None
    ends: Sequence[FiringResult]
    hold: Hold | None


def claim(tx: Tx, schedule: int, slot: float, fired: Fired, sources: Sequence[int]) -> bool:
    """Write the decision on a scheduled time; returns False if another process has written it before."""
    now = tx.now()
    finished = None if fired.state in OPEN_LAUNCHES else now
    columns = ("schedule_id", "slot", "why", "state", "reason", "at", "finished_at", "sources")
    row = (schedule, slot, fired.why.value, fired.state.value, fired.reason, now, finished, json.dumps(list(sources)))
    claimed = bulk.insert(tx, launch, columns, [row]) == 1
    if claimed:
        _log.info("launch", extra={"schedule": schedule, "slot": slot, "state": fired.state, "why": fired.why})
    return claimed


def claimed(tx: Tx, schedule: int) -> tuple[set[float], float | None]:
    """Return the times of a schedule whose decisions are stored.

    The second value is the time since when they are complete, if the oldest were deleted; None: none were.
    """
    mine = sa.select(launch.c.slot).where(launch.c.schedule_id == schedule).order_by(launch.c.id.desc())
    slots = [float(row.slot) for row in tx.rows(mine)]
    return set(slots), min(slots[:KEPT]) if len(slots) >= KEPT else None


def under_way(tx: Tx, schedule: int | None = None) -> list[LaunchRow]:
    """Return the launches that are not finished, oldest first."""
    statement = sa.select(launch).where(launch.c.state.in_(OPEN_LAUNCHES)).order_by(launch.c.id)
    if schedule is not None:
        statement = statement.where(launch.c.schedule_id == schedule)
    return [_row(row) for row in tx.rows(statement)]


def of_schedule(tx: Tx, schedule: int, most: int = KEPT) -> list[LaunchRow]:
    """Return the launches of a schedule, newest first."""
    mine = sa.select(launch).where(launch.c.schedule_id == schedule).order_by(launch.c.id.desc())
    return [_row(row) for row in tx.rows(mine.limit(most))]


def last(tx: Tx, schedule: int) -> LaunchRow | None:
    """Return the newest launch of a schedule that was not skipped."""
    mine = launch.c.schedule_id == schedule, launch.c.state != LaunchState.SKIPPED
    rows = tx.rows(sa.select(launch).where(*mine).order_by(launch.c.id.desc()).limit(1))
    return _row(rows[0]) if rows else None


def again(tx: Tx, row: LaunchRow) -> LaunchRow | None:
    """Return the present row of a launch; None if it was deleted."""
    rows = tx.rows(sa.select(launch).where(launch.c.id == row.id))
    return _row(rows[0]) if rows else None


def change(tx: Tx, row: LaunchRow, **values: Any) -> bool:
    """Set columns of a launch that has not changed; returns False if another process has continued it meanwhile."""
    unchanged = (
        launch.c.id == row.id, launch.c.state == row.state, launch.c.place == row.place,
        launch.c.run.is_not_distinct_from(row.run), launch.c.hold.is_not_distinct_from(row.hold),
    )  # fmt: skip
    written = {name: bulk.storable(value) if name == "reason" and value else value for name, value in values.items()}
    return bool(tx.execute(sa.update(launch).where(*unchanged).values(**written)).rowcount)


def follow(tx: Tx, run: int, other: int) -> None:
    """Let launches that wait for one run wait for another, which replaces it."""
    waiting = launch.c.run == run, launch.c.state.in_(OPEN_LAUNCHES)
    tx.execute(sa.update(launch).where(*waiting).values(run=other))


def set_run(tx: Tx, number: int, run: int) -> None:
    """Store the run of a launch's present source, in the transaction in which `change` returned True."""
    tx.execute(sa.update(launch).where(launch.c.id == number).values(run=run))


def end(tx: Tx, row: LaunchRow, state: LaunchState, reason: str | None, **values: Any) -> bool:
    """End a launch, and delete the oldest of its schedule; returns False if another process has continued it."""
    if not change(tx, row, state=state, reason=reason, finished_at=tx.now(), run=None, hold=None, **values):
        return False
    _log.info("launch", extra={"schedule": row.schedule_id, "slot": row.slot, "state": state, "reason": reason})
    trim(tx, row.schedule_id)
    return True


def trim(tx: Tx, schedule: int) -> None:
    """Delete the oldest launches of a schedule."""
    mine = launch.c.schedule_id == schedule
    kept = sa.select(launch.c.id).where(mine).order_by(launch.c.id.desc()).limit(KEPT)
    old = mine, launch.c.id.not_in(kept), launch.c.state.not_in(OPEN_LAUNCHES)
    tx.execute(sa.delete(launch).where(*old))


def forget(tx: Tx, schedule: int) -> None:
    """Delete all launches of a schedule that is deleted."""
    tx.execute(sa.delete(launch).where(launch.c.schedule_id == schedule))


def written(ends: Sequence[FiringResult]) -> str:
    """Return the results of the sources of a launch, in the form of the column."""
    return json.dumps([[each.source, each.run, each.failed, each.said] for each in ends])


def _row(row: Any) -> LaunchRow:
    return LaunchRow(
        row.id, row.schedule_id, row.slot, FiringReason(row.why), LaunchState(row.state), row.reason, row.at,
        row.started_at,
        row.finished_at, json.loads(row.sources), row.place, row.run,
        [FiringResult(*each) for each in json.loads(row.ends)],
        Hold(row.hold) if row.hold else None,
    )  # fmt: skip
