"""The configured schedules: times at which sources are crawled."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from cormorant.base.errors import ConflictError, NotFoundError
from cormorant.model.run import Refresh
from cormorant.model.schedule.recurrence import Rhythm, read
from cormorant.model.schedule.schedule import MissedPolicy, Overrun
from cormorant.model.schedule.timezones import zone_of
from cormorant.model.settings.crawl_windows import Calendar, read_hours
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import schedule


@dataclass(frozen=True, slots=True)
class SchedulePlan:
    """Plan of a schedule. `sources` are numbers in the order of crawling, `windows` hours of the week."""

    sources: Sequence[int]
    rhythm: str
    time_zone: str = ""
    windows: Sequence[str] = ()
    overrun: Overrun = Overrun.SKIP
    missed: MissedPolicy = MissedPolicy.RUN
    refresh: Refresh = Refresh.ALL


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """A configured schedule. Times are epoch seconds; it fires next at `next_at`, None: not by itself.

    `since` is when its rhythm was written, `error` the reason why the rhythm can no longer be read.
    """

    id: int
    name: str
    plan: SchedulePlan
    enabled: bool
    since: float
    next_at: float | None
    error: str | None
    created_at: float

    def rhythm(self) -> Rhythm:
        """Return the rhythm by which the schedule fires.

        Raises ValueError if it can no longer be read, such as that of a removed time zone.
        """
        return read(self.plan.rhythm, self.plan.time_zone, self.since)

    def hours(self) -> Calendar | None:
        """Return the hours of the week in which its runs may work; None: all. Raises ValueError like `rhythm`."""
        windows = self.plan.windows
        return Calendar(read_hours(windows), zone_of(self.plan.time_zone)) if windows else None


def add(tx: Tx, name: str, plan: SchedulePlan, next_at: float | None, *, enabled: bool = True) -> int:
    """Insert a new schedule and return its number. Raises ConflictError if the name is taken."""
    if tx.rows(sa.select(schedule.c.id).where(schedule.c.name == name)):
        raise ConflictError(f"There is a schedule {name!r} already. Choose another name, or edit that one.")
    now = tx.now()
    values = {"name": name, "enabled": enabled, "since": now, "next_at": next_at, "created_at": now} | _values(plan)
    return int(tx.execute(sa.insert(schedule).values(**values).returning(schedule.c.id)).scalar_one())


def edit(tx: Tx, number: int, plan: SchedulePlan, since: float, next_at: float | None) -> None:
    """Replace the plan of a schedule; a launch under way continues with the sources it began with."""
    values = {"since": since, "next_at": next_at, "error": None} | _values(plan)
    tx.execute(sa.update(schedule).where(schedule.c.id == number).values(**values))


def set_enabled(tx: Tx, number: int, next_at: float | None, *, enabled: bool) -> None:
    """Enable or disable the firing of a schedule."""
    values = {"enabled": enabled, "next_at": next_at, "error": None}
    tx.execute(sa.update(schedule).where(schedule.c.id == number).values(**values))


def move_on(tx: Tx, row: ScheduleRow, next_at: float | None) -> bool:
    """Set the next firing; returns False if another process has changed it meanwhile."""
    unchanged = schedule.c.id == row.id, schedule.c.enabled, schedule.c.next_at.is_not_distinct_from(row.next_at)
    return bool(tx.execute(sa.update(schedule).where(*unchanged).values(next_at=next_at, error=None)).rowcount)


def set_error(tx: Tx, number: int, error: str) -> None:
    """Stop firing a schedule, for that reason."""
    tx.execute(sa.update(schedule).where(schedule.c.id == number).values(error=bulk.storable(error), next_at=None))


def every(tx: Tx) -> list[ScheduleRow]:
    """Return all schedules by name."""
    return [_row(row) for row in tx.rows(sa.select(schedule).order_by(schedule.c.name))]


def due(tx: Tx, now: float) -> list[ScheduleRow]:
    """Return the schedules that are due, the longest due first."""
    is_due = schedule.c.enabled, schedule.c.next_at <= now
    return [_row(row) for row in tx.rows(sa.select(schedule).where(*is_due).order_by(schedule.c.next_at))]


def named(tx: Tx, name: str) -> ScheduleRow:
    """Return the schedule of that name. Raises NotFoundError, with the existing names."""
    text = bulk.storable(name)  # a terminal may pass bytes that are no text, which no database accepts
    rows = tx.rows(sa.select(schedule).where(schedule.c.name == name)) if text == name else []
    if not rows:
        names = ", ".join(row.name for row in every(tx)) or "none yet; `cormorant schedule add` makes one"
        raise NotFoundError(f"There is no schedule {name!r}. There is: {names}.")
    return _row(rows[0])


def numbered(tx: Tx, number: int) -> ScheduleRow | None:
    """Return the schedule of that number, None if it was deleted."""
    rows = tx.rows(sa.select(schedule).where(schedule.c.id == number))
    return _row(rows[0]) if rows else None


def delete(tx: Tx, number: int) -> None:
    """Delete a schedule."""
    tx.execute(sa.delete(schedule).where(schedule.c.id == number))


def lock(tx: Tx, number: int) -> None:
    """Lock a schedule, so that no other process fires or starts it before the end of the transaction."""
    tx.execute(sa.select(schedule.c.id).where(schedule.c.id == number).with_for_update())


def of_source(tx: Tx, source: int) -> list[ScheduleRow]:
    """Return the schedules that crawl a source."""
    return [row for row in every(tx) if source in row.plan.sources]


def leave_out(tx: Tx, row: ScheduleRow, source: int) -> None:
    """Remove a source from a schedule."""
    left = json.dumps([each for each in row.plan.sources if each != source])
    tx.execute(sa.update(schedule).where(schedule.c.id == row.id).values(sources=left))


def _values(plan: SchedulePlan) -> dict[str, Any]:
    return {
        "sources": json.dumps(list(plan.sources)), "rhythm": plan.rhythm, "time_zone": plan.time_zone,
        "windows": json.dumps(list(plan.windows)), "overrun": plan.overrun, "missed": plan.missed,
        "refresh": plan.refresh,
    }  # fmt: skip


def _row(row: Any) -> ScheduleRow:
    plan = SchedulePlan(
        json.loads(row.sources), row.rhythm, row.time_zone, json.loads(row.windows), Overrun(row.overrun),
        MissedPolicy(row.missed), Refresh(row.refresh),
    )  # fmt: skip
    return ScheduleRow(row.id, row.name, plan, row.enabled, row.since, row.next_at, row.error, row.created_at)
