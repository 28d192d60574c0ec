"""How far a run is, is written down now and then, and of the last minute alone."""

from __future__ import annotations

import os

import pytest

from cormorant.crawl.run import progress
from cormorant.crawl.run.progress import EVERY_S, ProgressSampler
from cormorant.model.run import RunState
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.catalog import receivers
from cormorant.store.db import heartbeats
from cormorant.store.db.database import Store
from cormorant.store.journal import progress_samples, runs
from cormorant.store.journal.progress_samples import LOOK_BACK_S, Measured
from cormorant.store.journal.runs import RunRow
from tests.crawl.run.test_controller import under_way


@pytest.fixture
def row(store: Store) -> RunRow:
    """A run with one page to fetch."""
    number = under_way(store, RunState.RETRIEVING)
    with store.read() as tx:
        return runs.get(tx, number)


def newest(store: Store, row: RunRow) -> Measured | None:
    with store.read() as tx:
        return progress_samples.newest(tx, row.id)


def now(store: Store) -> float:
    """A minute ahead of the store's clock, so that looking takes no time on a machine however busy."""
    with store.read() as tx:
        return tx.now() + 60


def test_two_looks_are_kept_and_one_is_not(store: Store, row: RunRow) -> None:
    measuring, began = ProgressSampler(store), now(store)
    measuring.look(row, began, 3)
    assert newest(store, row) is None
    measuring.look(row, began + EVERY_S / 2, 4)
    assert newest(store, row) is None
    measuring.look(row, began + EVERY_S, 5)
    found = newest(store, row)
    assert found is not None
    assert [(round(each.at - began, 3), each.fetched, each.left) for each in found.samples] == [(0, 3, 1), (2, 5, 1)]
    assert found.next_at == pytest.approx(began + 2 * EVERY_S)


def test_only_the_last_minute_is_kept(store: Store, row: RunRow) -> None:
    measuring, began = ProgressSampler(store), now(store)
    for second in range(0, 200, 10):
        measuring.look(row, began + second, second)
    found = newest(store, row)
    assert found is not None
    assert (found.samples[0].fetched, found.samples[-1].fetched) == (190 - LOOK_BACK_S, 190)


def test_a_clock_that_was_set_back_restarts_the_measurement(store: Store, row: RunRow) -> None:
    measuring, began = ProgressSampler(store), now(store)
    for at in (60, 70, 10, 20):
        measuring.look(row, began + at, at)
    found = newest(store, row)
    assert found is not None
    assert [each.fetched for each in found.samples] == [10, 20]


def test_a_clock_that_was_set_forward_restarts_the_measurement(store: Store, row: RunRow) -> None:
    measuring, began = ProgressSampler(store), now(store)
    for at, stepped in ((60, 0), (70, 0), (3_680, 3_600), (3_690, 3_600)):
        store.steady.total = stepped
        measuring.look(row, began + at, at)
    found = newest(store, row)
    assert found is not None
    assert [each.fetched for each in found.samples] == [3_680, 3_690]


def test_looking_takes_little_of_the_time(store: Store, row: RunRow) -> None:
    """Simulate a poll that took ten seconds: `look` gets a time that long ago."""
    measuring, began = ProgressSampler(store), now(store) - 70.0
    for at in (0, 100, 400, 600):
        measuring.look(row, began + at, at)
    found = newest(store, row)
    assert found is not None
    assert [each.fetched for each in found.samples] == [0, 600]


def test_how_busy_the_busiest_retriever_is(store: Store, row: RunRow, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = iter([{1: 1.0, 2: 1.0}, {1: 1.5, 2: 5.5, 3: 90.0}])
    monkeypatch.setattr(progress, "processors_s", lambda _: next(seen))
    looks, began = ProgressSampler(store), now(store)
    looks.look(row, began, 0)
    looks.look(row, began + 5.0, 0)
    found = newest(store, row)
    assert found is not None
    assert found.busy == looks.busy == pytest.approx(0.9)


def test_processors_are_those_of_retrievers_that_are_there(store: Store) -> None:
    with store.begin() as tx:
        heartbeats.say(tx, "retriever-1@here", "retriever", 0.0)
        heartbeats.say(tx, "provider@here", "provider", 0.0)
        found = progress.processors_s(tx)
    assert [*found] in ([os.getpid()], [])
    assert all(seconds > 0 for seconds in found.values())


def test_it_is_seen_how_far_the_slowest_receiver_is(store: Store, row: RunRow) -> None:
    with store.begin() as tx:
        stream.append(tx, [NewEvent(row.source_id, 1, row.id, Event.CHANGED)] * 7)
        head = stream.head(tx)
        receivers.set_place(tx, receivers.add(tx, "jsonlines", "slow", None, {}, 0), 2)
        receivers.set_error(tx, receivers.add(tx, "jsonlines", "failing", None, {}, 0), "It is full.")
        receivers.add(tx, "jsonlines", "of another source", row.source_id + 1, {}, 0)
        receivers.set_place(tx, receivers.index(tx), head)
    with store.read() as tx:
        slowest = receivers.slowest(tx, row.source_id)
        assert progress.delivered(tx, slowest) == (2, head - 2)
    assert slowest is not None
    assert slowest.label == "the receiver 'slow'"
    looks, began = ProgressSampler(store), now(store)
    looks.look(row, began, 0)
    looks.look(row, began + EVERY_S, 0)
    found = newest(store, row)
    assert found is not None
    assert found.samples[-1][3:] == (2, head - 2)


def test_without_receivers_nothing_is_behind(store: Store, row: RunRow) -> None:
    with store.begin() as tx:
        stream.append(tx, [NewEvent(row.source_id, 1, row.id, Event.CHANGED)])
        receivers.set_paused(tx, paused=True)
        assert receivers.slowest(tx, row.source_id) is None
        assert progress.delivered(tx, None) == (stream.head(tx), 0)
