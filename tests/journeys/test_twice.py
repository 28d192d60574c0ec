"""Two terminals give the same command at once: it is carried out once, and neither gets an error."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

import pytest

from cormorant.base.errors import NotFoundError
from cormorant.model.run import Mode, RunState
from cormorant.operate.installation import Installation
from cormorant.operate.runs import control, review, start
from cormorant.store.journal import runs
from tests.journeys.home import Home

T = TypeVar("T")
TERMINALS, TIMES = 4, 5


def at_once(home: Home, say: Callable[[Installation], T]) -> list[T]:
    """The output of each of several terminals."""
    barrier = Barrier(TERMINALS)

    def terminal() -> T:
        with home.house() as house:
            barrier.wait()
            return say(house)

    with ThreadPoolExecutor(TERMINALS) as pool:
        return [each.result() for each in [pool.submit(terminal) for _ in range(TERMINALS)]]


def test_what_several_say_at_once_is_done_once(home: Home) -> None:
    home.add_source("web", "site", {"start": ["http://127.0.0.1:9/"]})
    number = 0
    for _ in range(TIMES):
        ordered = {each.run for said in at_once(home, lambda house: start.order(house, ["site"])) for each in said}
        (number,) = ordered
        assert {each.state for each in at_once(home, lambda house: control.suspend(house, None))} == {
            RunState.SUSPENDED
        }
        assert {each.run for each in at_once(home, lambda house: control.resume(house, None))} == {number}
        with home.house() as house, house.store.begin() as tx:
            runs.change(tx, number, state=RunState.PENDING, mode=Mode.EXAMINE)
        assert {each.state for each in at_once(home, lambda house: review.index(house, None))} == {RunState.WAITING}
        assert {each.state for each in at_once(home, lambda house: control.stop(house, None))} == {RunState.STOPPED}
    first = number - TIMES + 1
    assert sorted(at_once(home, lambda house: control.delete(house, first))) == [False] * (TERMINALS - 1) + [True]
    with home.house() as house, pytest.raises(NotFoundError):
        control.delete(house, number + 1)
    copies = at_once(home, lambda house: start.order(house, ["site"], start.RunOrder(mode=Mode.TEST)))
    assert len({each.run for said in copies for each in said}) == 1
