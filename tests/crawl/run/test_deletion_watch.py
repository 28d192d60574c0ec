"""Deletions beyond the limit stay searchable during a run, however the run goes on."""

from __future__ import annotations

import pytest

from cormorant.crawl.run import approval, deletion_watch, transitions
from cormorant.frontier.policy import deletion_guard
from cormorant.frontier.staging import pending_deletes
from cormorant.frontier.state import writes
from cormorant.model.run import Refresh, RunState
from cormorant.store.catalog import sources
from cormorant.store.db.database import Store
from cormorant.store.journal import runs
from cormorant.store.journal.runs import RunRow
from tests.frontier.samples import a_content, admitted, numbers, pages

COUNT = 10
NINE = frozenset(range(9))


class World:
    """A source of ten documents, of which a run under way is about to find some gone."""

    def __init__(self, store: Store) -> None:
        self.store = store
        with store.begin() as tx:
            self.source = sources.add(tx, "web", "docs", {})
            self.row = runs.get(tx, runs.request(tx, self.source, "{}", Refresh.ALL, force=False))
        admitted(store, *pages(COUNT), source=self.source)
        with store.begin() as tx:
            self.known = sorted(numbers(tx).values())
            writes.contents(tx, [a_content(number, self.source) for number in self.known])

    def gone(self, *which: int) -> None:
        """The run finds these gone."""
        with self.store.begin() as tx:
            pending_deletes.hide(tx, [(self.known[each], self.source, self.row.id) for each in which])

    def back(self, *which: int) -> None:
        """The run finds these there again."""
        with self.store.begin() as tx:
            pending_deletes.unhide(tx, [self.known[each] for each in which])

    def now(self) -> RunRow:
        with self.store.read() as tx:
            return runs.again(tx, self.row)

    @property
    def hidden(self) -> frozenset[int]:
        """Which of the ten search does not find."""
        with self.store.read() as tx:
            return frozenset(self.known.index(each) for each in pending_deletes.everything(tx))


@pytest.fixture
def world(store: Store) -> World:
    return World(store)


def test_a_few_are_hidden_at_once_and_stay_so(world: World) -> None:
    world.gone(0, 1)
    deletion_watch.look(world.store, world.row)
    assert world.hidden == {0, 1}


def test_too_many_are_found_meanwhile_and_a_few_of_them_are_not_once_the_others_are_back(world: World) -> None:
    world.gone(*NINE)
    assert world.hidden == NINE
    deletion_watch.look(world.store, world.row)
    assert world.hidden == frozenset()
    world.gone(9)
    deletion_watch.look(world.store, world.row)
    assert world.hidden == frozenset()
    world.back(*range(2, 10))
    deletion_watch.look(world.store, world.row)
    assert world.hidden == {0, 1}


@pytest.mark.parametrize("looked_at", [False, True])
def test_too_much_is_held_at_the_end_of_the_run_and_waits_no_longer(world: World, *, looked_at: bool) -> None:
    world.gone(*NINE)
    if looked_at:
        deletion_watch.look(world.store, world.row)
    with world.store.begin() as tx:
        runs.change(tx, world.row.id, state=RunState.SWEEPING)
    assert approval.hold(world.store, world.row)
    now = world.now()
    assert (now.state, "9 of 10 documents would leave the index" in (now.reason or "")) == (RunState.HELD, True)
    assert world.hidden == frozenset()
    with world.store.read() as tx:
        assert pending_deletes.waiting_count(tx, world.source) == 0


def test_what_is_found_meanwhile_leaves_at_the_end_of_a_run_that_is_not_held(world: World) -> None:
    world.gone(*NINE)
    deletion_watch.look(world.store, world.row)
    world.back(*range(3, 9))
    assert not approval.hold(world.store, world.row)
    with world.store.read() as tx:
        assert pending_deletes.waiting_count(tx, world.source) == 3


def test_a_run_that_fails_leaves_in_sight_what_is_too_much(world: World) -> None:
    world.gone(*NINE)
    with world.store.begin() as tx:
        transitions.go_on(tx, world.row, state=RunState.FAILED, reason="it failed", finished_at=1.0)
    assert world.hidden == frozenset()


def test_what_is_found_meanwhile_does_not_vanish_when_it_is_met_again(world: World) -> None:
    world.gone(*NINE)
    deletion_watch.look(world.store, world.row)
    world.gone(*NINE)
    assert world.hidden == frozenset()


def test_in_parts_as_all_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_deletes, "AT_ONCE", 2)
    world.gone(*NINE)
    deletion_watch.look(world.store, world.row)
    assert world.hidden == frozenset()
    world.back(*range(3, 9))
    with world.store.begin() as tx:
        deletion_watch.put_right(tx, world.row)
    assert world.hidden == {0, 1, 2}


@pytest.mark.parametrize(("going", "silent"), [(0, 0), (4, 0), (5, 0), (9, 0), (8, 1), (10, 0)])
def test_documents_are_counted_as_far_as_it_matters(world: World, going: int, silent: int) -> None:
    world.gone(*range(going))
    with world.store.read() as tx:
        found = deletion_watch.going(tx, world.row)
        whole = deletion_guard.trips(going, pending_deletes.indexed_count(tx, world.source))
    assert found.too_many is whole
    assert deletion_guard.trips(going + silent, COUNT) == deletion_guard.trips(
        going + silent, min(COUNT, deletion_guard.most(going + silent))
    )


def test_a_run_that_is_stopped_leaves_in_sight_what_is_too_much(world: World) -> None:
    world.gone(*NINE)
    with world.store.begin() as tx:
        assert transitions.stop(tx, world.row, "a person said so")
    assert world.hidden == frozenset()
    world.back(*range(1, 9))
    with world.store.begin() as tx:
        next_run = runs.get(tx, runs.request(tx, world.source, "{}", Refresh.ALL, force=False))
    deletion_watch.look(world.store, next_run)
    assert world.hidden == {0}


def test_nothing_is_written_where_nothing_is_news(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("it writes")

    world.gone(*NINE)
    deletion_watch.look(world.store, world.row)
    monkeypatch.setattr(world.store, "begin", refuse)
    deletion_watch.look(world.store, world.row)
    assert world.hidden == frozenset()


def test_deleting_a_source_leaves_nothing_of_what_was_found_meanwhile(world: World) -> None:
    from cormorant.operate.sources import delete

    world.gone(*NINE)
    deletion_watch.look(world.store, world.row)
    with world.store.begin() as tx:
        row = sources.numbered(tx, world.source)
        assert row is not None
        delete.remove(tx, row)
        assert pending_deletes.in_sight_count(tx, world.source) == 0
