from __future__ import annotations

import pytest

from cormorant.base.errors import ConflictError, NotFoundError
from cormorant.catalog import receivers
from cormorant.catalog.receivers import ReceiverRow
from cormorant.store.database import Store


def test_a_receiver_begins_at_its_place(store: Store) -> None:
    with store.begin() as tx:
        first = receivers.add(tx, "index", "index", None, {}, 0)
        second = receivers.add(tx, "jsonlines", "export", 3, {"path": "/srv/ü"}, 1 << 40)
        assert receivers.every(tx) == [
            ReceiverRow(first, "index", "index", None, {}, 0, None, paused=False),
            ReceiverRow(second, "export", "jsonlines", 3, {"path": "/srv/ü"}, 1 << 40, None, paused=False),
        ]
        assert receivers.named(tx, "export").id == second


def test_a_name_is_taken_once(store: Store) -> None:
    with store.begin() as tx:
        receivers.add(tx, "index", "index", None, {}, 0)
        with pytest.raises(ConflictError, match="'index' already"):
            receivers.add(tx, "jsonlines", "index", None, {}, 0)


def test_a_receiver_there_is_not(store: Store) -> None:
    with store.begin() as tx:
        with pytest.raises(NotFoundError, match="There is: none"):
            receivers.named(tx, "export")
        receivers.add(tx, "index", "index", None, {}, 0)
        with pytest.raises(NotFoundError, match="There is: index"):
            receivers.named(tx, "export")


def test_a_place_moves_on_and_clears_the_error(store: Store) -> None:
    with store.begin() as tx:
        one, two = (receivers.add(tx, "jsonlines", name, None, {}, 5) for name in ("one", "two"))
        receivers.set_error(tx, one, "The disk is full.")
        receivers.set_error(tx, two, "The disk is full.")
        assert [row.error for row in receivers.every(tx)] == ["The disk is full."] * 2
        receivers.set_place(tx, one, 9)
        assert [(row.place, row.error) for row in receivers.every(tx)] == [(9, None), (5, "The disk is full.")]


def test_the_delivering_side_is_paused_as_a_whole(store: Store) -> None:
    with store.begin() as tx:
        for name in ("one", "two"):
            receivers.add(tx, "jsonlines", name, None, {}, 0)
        receivers.set_error(tx, receivers.every(tx)[0].id, "It is away.", 300.0)
        receivers.set_paused(tx, paused=True)
        assert [row.paused for row in receivers.every(tx)] == [True, True]
        assert receivers.every(tx)[0].try_at is not None
        receivers.set_paused(tx, paused=False)
        assert [row.paused for row in receivers.every(tx)] == [False, False]
        assert receivers.every(tx)[0].try_at is None, "it is tried when somebody wants it"


def test_a_deleted_receiver_is_gone(store: Store) -> None:
    with store.begin() as tx:
        one, _ = (receivers.add(tx, "jsonlines", name, None, {}, 0) for name in ("one", "two"))
        receivers.delete(tx, one)
        assert [row.name for row in receivers.every(tx)] == ["two"]
