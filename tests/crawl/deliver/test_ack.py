"""Work of an index is counted once, whichever process is killed; a rebuilt index is ahead of waiting events."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sqlalchemy as sa

from cormorant.crawl.deliver import ack
from cormorant.crawl.deliver.payload import Sink
from cormorant.crawl.deliver.sinks import IndexSink
from cormorant.frontier.staging import pending_deletes
from cormorant.model.run import Counters, Refresh, RunState
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.search.index.memory import MemoryIndex
from cormorant.store.catalog import receivers, rejected_deliveries, sources
from cormorant.store.catalog.receivers import ReceiverRow
from cormorant.store.db.database import Store
from cormorant.store.journal import runs
from cormorant.store.schema import content
from tests.crawl.providing import House


@pytest.fixture
def house(store: Store, tmp_path: Path) -> House:
    return House(store, tmp_path)


def under_way(store: Store, state: RunState) -> int:
    """A run of which the index has got event 1, with nine more events."""
    kinds = (
        Event.NEW,
        Event.NEW,
        Event.NEW,
        Event.CHANGED,
        Event.LINKS,
        Event.DELETED,
        Event.WITHDRAWN,
        Event.UNVISITED,
        Event.FINISHED,
    )
    with store.begin() as tx:
        source = sources.add(tx, "web", "docs", {})
        index = receivers.add(tx, receivers.INDEX, "index", None, {}, 1)
        other = receivers.add(tx, "jsonlines", "lines", None, {}, 0)
        number = runs.request(tx, source, json.dumps({}), Refresh.ALL, force=False)
        runs.change(tx, number, state=state)
        runs.count(tx, number, "receiver index", Counters(indexed=1, index_writes=1))
        stream.append(tx, [NewEvent(source, each, number, event) for each, event in enumerate(kinds)])
        stream.append(tx, [NewEvent(source, 1, number, Event.FOUND, None, other)])
        pending_deletes.hide_until(tx, [(5, source, number, 6)])
        assert index != other
    return number


@pytest.mark.parametrize(
    ("state", "counted"),
    [(RunState.RETRIEVING, Counters(indexed=3, index_writes=4, index_link_updates=1, index_deletes=2, deleted=1)),
     (RunState.FINISHED, Counters(indexed=1, index_writes=1))],
)  # fmt: skip
def test_events_behind_the_place_of_the_index_count_as_delivered(
    store: Store, state: RunState, counted: Counters
) -> None:
    number = under_way(store, state)
    with store.begin() as tx:
        for _ in range(2):  # counted once only
            ack.overtake(tx, stream.head(tx))
        assert runs.counters(tx, number) == counted
        assert receivers.index_place(tx) == stream.head(tx) == 10
        assert pending_deletes.everything(tx) == frozenset()
        assert len(stream.after(tx, 0, 20)) == 9, "the other receiver has got nothing yet"


def test_it_may_have_come_further_meanwhile_but_not_beyond_the_end(store: Store) -> None:
    under_way(store, RunState.RETRIEVING)
    with store.begin() as tx:
        receivers.set_place(tx, receivers.index(tx), 8)
        ack.overtake(tx, 5)
        assert receivers.index_place(tx) == 8
        receivers.set_place(tx, receivers.index(tx), 80)
        ack.overtake(tx, 10)
        assert receivers.index_place(tx) == 10


def test_without_an_index(store: Store) -> None:
    with store.begin() as tx:
        ack.overtake(tx, 0)
        assert receivers.every(tx) == []


def test_what_the_index_committed_before_a_kill_is_counted_by_the_process_after_it(house: House) -> None:
    """The commit succeeded but was not acknowledged: counts and rejections were in the memory of a killed process."""
    house.add(receivers.INDEX, "index")
    index, (kept, damaged) = MemoryIndex(), house.keep(2)
    with house.store.begin() as tx:
        tx.execute(sa.update(content).where(content.c.id == damaged).values(pack_offset=1 << 40))
        stream.append(tx, [NewEvent(house.source, each, house.run, Event.NEW) for each in (kept, damaged)])

    def connect(row: ReceiverRow) -> Sink:
        return IndexSink(index.writer(), house.shelf, house.store, row.place)

    killed = connect(house.row("index"))
    with house.store.read() as tx:
        found = killed.prepare(tx, stream.after(tx, 0, 10))
    assert killed.receive(found, 2, 100.0) == 0
    assert killed.receive((), 2, 200.0) == 2, "it is committed"

    house.connect = connect  # type: ignore[method-assign]
    house.provide(house.has_all("index"))
    with house.store.read() as tx:
        counted = runs.counters(tx, house.run)
        refused = [each.resource for each, _ in rejected_deliveries.of(tx, house.row("index").id, 9)]
    assert (counted.indexed, counted.index_writes, counted.index_damaged) == (1, 1, 1)
    assert (house.row("index").refused, refused) == (1, [damaged])
    assert index.reader().ids(0, 9) == [kept]


@pytest.mark.parametrize("lag", [0, 1, 3])
def test_what_is_committed_once_more_does_not_take_the_index_back(house: House, lag: int) -> None:
    house.add(receivers.INDEX, "index")
    index = MemoryIndex()
    house.gone(3)
    index.writer().commit(3)
    with house.store.begin() as tx:
        receivers.set_place(tx, house.row("index").id, 3 - lag)

    def connect(row: ReceiverRow) -> Sink:
        return IndexSink(index.writer(), house.shelf, house.store, row.place)

    house.connect = connect  # type: ignore[method-assign]
    house.provide(house.has_all("index"))
    house.gone(2)
    house.provide(house.has_all("index"))
    with house.store.read() as tx:
        assert (index.committed.place, runs.counters(tx, house.run).index_deletes) == (5, 2 + lag)
