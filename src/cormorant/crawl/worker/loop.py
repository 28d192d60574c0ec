"""Loop of a retriever: lease sites, visit, report a batch. It may run on any machine.

slot:  take -> visit -> add to the batch -> take ...           many at once (see `concurrency`)
tend:  settle, give back, lease, read ahead (`housekeeping`)   between visits, one at a time
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from cormorant.base import run_context
from cormorant.base.polling import nap
from cormorant.crawl.visit.visit import Blocked, VisitResult, visit
from cormorant.crawl.worker import host_updates, run_log
from cormorant.crawl.worker.concurrency import Slots
from cormorant.crawl.worker.housekeeping import Housekeeper, WorkerConfig
from cormorant.model.resource import Role

if TYPE_CHECKING:
    from cormorant.crawl.commit.committer import BatchCommitter
    from cormorant.frontier.queue.workbench import VisitTask

TICK_S = 0.25


class Worker:
    """Visits due resources for every run under way, until it is stopped."""

    def __init__(self, crew: WorkerConfig) -> None:
        self._crew = crew
        self._awake = asyncio.Event()
        self._tending = Housekeeper(crew, self._awake.set)
        self._under_way = 0

    async def work(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set; finished visits are then settled, unfinished ones are left to the next worker."""
        self._slots = slots = Slots(self._slot, self._tending.desk, self._crew.width, self._crew.most)
        watch = asyncio.create_task(stop.wait())
        watch.add_done_callback(lambda _: self._awake.set())
        try:
            while not stop.is_set():
                self._tending.tend()
                await self._pause()
                slots.look_after(self._tending.now())
        finally:
            watch.cancel()
            await slots.close()
        self._tending.go_home()

    async def _pause(self) -> None:
        """Wait for the next tick or an earlier reason to tend."""
        await nap(TICK_S, self._awake)
        self._awake.clear()

    async def _slot(self) -> None:
        tending, clock, replaced = self._tending, self._crew.clock, False
        while not replaced:
            task = await tending.line.take()
            run = tending.runs.get(task.resource.source)
            if run is None:
                tending.desk.done(task)
            elif not self._may_begin(task, run):
                tending.desk.again(task, None)
                await asyncio.sleep(TICK_S)
            else:
                self._under_way += 1
                run.under_way += 1
                began = tending.now()
                number = self._slots.began(task.site, began)
                with run_context.within(run.order.run):
                    reader, barred = self._crew.reader, run.takedowns.barred
                    got = await visit(task, run.source, reader, clock, tending.others, barred)
                replaced = self._slots.ended(number)
                run.under_way -= 1
                self._under_way -= 1
                if tending.runs.get(task.resource.source) is run:
                    self._report(run, got, tending.now() - began)
                else:  # the run was stopped, and perhaps restarted: its successor visits again
                    host_updates.leave(task, got, tending.desk, tending.now())
            tending.line.pump()

    def _may_begin(self, task: VisitTask, run: BatchCommitter) -> bool:
        """Return whether the host is still leased, and the disks and the run's limits leave room."""
        now = self._tending.now()
        may_ask = task.site.leased_until > now and self._tending.has_room()
        return may_ask and (task.resource.role is not Role.DOCUMENT or run.may_visit(now))

    def _report(self, run: BatchCommitter, got: VisitResult | Blocked, took_s: float) -> None:
        """Add a visit to its batch, and wake the loop if the batch should be settled."""
        tending = self._tending
        made = host_updates.made(got, tending.desk, run.order, self._crew.means, self._crew.room)
        if made is None:
            return
        for report in (made, *host_updates.learn(made, tending.desk, run.source, tending.now())):
            run.add(report)
            run_log.visited(report, run.order.run, took_s)
        if got.task.resource.role is Role.ROBOTS:
            tending.lead()
        if tending.full() or self._under_way == 0 or tending.starving():
            self._awake.set()
