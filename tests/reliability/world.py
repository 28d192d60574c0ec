"""A world with its own time, in which the processes of an installation take turns (ADR 0055).

    World.run: whose turn is next? --> a process goes on until it waits, or is at the edge of a transaction --> back

A process is a greenlet with an event loop of its own. It is left where it waits for time to pass, and before and
behind every transaction: nothing that others could see happens in between. There it may be killed, which is never to
be gone on with, or stopped for a while. All that is by chance is drawn from one seed: the same gives the same history.
"""

from __future__ import annotations

import asyncio
import heapq
import sys
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from math import inf
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple, Unpack

from greenlet import getcurrent, greenlet

from cormorant.store.db.database import Store, Tx

if TYPE_CHECKING:
    from cormorant.store.db.clock_steps import Steady

T = TypeVar("T")
Given = TypeVarTuple("Given")

BEGAN = 1_767_225_600.0
"""The time on the clocks when a world begins: 2026-01-01T00:00:00Z."""
SWITCH = 0.35
"""How likely others have a turn between two transactions of a process."""
SLOW_S = 0.03
"""The longest that they then have."""
QUIET_S = 0.3
LATE_S = 5.0
"""How late a process may wake when nothing has gone on for so long: most only look whether there is anything to do."""


Work = Callable[["Process", asyncio.Event], Awaitable[None]]
"""The main function of a process, which runs until the process is stopped."""


class Over(BaseException):
    """A process that was killed is cleared away, when its world is over."""


class Process:
    """One process of the installation: what it is called, when its turn is next, and whether it lives.

    `steady` is what it has seen of the clocks of its store, once that is open.
    """

    def __init__(self, world: World, name: str, work: Work) -> None:
        self.world, self.name = world, name
        self.alive, self.depth = True, 0
        self.rested_from = self.rested_at = self.edge_at = world.now
        self.closing: list[Callable[[], None]] = []
        self.stop = asyncio.Event()
        self.error: BaseException | None = None
        self.steady: Steady | None = None
        self.work = work
        self._greenlet = greenlet(self._main, world.hub)
        self.turn = 0

    def _main(self) -> None:
        loop = Loop(self)
        try:
            loop.run_until_complete(self.work(self, self.stop))
        except Over:
            pass
        except BaseException as error:  # noqa: BLE001 - whoever runs the world is to know of it
            self.error = error
        finally:
            self.alive = False
            loop.clear_away()

    def shift_at_first(self) -> float:
        """By how much the clocks were set when it looked at them first: a step before that it could not see."""
        return self.steady.now() - self.steady.total - self.world.meant if self.steady else self.world.shift

    def go_on(self) -> None:
        """Have its turn."""
        self._greenlet.switch()

    def wait(self, until: float) -> None:
        """Let others go on until then."""
        self.world.turn_at(self, until)
        self._leave()

    def _leave(self) -> None:
        running, hooks = asyncio._get_running_loop(), sys.get_asyncgen_hooks()
        asyncio._set_running_loop(None)
        self.world.hub.switch()
        asyncio._set_running_loop(running)
        sys.set_asyncgen_hooks(*hooks)
        if not self.alive:
            raise Over

    def edge(self) -> None:
        """At the edge of a transaction: others may go on, this one may be killed or stopped here."""
        if not self.alive:
            raise Over
        if self.depth:
            return
        self.edge_at = self.world.now
        away = self.world.strike(self)
        if away == inf:
            self._leave()
        if away > 0:
            self.rested_from = self.world.now
            self.wait(self.world.now + away)
            self.rested_at = self.world.now
        elif self.world.chance.random() < SWITCH:
            self.wait(self.world.now + self.world.chance.uniform(0.0, SLOW_S))

    def kill(self) -> None:
        """It is never gone on with; what the system would close for it is closed."""
        self.alive = False
        for close in self.closing:
            close()
        self.closing.clear()

    def clear_away(self) -> None:
        """Unwind what is left of it: nothing of that reaches the store."""
        self.alive = False
        while self._greenlet and not self._greenlet.dead:
            self._greenlet.throw(Over)


class World:
    """Time, chance, and whose turn it is. `strike` says how long one at an edge is stopped; inf: it was killed.

    `threads` says how long it takes until what a thread was given to do is known to be done. `shift` is by how much the
    clocks that people read were set.
    """

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.hub = getcurrent()
        self.now, self.shift = 1_000.0, 0.0
        self.busy_at = self.now
        self.idle_until: Callable[[], float] = lambda: self.now + LATE_S
        self.strike: Callable[[Process], float] = lambda _: 0.0
        self.committed: Callable[[Process], None] = lambda _: None
        self.threads: Callable[[Executor | None, Any], float] = lambda *_: self.chance.uniform(0.0, SLOW_S)
        self.processes: list[Process] = []
        self.turns = 0
        self._line: list[tuple[float, float, int, Process | Callable[[], None]]] = []
        self._numbers = 0

    @property
    def wall(self) -> float:
        """The time on the clocks, epoch seconds."""
        return self.meant + self.shift

    @property
    def meant(self) -> float:
        """The time that the clocks would show if they had not been set."""
        return BEGAN + self.now

    def _enter(self, at: float, what: Process | Callable[[], None]) -> int:
        self._numbers += 1
        heapq.heappush(self._line, (max(at, self.now), self.chance.random(), self._numbers, what))
        return self._numbers

    def turn_at(self, process: Process, at: float) -> None:
        """The next turn of a process is then; an earlier one that was set is not taken."""
        process.turn = self._enter(at, process)

    def call_at(self, at: float, what: Callable[[], None]) -> None:
        """Have something done in the world then."""
        self._enter(at, what)

    def start(self, name: str, work: Work) -> Process:
        """Start a process."""
        process = Process(self, name, work)
        self.processes.append(process)
        self.turn_at(process, self.now)
        return process

    def stir(self) -> None:
        """Something happens: who looks now and then is not late any more."""
        self.busy_at = self.now

    def late(self) -> float:
        """How much later than it asked for a process wakes, by how long nothing has happened."""
        quiet = self.now - self.busy_at
        return self.chance.random() * min(quiet, max(self.idle_until() - self.now, 0.0)) if quiet > QUIET_S else 0.0

    def run(self, until: Callable[[], bool], most: float) -> bool:
        """Have everybody go on until `until()`; False when `most` seconds of the world have passed before."""
        end = self.now + most
        while not until():
            if not self._line or self._line[0][0] > end:
                return False
            at, _, number, what = heapq.heappop(self._line)
            self.now = max(self.now, at)
            if not isinstance(what, Process):
                what()
            elif what.alive and what.turn == number:
                self.turns += 1
                what.go_on()
        return True

    def close(self) -> None:
        """Clear everybody away."""
        for process in self.processes:
            process.clear_away()


class Clock:
    """The clock of a world."""

    def __init__(self, world: World) -> None:
        self._world = world

    def now(self) -> float:
        return self._world.wall

    def monotonic(self) -> float:
        return self._world.now


class Loop(asyncio.BaseEventLoop):
    """An event loop that knows the time of the world, and lets others go on while it waits."""

    def __init__(self, process: Process) -> None:
        super().__init__()
        self.set_exception_handler(self._report)
        self._process = process
        self._selector = self
        self._clock_resolution = 1e-6  # after half a year a nanosecond more is the same moment: nobody would get on
        self._looks: int | None = None

    def time(self) -> float:
        return self._process.world.now

    def select(self, timeout: float | None) -> list[Any]:
        """Wait for time to pass: nothing else wakes a process."""
        process, world = self._process, self._process.world
        if self._looks is not None:
            self._looks -= 1
            if not self._looks:
                raise Over
            return []
        if not process.alive:
            raise Over
        if timeout is None or timeout > 0:
            process.wait(world.now + (3_600.0 if timeout is None else timeout + world.late()))
        return []

    def clear_away(self) -> None:
        """Unwind every task, in no time."""
        self._looks = 1_000
        while tasks := asyncio.all_tasks(self):
            for task in tasks:
                task.cancel()
            with suppress(Over, RuntimeError):  # one that was stopped says so once
                self.run_until_complete(_all_of(tasks))
        self.close()

    def _report(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle an exception that no task awaits: it is a fault of a process that is alive."""
        if self._process.alive and self._process.error is None:
            self._process.error = context.get("exception") or RuntimeError(context["message"])

    def _process_events(self, events: list[Any]) -> None:
        assert not events

    def _write_to_self(self) -> None:
        """Do nothing: the loop never sleeps."""

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[Unpack[Given]], T], *args: *Given
    ) -> asyncio.Future[T]:
        """Run the work of a thread at once; its result is available some time later."""
        done, result = Future[T](), self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - the awaiting task gets the exception
            done.set_exception(error)

        def deliver() -> None:
            if result.done():
                return
            if error := done.exception():
                result.set_exception(error)
            else:
                result.set_result(done.result())

        self.call_later(self._process.world.threads(executor, func), deliver)
        return result


async def _all_of(tasks: set[asyncio.Task[Any]]) -> None:
    await asyncio.gather(*tasks, return_exceptions=True)


class Edges(Store):
    """The store, as a process of a world has it: everybody may go on before and behind each transaction."""

    process: Process

    @contextmanager
    def begin(self) -> Iterator[Tx]:
        with self._edges(), super().begin() as tx:
            yield tx

    @contextmanager
    def read(self) -> Iterator[Tx]:
        with self._edges(), super().read() as tx:
            yield tx

    @contextmanager
    def _edges(self) -> Iterator[None]:
        process = self.process
        process.edge()
        process.depth += 1
        try:
            yield
        finally:
            process.depth -= 1
        process.world.committed(process)
        process.edge()
