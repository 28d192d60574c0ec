"""Controller of one run of one source, from the request to the report.

    WAITING, its turn (turns) -> discover, admit (DISCOVERING) -> wait until nothing is left (RETRIEVING)
            -> links, sweep (SWEEPING) -> examined? PENDING; deletion guard, or mass change? HELD
            -> wait for the receivers (DELIVERING) -> FINISHED

Each step may be interrupted by a kill; the next owner of the data folder repeats it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cormorant.base.errors import CormorantError
from cormorant.crawl.commit import counters, modes
from cormorant.crawl.discover.discovery import Intake
from cormorant.crawl.finish import link_graph, orphans, sweep
from cormorant.crawl.run import approval, completion, exact_depth, prepare, transitions
from cormorant.frontier.progress import remaining
from cormorant.frontier.queue import request_log
from cormorant.model.run import GENERATIONS, RunState
from cormorant.store.catalog import sources

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from cormorant.base.clock import Clock
    from cormorant.crawl.resource_guard import DiskGuard
    from cormorant.sources.protocol import Source
    from cormorant.store.db.database import Store
    from cormorant.store.journal.runs import RunRow


class RunController:
    """Carries out one run that has its turn.

    `build` makes the source with the run's settings, for discovery alone; `room` checks the disks.
    """

    def __init__(
        self, store: Store, clock: Clock, row: RunRow, build: Callable[[RunRow], Source], room: DiskGuard
    ) -> None:
        self._store, self._clock, self._row, self._build, self._room = store, clock, row, build, room

    async def conduct(self) -> None:
        """Go through the states drawn above from the current one. An error outside the store ends the run as FAILED."""
        steps: dict[RunState, Callable[[], Awaitable[None]]] = {
            RunState.WAITING: self._begin,
            RunState.DISCOVERING: self._discover,
            RunState.RETRIEVING: self._retrieve,
            RunState.SWEEPING: self._sweep,
            RunState.DELIVERING: self._deliver,
        }
        try:
            while self._row.is_under_way and (step := steps.get(self._row.state)):
                await step()
        except CormorantError as error:
            if completion.is_of_store(error):
                raise
            self._change(state=RunState.FAILED, reason=error.sentence, error=error.code, finished_at=self._clock.now())

    def _change(self, **values: object) -> None:
        """Go on to the next state, unless the run was stopped meanwhile."""
        with self._store.begin() as tx:
            self._row = transitions.go_on(tx, self._row, **values)

    async def _begin(self) -> None:
        """Begin a new generation, so that all known documents are due, unless the run visits only due or new ones."""
        await prepare.prepare(self._store, self._row, self._build)
        with self._store.begin() as tx:
            number = source.generation if (source := sources.numbered(tx, self._row.source_id)) else 0
            if self._row.refresh in GENERATIONS or number == 0:
                number = sources.next_generation(tx, self._row.source_id)
            remaining.awake(tx, self._row.source_id, number, self._row.new_of)
            request_log.forget(tx)
        await exact_depth.catch_up(self._store, self._row, self._build, number)
        self._change(state=RunState.DISCOVERING, generation=number, started_at=self._clock.now())

    async def _discover(self) -> None:
        """Admit what the source names; a listing that ends without an error is complete."""
        listed = await Intake(self._store, self._build(self._row), self._row).take_in()
        self._change(state=RunState.RETRIEVING, **listed.as_values())

    async def _retrieve(self) -> None:
        """Wait until nothing is left, or only what must wait longer than patience, or the run's limit is reached."""
        ended = await exact_depth.until_reached(self._store, self._row, self._build, self._room)
        self._change(state=RunState.SWEEPING, gives_up_at=None, **ended._asdict())

    async def _sweep(self) -> None:
        """Invert links and find absent documents; unless they are held, delete them and weigh links."""
        if modes.is_over(self._row):
            modes.end(self._store, self._row, self._clock.now())
            self._change()
            return
        modes.index(self._store, self._row)
        if await approval.ask(self._store, self._row):
            self._change()
            return
        sweep.settle(self._store, self._row)
        link_graph.weigh(self._store, self._row.source_id, self._row.id)
        orphans.report(self._store, self._row)
        counters.finish(self._store, self._row)
        self._change(state=RunState.DELIVERING)

    async def _deliver(self) -> None:
        """Wait until every receiver that takes deliveries has received what this run found."""
        held_up = await completion.until_delivered(self._store, self._row)
        await approval.finish(self._store, self._row, self._clock.now(), held_up)
        self._change()
