"""How many visits are under way at once when some take long?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from cormorant.crawl.worker.concurrency import LONG_S, Slots
from cormorant.frontier.queue.workbench import HostState, Workbench
from tests.clocks import HANG_S
from tests.frontier.samples import a_lease

WIDTH, MOST = 2, 6


def a_site(number: int) -> HostState:
    return HostState(a_lease(number), {}, parallel=4)


def with_slots(check: Callable[[Slots, Workbench], None]) -> None:
    async def work() -> None:
        desk, stay = Workbench(), asyncio.Event()

        async def slot() -> None:
            await stay.wait()

        slots = Slots(slot, desk, WIDTH, MOST)
        check(slots, desk)
        await slots.close()

    asyncio.run(work())


def test_a_visit_that_takes_long_does_not_count() -> None:
    def check(slots: Slots, _desk: Workbench) -> None:
        number = slots.began(a_site(1), 0.0)
        slots.look_after(LONG_S - 0.1)
        assert len(slots) == WIDTH
        slots.look_after(LONG_S)
        slots.look_after(LONG_S + 1)
        assert len(slots) == WIDTH + 1, "once for each visit"
        assert slots.ended(number), "the slot it was made in closes"
        assert not slots.ended(slots.began(a_site(1), 2.0)), "one that was short goes on"

    with_slots(check)


def test_there_is_a_bound() -> None:
    def check(slots: Slots, _desk: Workbench) -> None:
        for number in range(10):
            slots.began(a_site(number), 0.0)
        slots.look_after(LONG_S)
        assert len(slots) == MOST

    with_slots(check)


def test_above_half_of_it_a_site_with_such_a_visit_gets_no_other() -> None:
    def check(slots: Slots, desk: Workbench) -> None:
        sites = [a_site(number) for number in range(3)]
        visits = [slots.began(site, 0.0) for site in sites]
        slots.look_after(LONG_S)
        assert (desk.crowded, [site.stuck for site in sites]) == (True, [1, 1, 1])
        slots.ended(visits[0])
        assert (desk.crowded, [site.stuck for site in sites]) == (False, [0, 1, 1])

    with_slots(check)


def test_a_fault_in_a_slot_is_not_swallowed() -> None:
    async def slot() -> None:
        raise LookupError("a bug")

    async def work() -> None:
        slots = Slots(slot, Workbench(), 1, 1)
        await asyncio.sleep(0)
        slots.look_after(0.0)

    with pytest.raises(LookupError):
        asyncio.run(work())


def test_a_task_that_misses_its_cancellation_is_cancelled_again() -> None:
    """As `asyncio.wait_for` of Python 3.11 does where what it waits for is there already."""

    async def work() -> None:
        missed: list[str] = []

        async def slot() -> None:
            while True:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    if len(missed) >= WIDTH:
                        raise
                    missed.append("once")

        slots = Slots(slot, Workbench(), WIDTH, MOST)
        await asyncio.sleep(0)
        async with asyncio.timeout(HANG_S):
            await slots.close()
        assert len(missed) == WIDTH

    asyncio.run(work())
