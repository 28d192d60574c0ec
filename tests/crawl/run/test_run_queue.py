"""Whose turn is it? Decided for one, for several at once, and by nobody who should not."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cormorant.base.clock import pause
from cormorant.crawl.run import run_queue
from cormorant.model.run import ASKING_STATES, OPEN_STATES, Refresh, RunState
from cormorant.store.db import heartbeats
from cormorant.store.db.database import Store, Tx
from cormorant.store.journal import runs
from cormorant.store.journal.runs import RunRow
from tests.store.journal.test_runs import ordered

NODES = ("alpha", "beta")
CONDUCTORS = 4
SLOW_S = 0.5


def a_row(number: int, state: RunState, queued_at: float | None, node: str) -> RunRow:
    return RunRow(
        number, number, state, Refresh.ALL, False, False, 0, {"node": node} if node else {}, 0.0, None, None, False,
        None, None, None, False, [], None, queued_at=queued_at,
    )  # fmt: skip


def rows() -> st.SearchStrategy[list[RunRow]]:
    parts = st.tuples(
        st.sampled_from(OPEN_STATES), st.none() | st.integers(0, 3).map(float), st.sampled_from(("", *NODES))
    )
    return st.lists(parts, max_size=8).map(lambda drawn: [a_row(number, *part) for number, part in enumerate(drawn, 1)])


@given(rows(), st.none() | st.integers(1, 4), st.sets(st.sampled_from(NODES)))
def test_no_more_than_may_be_and_first_asked_first_served(
    drawn: list[RunRow], most: int | None, there: set[str]
) -> None:
    busy = sum(row.is_under_way for row in drawn)
    taken = run_queue.decide(drawn, "alpha", most, there)
    assert all(row.is_queued and row.is_for("alpha") for row in (*taken.given, *taken.waiting))
    assert most is None or not taken.given or busy + len(taken.given) <= most
    mine = sorted(
        (row for row in drawn if row.is_queued and row.is_for("alpha")), key=lambda row: (row.queued_at, row.id)
    )
    assert taken.given == mine[: len(taken.given)], "in the order in which they asked"
    assert taken.waiting == mine[len(taken.given) :], "and the others are named"
    first = [row for row in drawn if row.is_queued and row.node == "beta"]
    if most is None or ("beta" not in there and busy + len(mine) <= most) or (not first and busy + len(mine) <= most):
        assert taken.given == mine


def test_a_run_for_a_node_that_is_away_holds_nobody_up_and_one_for_a_node_that_is_there_keeps_its_place() -> None:
    waiting = [a_row(1, RunState.WAITING, 1.0, "beta"), a_row(2, RunState.WAITING, 2.0, "")]
    assert [row.id for row in run_queue.decide(waiting, "alpha", 1, {"alpha"}).given] == [2]
    assert run_queue.decide(waiting, "alpha", 1, {"alpha", "beta"}).given == []
    assert [row.id for row in run_queue.decide(waiting, "beta", 1, {"alpha", "beta"}).given] == [1]


def asked(tx: Tx, source: int, **settings: object) -> int:
    return runs.request(tx, source, json.dumps(settings), Refresh.ALL, force=False)


def standing(store: Store, numbers: list[int]) -> list[tuple[bool, int | None]]:
    with store.read() as tx:
        return [(row.is_under_way, row.behind) for row in (runs.get(tx, number) for number in numbers)]


@pytest.mark.parametrize("state", [*ASKING_STATES, RunState.SUSPENDED, RunState.FINISHED])
def test_what_waits_for_a_person_is_not_under_way(state: RunState, store: Store) -> None:
    with store.begin() as tx:
        ordered(tx, 1, state)
        numbers = [asked(tx, 2), asked(tx, 3), asked(tx, 4)]
    run_queue.give(store, "here", 1)
    assert standing(store, numbers) == [(True, None), (False, 1), (False, 1)]
    with store.begin() as tx:
        runs.change(tx, numbers[0], state=state)
    run_queue.give(store, "here", 2)
    assert standing(store, numbers[1:]) == [(True, None), (True, None)]


def test_one_that_goes_on_waits_behind_those_that_asked_before(store: Store) -> None:
    with store.begin() as tx:
        numbers = [asked(tx, each) for each in (1, 2)]
    run_queue.give(store, "here", 1)
    with store.begin() as tx:
        runs.change(tx, numbers[0], state=RunState.RETRIEVING, started_at=tx.now())
        assert runs.suspend(tx, numbers[0], "for now")
        runs.go_on(tx, runs.get(tx, numbers[0]))
    run_queue.give(store, "here", 1)
    assert standing(store, numbers) == [(False, 1), (True, None)]
    with store.begin() as tx:
        runs.change(tx, numbers[1], state=RunState.FINISHED)
    run_queue.give(store, "here", 1)
    with store.read() as tx:
        assert runs.get(tx, numbers[0]).state is RunState.RETRIEVING


def test_nothing_is_written_where_nothing_changes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with store.begin() as tx:
        for each in (1, 2):
            asked(tx, each)
    run_queue.give(store, "here", 1)

    def begin() -> Any:
        raise AssertionError("a look is no reason to write")

    monkeypatch.setattr(store, "begin", begin)
    assert [row.is_queued for row in run_queue.give(store, "here", 1)] == [False, True]


def test_conductors_that_decide_at_once_let_no_more_begin_than_may(store: Store, other: Store) -> None:
    for most in (1, 2, 3):
        with store.begin() as tx:
            numbers = [asked(tx, each) for each in range(1, 6)]
        barrier = Barrier(CONDUCTORS)

        def look(at: Store, barrier: Barrier = barrier, most: int = most) -> None:
            barrier.wait()
            run_queue.give(at, "here", most)

        with ThreadPoolExecutor(CONDUCTORS) as pool:
            for done in [pool.submit(look, at) for at in (store, other) * (CONDUCTORS // 2)]:
                done.result()
        assert standing(store, numbers) == [(True, None)] * most + [(False, most)] * (5 - most)
        with store.begin() as tx:
            for number in numbers:
                runs.change(tx, number, state=RunState.FINISHED)


def test_nodes_that_decide_at_once_share_what_may_be_under_way(
    store: Store, other: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.begin() as tx:
        numbers = [asked(tx, each, node=node) for each, node in enumerate(NODES)]
    give, barrier = runs.give_turn, Barrier(2)

    def slowly(tx: Tx, row: RunRow) -> bool:
        given = give(tx, row)
        pause(SLOW_S)
        return given

    def look(at: Store, node: str) -> None:
        barrier.wait()
        run_queue.give(at, node, 1)

    monkeypatch.setattr(runs, "give_turn", slowly)
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(look, *each) for each in zip((store, other), NODES, strict=True)]:
            done.result()
    assert sum(is_under_way for is_under_way, _ in standing(store, numbers)) == 1


def test_what_was_decided_on_an_older_look_is_decided_again(
    store: Store, other: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another conductor gives the last turn between the look and the transaction of this one."""
    with store.begin() as tx:
        numbers = [asked(tx, each) for each in (1, 2)]
        heartbeats.say(tx, "conductor@elsewhere", "conductor", 0.0, "beta")
    decide, once = run_queue.decide, threading.Event()

    def slowly(*said: Any) -> run_queue.RunTurns:
        found = decide(*said)
        if not once.is_set():
            once.set()
            with other.begin() as tx:
                assert runs.give_turn(tx, runs.get(tx, numbers[1]))
        return found

    monkeypatch.setattr(run_queue, "decide", slowly)
    run_queue.give(store, "here", 1)
    assert standing(store, numbers) == [(False, 1), (True, None)]
