from __future__ import annotations

import pytest
import sqlalchemy as sa

from cormorant.base.errors import ConflictError, NotFoundError
from cormorant.store.catalog import receivers
from cormorant.store.catalog.receivers import ReceiverRow
from cormorant.store.db.database import Store
from cormorant.store.schema import receiver


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


def test_the_index_is_lent_to_one_at_a_time_and_not_for_ever(store: Store) -> None:
    with store.begin() as tx:
        index = receivers.add(tx, "index", "index", None, {}, 0)
        other = receivers.add(tx, "jsonlines", "out", None, {}, 0)
        receivers.set_error(tx, index, "It is damaged.", 60.0)
        until = receivers.lend(tx)
        assert until is not None
        lent = receivers.named(tx, "index")
        assert (lent.lent_until, lent.error, lent.try_at) == (until, None, None)
        assert [row.id for row in receivers.served(tx)] == [other]
        assert receivers.lend(tx) is None
        later = receivers.lend(tx, until)
        assert later is not None
        assert later >= until
        receivers.take_back(tx, until - 1)
        assert [row.id for row in receivers.served(tx)] == [other], "that was another loan"
        receivers.take_back(tx, later)
        assert [row.id for row in receivers.served(tx)] == [index, other]
        assert receivers.lend(tx) is not None


@pytest.mark.parametrize(("left_s", "lent"), [(29.0, True), (0.0, False), (-5.0, False), (3600.0, False)])
def test_who_was_killed_or_whose_clock_was_set_back_borrows_no_longer(store: Store, left_s: float, lent: bool) -> None:
    row = ReceiverRow(1, "index", "index", None, {}, 0, None, paused=False, lent_until=1_000.0 + left_s)
    assert row.is_lent(1_000.0) == lent
    with store.begin() as tx:
        receivers.add(tx, "index", "index", None, {}, 0)
        tx.execute(sa.update(receiver).values(lent_until=tx.now() + left_s))
        assert len(receivers.served(tx)) == 1 - lent
        assert (receivers.lend(tx) is None) == lent
