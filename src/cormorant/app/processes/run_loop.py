"""Carry out every run that has its turn, each in a task of its own; schedules and watched sources order runs.

look -> repair times after a clock setback -> end finished tasks -> schedules, changes -> turns -> cancel runs of
another node -> begin new ones -> rest
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from cormorant.app import build
from cormorant.app.logs import run_log_summary
from cormorant.app.processes.change_watch import ChangeWatch
from cormorant.app.processes.schedule_tick import ScheduleTick
from cormorant.base import run_context, secret_masking, tracing
from cormorant.base.errors import CormorantError
from cormorant.base.log import logger
from cormorant.base.polling import nap
from cormorant.crawl.resource_guard import DiskGuard
from cormorant.crawl.run import damaged_copies, deletion_watch, run_queue, transitions
from cormorant.crawl.run.clock_repair import Setbacks
from cormorant.crawl.run.controller import RunController
from cormorant.model.run import RunState
from cormorant.net.egress.guard import Egress
from cormorant.operate.documents import takedowns
from cormorant.operate.installation import Installation
from cormorant.store.catalog import sources
from cormorant.store.db.bulk import storable
from cormorant.store.journal import runs

if TYPE_CHECKING:
    from cormorant.sources.protocol import Source
    from cormorant.store.journal.runs import RunRow

_log = logger(__name__)
POLL_S: Final = 0.2

Tasks = dict[int, asyncio.Task[None]]


async def carry_out(
    house: Installation, room: DiskGuard, egress: Callable[[], Egress], stop: asyncio.Event, *, schedules: bool
) -> None:
    """Carry out runs until stopped. Raises CormorantError for errors of the database."""
    scheduled = ScheduleTick(house) if schedules else None
    watched = ChangeWatch(house, egress) if schedules else None
    tasks: Tasks = {}
    takedowns.go_on(house)
    setbacks = Setbacks(house.store, house.clock)

    def build_source(row: RunRow) -> Source:
        with house.store.read() as tx:
            found = sources.numbered(tx, row.source_id)
        return build.source_of(row, found.kind if found else "", None, house, egress)

    while not stop.is_set():
        setbacks.look()
        for number in [number for number, task in tasks.items() if task.done()]:
            ended(house, number, tasks.pop(number))
        if scheduled is not None:
            await scheduled.look()
        if watched is not None:
            await watched.look()
        for row in _ours(house, tasks):
            tasks[row.id] = asyncio.create_task(_follow(house, row, build_source, room))
        await nap(POLL_S, stop)
    if watched is not None:
        await watched.close()
    for task in tasks.values():
        task.cancel()
    await asyncio.gather(*tasks.values(), return_exceptions=True)


def _ours(house: Installation, tasks: Tasks) -> list[RunRow]:
    """The runs to be begun or continued here, one of a source. Cancels tasks of runs that another node has now."""
    rows = run_queue.give(house.store, house.node, house.runs_at_once)
    busy, found = {row.source_id for row in rows if row.id in tasks}, []
    for row in rows:
        if row.id in tasks and not row.is_for(house.node):
            tasks[row.id].cancel()
        if row.is_under_way and row.is_for(house.node) and row.source_id not in busy:
            busy.add(row.source_id)
            found.append(row)
    return found


async def _follow(house: Installation, row: RunRow, build_source: Callable[[RunRow], Source], room: DiskGuard) -> None:
    """Carry out a run with a log of its own, and log its result at once, since the process may be stopped next."""
    with run_context.within(row.id), tracing.span("run", run=row.id, source=row.source_id):
        run_log_summary.begin(house, row)
        if row.state is RunState.WAITING:
            await damaged_copies.mend(house.store, house.cache, row)
        await RunController(house.store, house.clock, row, build_source, room).conduct()
        try:
            await run_log_summary.settled(house, row)
        finally:  # also when the process is to end
            deletion_watch.look(house.store, row)
            run_log_summary.end(house, row.id)


def ended(house: Installation, number: int, task: asyncio.Task[None]) -> None:
    """Handle the end of a run's task, which may have been cancelled for another node.

    An unexpected error ends its run, and not the process that all others need.

    Raises expected errors, which concern the process.
    """
    error = None if task.cancelled() else task.exception()
    if isinstance(error, CormorantError):
        raise error
    if error is None:
        return
    _log.error("fault", extra={"run": number}, exc_info=error)
    reason = f"{secret_masking.fault(error)}. logs/conductor.log says where."
    with house.store.begin() as tx:
        ended = {"state": RunState.FAILED, "reason": storable(reason), "error": "fault", "finished_at": tx.now()}
        for row in runs.open_runs(tx):
            if row.id == number:
                transitions.go_on(tx, row, **ended)
    run_log_summary.end(house, number)
