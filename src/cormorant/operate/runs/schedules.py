"""Schedules: add, list, show, edit, enable, start, delete. `scheduler.py` fires them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from cormorant.base.clock import rfc3339, timestamp
from cormorant.base.errors import BadSetting, ConflictError, UsageError
from cormorant.model.run import Refresh, RunState
from cormorant.model.schedule import recurrence
from cormorant.model.schedule.schedule import (
    OPEN_LAUNCHES,
    Fired,
    FiringReason,
    LaunchState,
    MissedPolicy,
    Overrun,
    Revisit,
    ScheduleState,
    state_of,
)
from cormorant.model.schedule.timezones import zone_of
from cormorant.model.settings.crawl_windows import read_hours
from cormorant.operate.installation import Installation
from cormorant.operate.records.schedules import Launch, OneSchedule, Schedule, SourceEnd
from cormorant.operate.records.sources import RemovedScheduleRecord
from cormorant.operate.runs import scheduler
from cormorant.operate.sources.sources import check_name
from cormorant.store.catalog import schedules, sources
from cormorant.store.catalog.schedules import SchedulePlan, ScheduleRow
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs, schedule_firings
from cormorant.store.journal.runs import RunRow
from cormorant.store.journal.schedule_firings import LaunchRow

SHOWN: Final = 50
"""Launches that `show` tells of."""


@dataclass(frozen=True, slots=True)
class ScheduleChange:
    """Change requested of a schedule. None: as it is, or as it comes."""

    sources: Sequence[str] | None = None
    when: str | None = None
    time_zone: str | None = None
    windows: Sequence[str] | None = None
    overrun: Overrun | None = None
    missed: MissedPolicy | None = None
    refresh: Revisit | None = None


def add(house: Installation, name: str, wanted: ScheduleChange) -> Schedule:
    """Add a schedule, which fires from now on.

    Raises ConflictError when the name is taken, UsageError when it cannot be a name or nothing is to be crawled,
    NotFoundError for an unknown source, BadSetting for what would never fire.
    """
    check_name(name, "schedule")
    if wanted.sources is None or wanted.when is None:
        raise UsageError("A schedule needs sources and times: --source NAME --when '0 2 * * *'.")
    with house.store.begin() as tx:
        now = tx.now()
        plan = _plan(tx, SchedulePlan((), ""), wanted)
        schedules.add(tx, name, plan, _rhythm(plan, now).after(now))
        return _record(tx, schedules.named(tx, name))


def edit(house: Installation, name: str, wanted: ScheduleChange) -> Schedule:
    """Change a schedule; what is not named stays. A launch under way goes on with the sources that it began with.

    Raises NotFoundError, UsageError, BadSetting.
    """
    with house.store.begin() as tx:
        row = schedules.named(tx, name)
        plan, now = _plan(tx, row.plan, wanted), tx.now()
        same = (plan.rhythm, plan.time_zone) == (row.plan.rhythm, row.plan.time_zone)
        since = row.since if same else now
        _rhythm(plan, since)
        edited = replace(row, plan=plan, since=since)
        schedules.edit(tx, row.id, plan, since, scheduler.following(tx, edited, now) if row.enabled else None)
        return _record(tx, schedules.named(tx, name))


def _plan(tx: Tx, before: SchedulePlan, wanted: ScheduleChange) -> SchedulePlan:
    """The plan with what is wanted in it. Raises what is wrong with that."""
    numbers = before.sources if wanted.sources is None else _numbers(tx, wanted.sources)
    if not numbers:
        raise UsageError("A schedule needs at least one source to crawl.")
    windows = before.windows if wanted.windows is None else [each.strip() for each in wanted.windows if each.strip()]
    zone = before.time_zone if wanted.time_zone is None else wanted.time_zone.strip()
    try:
        zone_of(zone)
    except ValueError as error:
        raise BadSetting(f"The time zone of a schedule cannot be {zone!r}: {error}") from None
    try:
        read_hours(windows)
    except ValueError as error:
        raise BadSetting(f"A window of a schedule is wrong: {error}") from None
    return SchedulePlan(
        list(numbers),
        before.rhythm if wanted.when is None else recurrence.plain(wanted.when),
        zone, windows, wanted.overrun or before.overrun, wanted.missed or before.missed,
        before.refresh if wanted.refresh is None else Refresh(wanted.refresh.value),
    )  # fmt: skip


def _numbers(tx: Tx, names: Sequence[str]) -> list[int]:
    """The numbers of these sources. Raises NotFoundError, and UsageError for one that is named twice."""
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise UsageError(f"A schedule crawls each source once, but {twice[0]!r} is named twice. Name it once.")
    return [sources.named(tx, each).id for each in names]


def _rhythm(plan: SchedulePlan, since: float) -> recurrence.Rhythm:
    try:
        return recurrence.read(plan.rhythm, plan.time_zone, since)
    except ValueError as error:
        raise BadSetting(f"This schedule is not possible: {error}") from None


def listed(house: Installation) -> list[Schedule]:
    """Every schedule: what it does, how it went last, when it fires next."""
    with house.store.read() as tx:
        return [_record(tx, row) for row in schedules.every(tx)]


def shown(house: Installation, name: str) -> OneSchedule:
    """One schedule with its newest launches. Raises NotFoundError."""
    with house.store.read() as tx:
        row = schedules.named(tx, name)
        history = [_past(each) for each in schedule_firings.of_schedule(tx, row.id, SHOWN)]
        return {**_record(tx, row), "history": history}


def set_enabled(house: Installation, name: str, *, enabled: bool) -> Schedule:
    """Have a schedule fire by itself, or not; what is under way goes on. Times that pass meanwhile are not missed.

    Raises NotFoundError, and BadSetting for one that would never fire.
    """
    with house.store.begin() as tx:
        row = schedules.named(tx, name)
        if enabled:
            _rhythm(row.plan, row.since)
        at = scheduler.following(tx, row, tx.now()) if enabled else None
        schedules.set_enabled(tx, row.id, at, enabled=enabled)
        return _record(tx, schedules.named(tx, name))


def start(house: Installation, name: str) -> Schedule:
    """Have the sources of a schedule crawled now. Raises NotFoundError, ConflictError while a launch is under way."""
    with house.store.begin() as tx:
        row = schedules.named(tx, name)
        schedules.lock(tx, row.id)
        busy = schedule_firings.under_way(tx, row.id)
        if busy:
            raise ConflictError(f"Schedule {name!r} is under way. Wait until it ends, or stop its run.")
        schedule_firings.claim(
            tx, row.id, tx.now(), Fired(LaunchState.LAUNCHING, FiringReason.STARTED), row.plan.sources
        )
        return _record(tx, schedules.named(tx, name))


def delete(house: Installation, name: str) -> list[int]:
    """Forget a schedule and its history. Returns the runs that go on without it. Raises NotFoundError."""
    with house.store.begin() as tx:
        row = schedules.named(tx, name)
        busy = schedule_firings.under_way(tx, row.id)
        for each in busy:
            scheduler.let_go(tx, each)
        schedule_firings.forget(tx, row.id)
        schedules.delete(tx, row.id)
        return [each.run for each in busy if each.run is not None]


def naming(house: Installation, source: str) -> list[RemovedScheduleRecord]:
    """The schedules that crawl a source; `alone`: nothing else, so that they would go with it. Raises NotFoundError."""
    with house.store.read() as tx:
        found = schedules.of_source(tx, sources.named(tx, source).id)
    return [{"schedule": row.name, "alone": len(row.plan.sources) == 1} for row in found]


def _record(tx: Tx, row: ScheduleRow) -> Schedule:
    last = schedule_firings.last(tx, row.id)
    state = shown_state(tx, row, last)
    names = {each.id: each.name for each in sources.every(tx)}
    return {
        "schedule": row.name, "sources": [names[each] for each in row.plan.sources if each in names],
        "when": row.plan.rhythm, "time_zone": row.plan.time_zone, "windows": list(row.plan.windows),
        "overrun": row.plan.overrun.value, "missed": row.plan.missed.value, "refresh": row.plan.refresh.value,
        "enabled": row.enabled, "state": state.value, "reason": row.error or _reason(tx, row, last),
        "run": last.run if last else None, "next_at": rfc3339(row.next_at),
        "last_at": rfc3339(last.started_at or last.at) if last else None,
    }  # fmt: skip


def shown_state(tx: Tx, row: ScheduleRow, last: LaunchRow | None) -> ScheduleState:
    """Return the state of a schedule, whose newest launch that was not skipped is `last`."""
    if row.error is not None:
        return ScheduleState.FAILED
    return state_of(last.state if last else None, enabled=row.enabled, pending=bool(_pending(tx, row)))


def _pending(tx: Tx, row: ScheduleRow) -> list[RunRow]:
    """The runs of its sources that were examined and wait to be indexed."""
    newest = [each for source in row.plan.sources for each in runs.every(tx, source, 1)]
    return [each for each in newest if each.state is RunState.PENDING]


def _reason(tx: Tx, row: ScheduleRow, last: LaunchRow | None) -> str | None:
    """Return what a person should know of the newest launch, and of the runs that wait for an answer."""
    if last is None or last.state not in OPEN_LAUNCHES:
        waits = [f"Run {each.id} {runs.stands(each)}. {runs.answers(each)}" for each in _pending(tx, row)]
        return " ".join([*([last.reason] if last and last.reason else []), *waits]) or None
    opens_at = scheduler.opens_at(row, tx.now())
    if last.run is None and opens_at is not None:
        return f"It waits for its window, which opens at {rfc3339(opens_at)}."
    run = runs.every(tx, last.sources[last.place], 1) if last.run is not None else []
    suspended = bool(run) and run[0].id == last.run and run[0].state is RunState.SUSPENDED
    return run[0].reason if suspended else last.reason


def _past(row: LaunchRow) -> Launch:
    ends: list[SourceEnd] = [
        {"source": each.source, "run": each.run, "failed": each.failed, "reason": each.said} for each in row.ends
    ]
    return {
        "slot_at": timestamp(row.slot), "why": row.why.value, "state": row.state.value, "reason": row.reason,
        "at": timestamp(row.at), "started_at": rfc3339(row.started_at), "finished_at": rfc3339(row.finished_at),
        "run": row.run, "ends": ends,
    }  # fmt: skip
