"""Fire schedules whose time has come, and go on with their launches. Called now and then by whoever carries out runs.

Everything is in the store: whoever looks next goes on, and of two that look at once one finds it done. A time is
claimed by writing its row, and whatever is changed is changed only where it is still as it was looked at.
"""

from __future__ import annotations

from contextlib import suppress
from math import inf
from typing import Final

from cormorant.base.clock import rfc3339
from cormorant.base.errors import ConflictError, NotFoundError, UsageError
from cormorant.base.log import logger
from cormorant.crawl.run import transitions
from cormorant.model.run import OPEN_STATES, Refresh, RunState
from cormorant.model.schedule.schedule import Fired, Hold, LaunchState, ended, fired
from cormorant.operate.installation import Installation
from cormorant.operate.runs import start
from cormorant.operate.search import reindex
from cormorant.operate.sources import test_crawl
from cormorant.store.catalog import schedules, sources
from cormorant.store.catalog.schedules import ScheduleRow
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs, schedule_firings
from cormorant.store.journal.runs import RunRow
from cormorant.store.journal.schedule_firings import FiringResult, LaunchRow

_log = logger(__name__)
UNANSWERED: Final = 6
"""Exit code of `start` when no start address answered."""
MOST_COUNTED: Final = 100
"""Times that were missed are counted up to here."""


class Scheduler:
    """Looks at the schedules of an installation."""

    def __init__(self, house: Installation) -> None:
        self._house = house
        self._looked_at = inf

    def look(self) -> None:
        """Fire what is due, then do the next thing of every launch.

        The first look, and one after the clock was set back, puts right when each schedule fires next.
        """
        store = self._house.store
        with store.read() as tx:
            now = tx.now()
            due, open_ = schedules.due(tx, now), schedule_firings.under_way(tx)
        if now < self._looked_at:
            with store.begin() as tx:
                for row in schedules.every(tx):
                    _put_right(tx, row)
        self._looked_at = now
        for row in due:
            with store.begin() as tx:
                fire(tx, row)
        for each in open_:
            go_on(self._house, each)


def following(tx: Tx, row: ScheduleRow, now: float) -> float | None:
    """Return when a schedule fires next: at the first time from now on of which nothing is known yet.

    So a clock that is set back has nothing done twice, and one that was far ahead for a while stops nothing. Where
    launches were let go of, what is older than those that are kept was done. Raises ValueError for a rhythm that can no
    longer be read.
    """
    rhythm = row.rhythm()
    known, since = schedule_firings.claimed(tx, row.id)
    at = rhythm.after(now if since is None else max(now, since))
    while at is not None and at in known:
        at = rhythm.after(at)
    return at


def _put_right(tx: Tx, row: ScheduleRow) -> None:
    """Have a schedule fire no later than it should."""
    if not row.enabled:
        return
    try:
        at = following(tx, row, tx.now())
    except ValueError as error:
        schedules.set_error(tx, row.id, str(error))
        return
    if at is not None and (row.next_at is None or at < row.next_at):
        schedules.move_on(tx, row, at)


def fire(tx: Tx, row: ScheduleRow) -> None:
    """The time of a schedule has come: write what becomes of it, and when the next one is."""
    now, slot = tx.now(), row.next_at
    if slot is None:
        return
    try:
        next_at = following(tx, row, now)
    except ValueError as error:
        schedules.set_error(tx, row.id, str(error))
        _log.warning("schedule fires no more", extra={"schedule": row.name, "reason": str(error)})
        return
    if not schedules.move_on(tx, row, next_at):
        return
    busy = schedule_firings.under_way(tx, row.id)
    waits = any(each.state is LaunchState.QUEUED for each in busy)
    what = fired(now - slot, row.plan.missed, row.plan.overrun, busy=bool(busy), waits=waits)
    if schedule_firings.claim(tx, row.id, slot, _with_others(row, slot, now, what), row.plan.sources):
        for each in busy if what.stops else ():
            stop(tx, each, f"Schedule {row.name!r} fired again during this launch, and starts again now.")
        schedule_firings.trim(tx, row.id)


def _with_others(row: ScheduleRow, slot: float, now: float, what: Fired) -> Fired:
    """The same, saying how many more times have passed meanwhile."""
    rhythm, passed, at = row.rhythm(), -1, slot
    while at <= now and passed < MOST_COUNTED:
        following_at = rhythm.after(at)
        passed, at = passed + 1, inf if following_at is None else following_at
    if passed < 1:
        return what
    return what._replace(reason=f"{what.reason or ''} {_passed(passed, what.state)}".strip())


def _passed(count: int, state: LaunchState) -> str:
    """That more times of a schedule have passed meanwhile, and what became of them: the same as of this one."""
    times = "Its next time has" if count == 1 else f"Its next {count} times have"
    times = f"{MOST_COUNTED} or more of its next times have" if count >= MOST_COUNTED else times
    they = "it" if count == 1 else "they"
    if state is LaunchState.SKIPPED:
        return f"{times} passed by now as well, and {they} {'is' if count == 1 else 'are'} skipped too."
    return f"{times} passed by now as well: one launch makes up for all."


def stop(tx: Tx, row: LaunchRow, reason: str) -> None:
    """End a launch, and the run it has unless the launch of another schedule has it as well. Its history keeps it."""
    shared = any(each.run == row.run and each.id != row.id for each in schedule_firings.under_way(tx))
    ends = list(row.ends)
    if row.run is not None:
        source = sources.numbered(tx, row.sources[row.place])
        ends.append(FiringResult(source.name if source else "", row.run, failed=False, said=reason))
    stopped = schedule_firings.end(tx, row, LaunchState.STOPPED, reason, ends=schedule_firings.written(ends))
    if stopped and row.run is not None and not shared:
        with suppress(NotFoundError):
            transitions.stop(tx, runs.claimed(tx, row.run), reason)


def is_open(owner: ScheduleRow, now: float) -> bool:
    """Return whether runs of a schedule may work at a moment; a schedule with unreadable windows has none."""
    with suppress(ValueError):
        hours = owner.hours()
        return hours is None or hours.at(now).window is not None
    return True


def opens_at(owner: ScheduleRow, now: float) -> float | None:
    """Return when runs of a schedule may work again; None when they may now."""
    hours = None if is_open(owner, now) else owner.hours()
    return hours.at(now).until if hours is not None else None


def go_on(house: Installation, row: LaunchRow) -> None:
    """Do the next thing of a launch, if it is time for it. Nothing is written where there is nothing to do."""
    with house.store.read() as tx:
        owner, now = schedules.numbered(tx, row.schedule_id), tx.now()
        first = min((each.id for each in schedule_firings.under_way(tx, row.schedule_id)), default=row.id)
        run = _run(tx, row.run)
    if owner is None:
        return
    working = is_open(owner, now)
    if row.state is LaunchState.QUEUED:
        if first == row.id:
            with house.store.begin() as tx:
                schedule_firings.change(tx, row, state=LaunchState.LAUNCHING, reason="It waited for the launch before.")
    elif row.run is None:
        if row.place >= len(row.sources):
            _end(house, row)
        elif working:
            _order(house, owner, row)
    elif run is None or run.state not in (*OPEN_STATES, RunState.SUSPENDED):
        _close(house, row, run)
    else:
        _hold(house, owner, row, run, working=working)


def _run(tx: Tx, number: int | None) -> RunRow | None:
    """The run of a launch; None where it has none, or that was deleted."""
    with suppress(NotFoundError):
        return runs.get(tx, number) if number is not None else None
    return None


def _order(house: Installation, owner: ScheduleRow, row: LaunchRow) -> None:
    """Have the next source of a launch crawled. One whose run is held is passed over, and one that is gone."""
    try:
        reindex.refuse_older_store(house)
    except ConflictError as error:
        refused: str | None = error.sentence
    else:
        refused = None
    with house.store.begin() as tx:
        source, held = sources.numbered(tx, row.sources[row.place]), runs.held(tx)
        if source is None:
            _pass(tx, row, FiringResult("", None, failed=False, said="The source was deleted."))
        elif start.is_live(source):
            said = "It has nothing to crawl: its server is asked at each search."
            _pass(tx, row, FiringResult(source.name, None, failed=False, said=said))
        elif refused is not None:
            _pass(tx, row, FiringResult(source.name, None, failed=True, said=refused))
        elif source.id in held:
            waiting = held[source.id]
            failed = waiting.state is not RunState.PENDING  # that it was to be examined, a person has asked for
            _pass(tx, row, FiringResult(source.name, waiting.id, failed=failed, said=_held(waiting)))
        elif schedule_firings.change(tx, row, state=LaunchState.EXECUTING, started_at=row.started_at or tx.now()):
            sources.claim(tx, source.id)
            test_crawl.clear(tx, source.id)
            ordered = start.order_one(tx, source, start.RunOrder(_refresh(owner, source)))
            schedule_firings.set_run(tx, row.id, ordered.run)


def _refresh(owner: ScheduleRow, source: SourceRow) -> Refresh:
    """Return which resources a launch visits: if everything, with nothing remembered where the source says so.

    No schedule says that itself, since it is of one source and not of a time (ADR 0068).
    """
    asked = owner.plan.refresh
    forgets = source.settings.get("refresh") == Refresh.SCRATCH
    return Refresh.SCRATCH if forgets and asked is Refresh.ALL else asked


def _pass(tx: Tx, row: LaunchRow, end: FiringResult) -> None:
    """A source of a launch is done with."""
    ends = schedule_firings.written([*row.ends, end])
    values = {"place": row.place + 1, "run": None, "hold": None, "ends": ends}
    schedule_firings.change(tx, row, state=LaunchState.EXECUTING, started_at=row.started_at or tx.now(), **values)


def _close(house: Installation, row: LaunchRow, run: RunRow | None) -> None:
    """The run of a launch has ended: go on with the next source, unless a person stopped it."""
    with house.store.read() as tx:
        source = sources.numbered(tx, row.sources[row.place])
    end = FiringResult(source.name if source else "", row.run, *_went(house, run))
    with house.store.begin() as tx:
        if run is not None and run.state is RunState.STOPPED:
            reason = f"Run {run.id} was stopped: {run.reason or 'a person asked for it.'}"
            schedule_firings.end(tx, row, LaunchState.STOPPED, reason, ends=schedule_firings.written([*row.ends, end]))
        else:
            _pass(tx, row, end)


def _went(house: Installation, run: RunRow | None) -> tuple[bool, str | None]:
    """Return whether a run that has ended failed, and the reason to report."""
    if run is None:
        return False, "Its run was deleted."
    if run.state is RunState.HELD:
        return True, _held(run)
    if run.state is RunState.FAILED:
        return True, run.reason
    try:
        unanswered = run.state is RunState.FINISHED and start.exit_code(house, [run.id]) == UNANSWERED
    except (NotFoundError, UsageError) as error:
        return True, error.sentence
    return unanswered, "No start address answered." if unanswered else run.reason


def _held(run: RunRow) -> str:
    return f"Run {run.id} {runs.stands(run)}: {run.reason or ''} {runs.answers(run)}"


def _end(house: Installation, row: LaunchRow) -> None:
    """All sources of a launch are done with."""
    failed = [each for each in row.ends if each.failed]
    said = [f"{each.source}: {each.said or 'it failed.'}" for each in failed]
    reason = " ".join([row.reason, *said] if row.reason else said) or None
    with house.store.begin() as tx:
        schedule_firings.end(tx, row, ended(len(failed), len(row.ends)), reason)


def _hold(house: Installation, owner: ScheduleRow, row: LaunchRow, run: RunRow, *, working: bool) -> None:
    """Suspend a run outside of the hours of its schedule, and go on with it within, unless a person went on before."""
    suspended = run.state is RunState.SUSPENDED
    before, after = row.hold, row.hold
    if before is Hold.WINDOW and not suspended:
        after = None if working else Hold.RELEASED
    elif before is not None and working:
        after = None
    elif before is None and not working and run.state in runs.SUSPENDABLE:
        after = Hold.WINDOW
    if after is before:
        return
    with house.store.begin() as tx:
        sources.claim(tx, run.source_id)  # before the launch, as whoever orders a run
        if not schedule_firings.change(tx, row, hold=after):
            return
        if after is Hold.WINDOW:
            runs.suspend(tx, run.id, _outside(owner, tx.now()))
        elif before is Hold.WINDOW and suspended:
            start.go_on(tx, run)


def _outside(owner: ScheduleRow, now: float) -> str:
    at = rfc3339(opens_at(owner, now))
    return (
        f"It is outside of the windows of schedule {owner.name!r}, which continues it {(f'at {at}' if at else 'now')}."
    )


def let_go(tx: Tx, row: LaunchRow) -> None:
    """A launch is forgotten: its run goes on as one that a person ordered."""
    run = _run(tx, row.run)
    if run is not None and row.hold is Hold.WINDOW and run.state is RunState.SUSPENDED:
        start.go_on(tx, run)
