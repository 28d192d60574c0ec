"""The turns of visits that a redirect leads to, by a clock that is set by hand."""

from __future__ import annotations

import asyncio

import pytest

from cormorant.sources.web.redirect_pacing import RedirectPacer
from tests.clocks import Hands

SITE, DELAY_S, PATIENT_S = "a.example", 0.4, 60.0


def test_a_turn_is_counted_from_when_the_one_before_was_sent() -> None:
    clock, slept = Hands(), list[float]()

    async def sleep(seconds: float) -> None:
        slept.append(round(seconds, 3))
        clock.at += seconds
        if len(slept) == 1:
            turns.sent(SITE)  # the one before took a while to connect
            clock.at += 0.1

    turns = RedirectPacer(clock, sleep)

    async def work() -> None:
        assert await turns.take(SITE, DELAY_S, PATIENT_S) == 0
        assert slept == [], "nobody was before"
        assert await turns.take(SITE, DELAY_S, PATIENT_S) == 0
        assert slept == [0.4, 0.3]
        turns.sent(SITE)
        assert await turns.take(SITE, DELAY_S, PATIENT_S) == 0
        assert slept[2:] == [0.4]

    asyncio.run(work())


def test_who_would_have_to_wait_for_too_long_takes_no_turn() -> None:
    async def work() -> None:
        turns = RedirectPacer(Hands(), asyncio.sleep)
        await turns.take(SITE, DELAY_S, PATIENT_S)
        assert [await turns.take(SITE, DELAY_S, 0.1) for _ in range(2)] == pytest.approx([0.4, 0.4])

    asyncio.run(work())


def test_a_visit_of_a_desk_waits_for_a_hop_alone() -> None:
    async def work() -> None:
        clock = Hands()
        turns = RedirectPacer(clock, asyncio.sleep)
        for _ in range(2):
            assert turns.begin(SITE), "the desk keeps its pace"
            turns.sent(SITE)
        clock.at += DELAY_S
        assert await turns.take(SITE, DELAY_S, 0.0) == 0
        clock.at += 0.3
        turns.sent(SITE)  # it took a while to connect
        clock.at += 0.3
        assert not turns.begin(SITE)
        clock.at += 0.2
        assert turns.begin(SITE)
        assert turns.begin("b.example")

    asyncio.run(work())


def test_a_hop_waits_for_a_visit_that_began_just_now() -> None:
    async def work() -> None:
        turns = RedirectPacer(Hands(), asyncio.sleep)
        assert turns.begin(SITE)
        assert await turns.take(SITE, DELAY_S, 0.1) == pytest.approx(DELAY_S)

    asyncio.run(work())
