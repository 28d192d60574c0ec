"""An index that was made anew has overtaken what waited for it, which counts as told."""

from __future__ import annotations

import json

import pytest

from cormorant.crawl.deliver import ack
from cormorant.frontier.staging import pending_deletes
from cormorant.model.run import Counters, Refresh, RunState
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.catalog import receivers, sources
from cormorant.store.db.database import Store
from cormorant.store.journal import runs


def under_way(store: Store, state: RunState) -> int:
    """A run of which the index was told up to number 1, and eight things more happened."""
    told = (Event.NEW, Event.NEW, Event.NEW, Event.CHANGED, Event.LINKS, Event.DELETED, Event.UNVISITED, Event.FINISHED)
    with store.begin() as tx:
        source = sources.add(tx, "web", "docs", {})
        index = receivers.add(tx, receivers.INDEX, "index", None, {}, 1)
        other = receivers.add(tx, "jsonlines", "lines", None, {}, 0)
        number = runs.request(tx, source, json.dumps({}), Refresh.ALL, force=False)
        runs.change(tx, number, state=state)
        runs.count(tx, number, "receiver index", Counters(indexed=1, index_writes=1))
        stream.append(tx, [NewEvent(source, each, number, event) for each, event in enumerate(told)])
        stream.append(tx, [NewEvent(source, 1, number, Event.FOUND, None, other)])
        pending_deletes.hide_until(tx, [(5, source, number, 6)])
        assert index != other
    return number


@pytest.mark.parametrize(
    ("state", "counted"),
    [(RunState.RETRIEVING, Counters(indexed=3, index_writes=4, index_link_updates=1, index_deletes=1)),
     (RunState.FINISHED, Counters(indexed=1, index_writes=1))],
)  # fmt: skip
def test_what_it_has_overtaken_counts_as_told(store: Store, state: RunState, counted: Counters) -> None:
    number = under_way(store, state)
    with store.begin() as tx:
        for _ in range(2):  # told once only
            ack.overtake(tx, stream.head(tx))
        assert runs.counters(tx, number) == counted
        assert receivers.index_place(tx) == stream.head(tx) == 9
        assert pending_deletes.everything(tx) == frozenset()
        assert len(stream.after(tx, 0, 20)) == 8, "the other receiver was told of nothing yet"


def test_it_may_have_come_further_meanwhile_but_not_beyond_the_end(store: Store) -> None:
    under_way(store, RunState.RETRIEVING)
    with store.begin() as tx:
        receivers.set_place(tx, receivers.index(tx), 8)
        ack.overtake(tx, 5)
        assert receivers.index_place(tx) == 8
        receivers.set_place(tx, receivers.index(tx), 80)
        ack.overtake(tx, 9)
        assert receivers.index_place(tx) == 9


def test_without_an_index(store: Store) -> None:
    with store.begin() as tx:
        ack.overtake(tx, 0)
        assert receivers.every(tx) == []
