from __future__ import annotations

import json
from dataclasses import fields, replace

import pytest
import sqlalchemy as sa

from cormorant.base.errors import NotFoundError
from cormorant.model.run import OPEN_STATES, Counters, Refresh, RunState
from cormorant.store.db import bulk
from cormorant.store.db.database import Store, Tx
from cormorant.store.journal import quota_claims, runs
from cormorant.store.schema import run, run_count


def ordered(tx: Tx, source: int = 1, *states: RunState) -> list[int]:
    """A run of the source in each of these states, or one that waits."""
    numbers = []
    for state in states or (RunState.WAITING,):
        number = runs.request(tx, source, "{}", Refresh.ALL, force=False)
        runs.change(tx, number, state=state)
        numbers.append(number)
    return numbers


@pytest.mark.parametrize("number", [-(10**30), -(2**31), -1, 0, 2**31 - 1, 2**31, 3 * 10**9, 2**63 - 1, 2**63, 10**30])
def test_a_number_that_no_run_can_have_is_one_that_no_run_has(number: int, store: Store) -> None:
    with store.begin() as tx:
        (newest,) = ordered(tx)
        for look in (runs.get, runs.claimed):
            with pytest.raises(NotFoundError, match=f"There is no run {number}"):
                look(tx, number)
        assert not runs.was_there(tx, number)
        assert [row.id for row in runs.every(tx, before=max(number, 0))] == ([newest] if number > 0 else [])


def test_an_order_waits_with_the_settings_of_its_moment(store: Store) -> None:
    with store.begin() as tx:
        number = runs.request(tx, 3, json.dumps({"start": ["https://a.example/"]}), Refresh.DUE, force=True)
        row = runs.get(tx, number)
        assert abs(row.requested_at - tx.now()) < 60
        assert row == replace(row, id=number, source_id=3, state=RunState.WAITING, refresh=Refresh.DUE, force=True)
        assert row.settings == {"start": ["https://a.example/"]}
        assert (row.generation, row.complete, row.lists, row.unlisted) == (0, False, False, [])
        assert [row.started_at, row.finished_at, row.asked, row.reason, row.bottleneck, row.error] == [None] * 6
        assert isinstance(row.state, RunState)
        assert isinstance(row.refresh, Refresh)


def test_a_run_from_its_order_to_its_report(store: Store) -> None:
    with store.begin() as tx:
        (number,) = ordered(tx)
        runs.change(tx, number, state=RunState.DISCOVERING, generation=4, started_at=1.5)
        runs.change(tx, number, state=RunState.RETRIEVING, lists=True, unlisted='["file:///x"]')
        runs.change(tx, number, state=RunState.HELD, reason="too many", asked="accept")
        row = runs.get(tx, number)
        assert (row.generation, row.started_at, row.lists, row.unlisted) == (4, 1.5, True, ["file:///x"])
        assert (row.reason, row.asked, row.unlisted_reason) == ("too many", "accept", "")
        runs.change(tx, number, unlisted=runs.unlisted_text(["file:///x"], "It is damaged."))
        row = runs.get(tx, number)
        assert (row.unlisted, row.unlisted_reason) == (["file:///x"], "It is damaged.")
        runs.change(
            tx, number, state=RunState.FINISHED, complete=True, finished_at=2.5, asked=None, bottleneck="network"
        )
        row = runs.get(tx, number)
        assert (row.state, row.complete, row.finished_at, row.asked) == (RunState.FINISHED, True, 2.5, None)


@pytest.mark.parametrize("state", RunState)
def test_a_run_goes_on_where_it_was_left(state: RunState, store: Store) -> None:
    with store.begin() as tx:
        (number,) = ordered(tx, 1, state)
        left = runs.suspend(tx, number, "nobody wants it")
        assert left == (state in (RunState.WAITING, RunState.DISCOVERING, RunState.RETRIEVING))
        assert runs.get(tx, number).state is (RunState.SUSPENDED if left else state)
        assert not left or runs.unfinished(tx, 1) == runs.get(tx, number)
        if left:
            runs.go_on(tx, runs.get(tx, number))
            row = runs.get(tx, number)
            assert (row.state, row.is_queued, row.goes_on) == (
                RunState.WAITING, True, None if state is RunState.WAITING else state,
            ), "in its turn"  # fmt: skip
            assert runs.give_turn(tx, row)
        row = runs.get(tx, number)
        assert (row.state, row.reason, row.asked, row.goes_on) == (state, None, None, None)
        assert row.is_under_way == (state in OPEN_STATES)


def test_open_runs_are_those_that_somebody_must_go_on_with(store: Store) -> None:
    with store.begin() as tx:
        numbers = dict(zip(RunState, ordered(tx, 1, *RunState), strict=True))
        other = ordered(tx, 2)
        assert [row.id for row in runs.open_runs(tx, 1)] == [
            numbers[state] for state in RunState if state in OPEN_STATES
        ]
        assert [row.id for row in runs.open_runs(tx)][-1:] == other
        assert runs.open_runs(tx, 3) == []


@pytest.mark.parametrize("state", list(RunState))
def test_a_run_that_has_not_ended(store: Store, state: RunState) -> None:
    ended = state in (RunState.FINISHED, RunState.STOPPED, RunState.FAILED)
    with store.begin() as tx:
        ordered(tx, 1, state)
        ordered(tx, 2)
        found = runs.unfinished(tx, 1)
        assert (found is None) if ended else (found is not None and found.source_id == 1)


def test_the_newest_run_comes_first(store: Store) -> None:
    with store.begin() as tx:
        first, second = ordered(tx, 1, RunState.FINISHED, RunState.WAITING)
        (third,) = ordered(tx, 2)
        assert [row.id for row in runs.every(tx)] == [third, second, first]
        assert [row.id for row in runs.every(tx, 1)] == [second, first]
        assert [row.id for row in runs.every(tx, limit=1)] == [third]
        assert runs.get(tx).id == third


def test_a_run_there_is_not(store: Store) -> None:
    with store.begin() as tx:
        with pytest.raises(NotFoundError, match="no run yet"):
            runs.get(tx)
        with pytest.raises(NotFoundError, match="no run 7"):
            runs.get(tx, 7)


def test_the_figures_of_a_run_are_the_sum_of_its_processes(store: Store) -> None:
    with store.begin() as tx:
        runs.count(tx, 1, "ada", Counters(fetched=2, bytes=1 << 40))
        runs.count(tx, 1, "bob", Counters(fetched=3, new=1))
        runs.count(tx, 2, "ada", Counters(fetched=100))
        runs.count(tx, 1, "ada", Counters(fetched=5, bytes=1 << 41, held=1))
        assert runs.counters(tx, 1) == Counters(fetched=8, new=1, bytes=1 << 41, held=1)
        assert runs.counted_by(tx, 1, "ada") == Counters(fetched=5, bytes=1 << 41, held=1)
        assert runs.counted_by(tx, 1, "eve") == runs.counters(tx, 9) == Counters()


def test_every_figure_is_kept(store: Store) -> None:
    full = Counters(**{each.name: number for number, each in enumerate(fields(Counters), 1)})
    with store.begin() as tx:
        runs.count(tx, 1, "ada", full)
        assert runs.counters(tx, 1) == full


def test_figures_that_another_version_counted_are_passed_over(store: Store) -> None:
    with store.begin() as tx:
        columns = ("run_id", "process", "counts")
        bulk.insert(tx, run_count, columns, [(1, "ada", json.dumps({"fetched": 4, "former": 9}))])
        assert runs.counters(tx, 1) == runs.counted_by(tx, 1, "ada") == Counters(fetched=4)
        assert quota_claims.of_others(tx, 1, "bob", ()).documents == 4


@pytest.mark.parametrize("kind", ["postgresql"], indirect=True)  # SQLite has one writer at a time
def test_processes_count_at_the_same_time(store: Store, other: Store) -> None:
    with store.begin() as one, other.begin() as two:
        runs.count(one, 1, "ada", Counters(new=1))
        runs.count(two, 1, "bob", Counters(new=1))
    with store.read() as tx:
        assert runs.counters(tx, 1).new == 2


def test_what_a_run_waits_for_a_person_is_no_work(store: Store) -> None:
    with store.begin() as tx:
        (number,) = ordered(tx, 1, RunState.SWEEPING)
        now = tx.now()
        runs.change(tx, number, started_at=now - 5000)
        runs.hold(tx, number, "too many")
        runs.change(tx, number, waits_since=now - 4000)
        held = runs.get(tx, number)
        assert (held.state, held.seconds(now)) == (RunState.HELD, 1000)
        runs.answer(tx, held, RunState.SWEEPING, "accept", "the deletion was accepted")
        waiting = runs.get(tx, number)
        assert (waiting.is_queued, waiting.goes_on, waiting.seconds(now)) == (True, RunState.SWEEPING, 1000)
        assert runs.give_turn(tx, waiting)
        row = runs.get(tx, number)
        assert (row.state, row.asked, row.waits_since) == (RunState.SWEEPING, "accept", None)
        assert abs(row.seconds(tx.now()) - 1000) < 60
        runs.change(tx, number, state=RunState.FINISHED, finished_at=now + 100)
        assert abs(runs.get(tx, number).seconds(now + 9000) - 1100) < 60


@pytest.mark.parametrize(("started", "seconds"), [(True, 1000), (False, 0)])
def test_a_run_that_was_suspended_counts_what_it_worked(store: Store, *, started: bool, seconds: int) -> None:
    with store.begin() as tx:
        (number,) = ordered(tx, 1, RunState.RETRIEVING if started else RunState.WAITING)
        now = tx.now()
        runs.change(tx, number, started_at=now - 5000 if started else None)
        assert runs.suspend(tx, number, "nobody wants it")
        runs.change(tx, number, waits_since=now - 4000)
        runs.go_on(tx, runs.get(tx, number))
        assert runs.give_turn(tx, runs.get(tx, number))
        runs.change(tx, number, started_at=now - 5000 if started else now)
        assert abs(runs.get(tx, number).seconds(tx.now()) - seconds) < 60


def test_a_run_that_was_held_and_suspended_before_its_turn_worked_in_neither_time(store: Store) -> None:
    with store.begin() as tx:
        (number,) = ordered(tx, 1, RunState.SWEEPING)
        now = tx.now()
        runs.change(tx, number, started_at=now - 5000)
        runs.hold(tx, number, "too many")
        runs.change(tx, number, waits_since=now - 4000)
        runs.answer(tx, runs.get(tx, number), RunState.SWEEPING, "accept", "the deletion was accepted")
        assert runs.suspend(tx, number, "nobody wants it")
        assert abs(runs.get(tx, number).seconds(now) - 1000) < 60
        runs.go_on(tx, runs.get(tx, number))
        assert runs.give_turn(tx, runs.get(tx, number))
        assert abs(runs.get(tx, number).seconds(tx.now()) - 1000) < 60


def test_a_number_that_was_given_is_known_when_its_run_is_gone(store: Store) -> None:
    with store.begin() as tx:
        assert not runs.was_there(tx, 1)
        first, last = ordered(tx, 1, RunState.FINISHED, RunState.STOPPED)
        tx.execute(sa.delete(run))
        assert [runs.was_there(tx, each) for each in (0, first, last, last + 1)] == [False, True, True, False]


def test_indexing_begins_once_and_only_where_it_is_pending(store: Store) -> None:
    with store.begin() as tx:
        swept, held = ordered(tx, 1, RunState.SWEEPING, RunState.HELD)
        runs.pend(tx, swept)
        pending = runs.claimed(tx, swept)
        assert (pending.state, runs.stands(pending)) == (RunState.PENDING, "is examined and not indexed yet")
        assert f"run index {swept}" in runs.answers(pending)
        assert runs.held(tx)[1].id in (swept, held), "it waits for a person"
        assert runs.begin_indexing(tx, pending)
        assert not runs.begin_indexing(tx, pending), "somebody else has said so"
        assert not runs.begin_indexing(tx, runs.get(tx, held))
        after = runs.get(tx, swept)
        assert (after.state, after.goes_on, after.asked, after.reason) == (
            RunState.WAITING, RunState.SWEEPING, runs.INDEX, None,
        )  # fmt: skip


def test_a_turn_is_given_once_and_only_to_who_asked_for_it_then(store: Store) -> None:
    with store.begin() as tx:
        (number,) = ordered(tx)
        asked = runs.get(tx, number)
        assert not runs.advance(tx, number, RunState.WAITING, state=RunState.DISCOVERING), "it is not its turn"
        assert runs.suspend(tx, number, "nobody wants it")
        assert not runs.give_turn(tx, asked)
        runs.go_on(tx, runs.get(tx, number))
        runs.change(tx, number, queued_at=tx.now() + 1)
        assert not runs.give_turn(tx, asked), "it asked again, later"
        again = runs.get(tx, number)
        runs.set_behind(tx, again, 2)
        assert runs.get(tx, number).behind == 2
        assert [runs.give_turn(tx, again), runs.give_turn(tx, again)] == [True, False]
        given = runs.get(tx, number)
        assert (given.is_queued, given.is_under_way, given.behind) == (False, True, None)
        assert runs.advance(tx, number, RunState.WAITING, state=RunState.DISCOVERING)


def test_what_was_to_go_when_done_goes_when_nothing_is_compared_with_it(store: Store) -> None:
    with store.begin() as tx:
        done, failed, other = ordered(tx, 1, RunState.FINISHED, RunState.FAILED, RunState.FINISHED)
        for number in (done, failed, other):
            runs.change(tx, number, forget=number != other, complete=number == done)
            runs.count(tx, number, "conductor", Counters(fetched=1))
        runs.forget_done(tx, 1)
        assert [row.id for row in runs.every(tx, 1)] == [other, failed, done], "it is the newest that saw everything"
        runs.change(tx, other, complete=True)
        runs.forget_done(tx, 1)
        assert [row.id for row in runs.every(tx, 1)] == [other, failed], "one that failed is to be looked at"
        assert runs.counters(tx, done) == Counters()


def test_old_runs_go_and_never_the_one_that_the_next_compares_itself_with(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "KEPT_PER_SOURCE", 3)
    with store.begin() as tx:
        numbers = [runs.request(tx, 1, "{}", Refresh.ALL, force=False) for _ in range(8)]
        other = runs.request(tx, 2, "{}", Refresh.ALL, force=False)
        for number in [*numbers[:-1], other]:
            runs.change(tx, number, state=RunState.FINISHED, complete=number in (numbers[1], other))
            runs.count(tx, number, "one", Counters(fetched=1))
        runs.forget_done(tx, 1)
        assert [row.id for row in runs.every(tx)] == [other, *reversed([numbers[1], *numbers[4:]])]
        assert runs.counters(tx, numbers[0]).fetched == 0
        assert runs.counters(tx, numbers[1]).fetched == 1
