from __future__ import annotations

import asyncio
import selectors
from collections import deque
from collections.abc import Awaitable, Callable

from cormorant.frontier.queue.ready_queue import ReadyQueue
from cormorant.frontier.queue.workbench import HostState, SourceWork, VisitTask, Workbench
from tests.frontier.samples import a_lease, a_resource


class Skipping(selectors.SelectSelector):
    """Does not wait for time to pass but lets it."""

    def __init__(self) -> None:
        super().__init__()
        self.time = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "everybody waits, and nobody will ever come"
        self.time += timeout
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes only when nothing else is to be done."""

    def __init__(self) -> None:
        self._clock = Skipping()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.time


def run(work: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        await work()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(main())


def site(count: int, delay_s: float, place: int = 1, parallel: int = 10) -> HostState:
    waiting = deque(a_resource(place * 100 + n, place=place) for n in range(count))
    return HostState(a_lease(place), {1: SourceWork(1, queue=waiting)}, delay_s=delay_s, parallel=parallel)


def desk_of(*sites: HostState) -> Workbench:
    desk = Workbench()
    for each in sites:
        desk.open(each)
        desk.offer(each)
    return desk


async def take_all(line: ReadyQueue, count: int) -> list[tuple[float, int]]:
    """When each visit began, and which it was; a slot each."""
    loop = asyncio.get_running_loop()
    taken: list[tuple[float, int]] = []

    async def slot() -> None:
        task = await line.take()
        taken.append((round(loop.time(), 1), task.resource.id))
        await asyncio.sleep(0.01)  # to connect
        task.site.sent(loop.time(), 0.0, task.resource.id)

    await asyncio.gather(*(slot() for _ in range(count)))
    return taken


def test_visits_begin_when_the_pace_of_their_site_allows() -> None:
    async def work() -> None:
        line = ReadyQueue(desk_of(site(3, 2.0), site(2, 5.0, place=2)))
        assert await take_all(line, 5) == [(0.0, 100), (0.0, 200), (2.0, 101), (4.0, 102), (5.0, 201)]
        assert line.idle == 0

    run(work)


def test_slots_wait_until_there_is_something() -> None:
    async def work() -> None:
        desk, one = Workbench(), site(2, 0.0)
        line = ReadyQueue(desk)
        slots = asyncio.gather(*(line.take() for _ in range(3)))
        await asyncio.sleep(1)
        assert line.idle == 3
        desk.open(one)
        desk.offer(one)
        line.pump()
        await asyncio.sleep(1)
        assert line.idle == 1
        slots.cancel()

    run(work)


def test_slots_are_served_in_the_order_they_came() -> None:
    async def work() -> None:
        desk, one = Workbench(), site(2, 1.0)
        line = ReadyQueue(desk)
        order: list[str] = []

        async def slot(name: str) -> None:
            task = await line.take()
            one.sent(asyncio.get_running_loop().time(), 0.0, task.resource.id)
            order.append(name)

        slots = [asyncio.create_task(slot(name)) for name in ("first", "second")]
        await asyncio.sleep(1)
        desk.open(one)
        desk.offer(one)
        line.pump()
        await asyncio.gather(*slots)
        assert order == ["first", "second"]

    run(work)


def test_a_slot_that_gave_up_takes_nothing() -> None:
    async def work() -> None:
        desk, one = Workbench(), site(1, 0.0)
        line = ReadyQueue(desk)
        gone, waiting = asyncio.create_task(line.take()), asyncio.create_task(line.take())
        await asyncio.sleep(1)
        gone.cancel()
        await asyncio.sleep(0)
        desk.open(one)
        desk.offer(one)
        line.pump()
        assert (await waiting).resource.id == 100
        assert line.idle == 0
        assert one.under_way == 1

    run(work)


def test_the_end_of_a_visit_lets_the_next_begin() -> None:
    async def work() -> None:
        desk = desk_of(site(3, 0.0, parallel=1))
        line = ReadyQueue(desk)
        times: list[float] = []

        async def slot() -> None:
            for _ in range(3):
                task: VisitTask = await line.take()
                times.append(asyncio.get_running_loop().time())
                await asyncio.sleep(4)
                desk.done(task)
                line.pump()

        slots = [asyncio.create_task(slot()) for _ in range(2)]
        await asyncio.sleep(30)
        assert [round(at) for at in times] == [0, 4, 8]
        for each in slots:
            each.cancel()

    run(work)


def test_a_rest_that_was_asked_for_meanwhile_is_waited_for() -> None:
    async def work() -> None:
        one = site(2, 1.0)
        line = ReadyQueue(desk_of(one))
        task = await line.take()
        one.sent(0.0, 0.0, task.resource.id)
        one.rest_until = 60.0
        await line.take()
        assert round(asyncio.get_running_loop().time()) == 60

    run(work)
