from __future__ import annotations

import threading

import pytest

from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent, Numbered
from cormorant.store.catalog import receivers
from cormorant.store.db.database import Store, Tx


def entries(count: int, source: int = 1, run: int = 1) -> list[NewEvent]:
    return [NewEvent(source, number, run, Event.NEW) for number in range(count)]


def test_events_are_numbered_in_their_order(store: Store) -> None:
    deleted = NewEvent(2, 9, 4, Event.DELETED, "https://a.example/ü")
    with store.begin() as tx:
        assert stream.head(tx) == 0
        assert stream.append(tx, entries(3)) == 1
        assert stream.append(tx, [deleted]) == 4
        assert stream.head(tx) == 4
        assert stream.after(tx, 3, 10) == [Numbered(4, 2, 9, 4, Event.DELETED, "https://a.example/ü")]
        assert isinstance(stream.after(tx, 3, 10)[0].event, Event)


def test_a_reader_goes_on_from_its_place(store: Store) -> None:
    with store.begin() as tx:
        stream.append(tx, entries(5))
        stream.append(tx, entries(5, source=2))
        assert [each.seq for each in stream.after(tx, 0, 4)] == [1, 2, 3, 4]
        assert [each.seq for each in stream.after(tx, 4, 100)] == [5, 6, 7, 8, 9, 10]
        assert [each.seq for each in stream.after(tx, 4, 2, source=2)] == [6, 7]
        assert stream.after(tx, 10, 5) == stream.after(tx, 0, 5, source=3) == []


def test_ten_thousand_events_at_once(store: Store) -> None:
    with store.begin() as tx:
        assert stream.append(tx, entries(10_000)) == 1
        assert [each.resource for each in stream.after(tx, 9_000, 5000)] == list(range(9_000, 10_000))


def test_what_was_rolled_back_leaves_no_gap(store: Store) -> None:
    with pytest.raises(ValueError, match="no"), store.begin() as tx:
        raise ValueError("no" if stream.append(tx, entries(7)) == 1 else "other numbers")
    with store.begin() as tx:
        assert stream.append(tx, entries(1)) == 1


@pytest.mark.parametrize(
    ("event", "word"),
    [
        (Event.NEW, "new"), (Event.CHANGED, "changed"), (Event.DELETED, "deleted"), (Event.ACCESS, "changed"),
        (Event.UNVISITED, "unvisited"), (Event.UNVISITED_CHANGED, "unvisited_changed"),
        (Event.UNVISITED_DELETED, "unvisited_deleted"), (Event.WITHDRAWN, "deleted"),
    ],
)  # fmt: skip
def test_the_words_receivers_are_told(event: Event, word: str) -> None:
    assert event.word == word


class Writer(threading.Thread):
    """Appends batches of its own source; every third transaction is rolled back."""

    def __init__(self, store: Store, source: int) -> None:
        super().__init__()
        self.store, self.source, self.written = store, source, 0

    def run(self) -> None:
        for batch in range(24):
            try:
                with self.store.begin() as tx:
                    stream.append(tx, entries(1 + batch % 4, self.source, run=batch))
                    self._maybe_not(tx, batch)
            except ValueError:
                continue
            self.written += 1 + batch % 4

    def _maybe_not(self, tx: Tx, batch: int) -> None:
        if batch % 3 == 2:
            raise ValueError("rolled back")


def test_two_writers_leave_no_gap_and_a_reader_sees_them_in_order(store: Store, other: Store) -> None:
    writers = [Writer(store, 1), Writer(other, 2)]
    for each in writers:
        each.start()
    seen: list[Numbered] = []
    alive = True
    while alive:
        alive = any(each.is_alive() for each in writers)
        with store.read() as tx:
            seen += stream.after(tx, seen[-1].seq if seen else 0, 5 if alive else 1000)
    assert [each.seq for each in seen] == list(range(1, len(seen) + 1)), "nothing appears behind the reader's back"
    assert len(seen) == sum(each.written for each in writers)
    for source in (1, 2):
        own = [each for each in seen if each.source == source]
        assert [each.run for each in own] == sorted(each.run for each in own)


def test_what_everybody_has_passed_is_dropped(store: Store) -> None:
    with store.begin() as tx:
        stream.append(tx, entries(10))
        one, two = (receivers.add(tx, "jsonlines", name, None, {}, 0) for name in ("one", "two"))
        receivers.set_place(tx, one, 7)
        assert stream.trim(tx) == 0
        receivers.set_place(tx, two, 4)
        assert stream.trim(tx) == 4
        assert [each.seq for each in stream.after(tx, 0, 100)] == [5, 6, 7, 8, 9, 10]
        assert stream.trim(tx) == 0
        receivers.delete(tx, two)
        assert stream.trim(tx) == 3
        receivers.delete(tx, one)
        assert stream.trim(tx) == 3, "nobody is waiting for it"
        assert stream.append(tx, entries(1)) == 11, "numbers go on"


def test_whoever_is_at_a_place_can_go_on_unless_events_behind_it_are_gone(store: Store) -> None:
    with store.begin() as tx:
        assert stream.reaches(tx, 0), "before the first event"
        stream.append(tx, entries(10))
        assert [stream.reaches(tx, place) for place in (0, 9, 10, 11)] == [True, True, True, False]
        receivers.add(tx, "jsonlines", "one", None, {}, 4)
        assert stream.trim(tx) == 4
        assert [stream.reaches(tx, place) for place in (0, 3, 4, 10)] == [False, False, True, True]
        receivers.delete(tx, 1)
        assert stream.trim(tx) == 6
        assert [stream.reaches(tx, place) for place in (4, 9, 10)] == [False, False, True], "all are gone"
