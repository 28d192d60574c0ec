from __future__ import annotations

import pytest
import sqlalchemy as sa

from cormorant.model.acl import ACL, NOBODY, PUBLIC
from cormorant.store.catalog.acls import ACLNumbers
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import acl
from tests.stores import within

STAFF = ACL.of(["group:staff", "user:ada"], ["user:bob", "user:ü\t,"])


def kept(tx: Tx) -> int:
    return int(tx.execute(sa.select(sa.func.count()).select_from(acl)).scalar_one())


def test_equal_lists_are_kept_once(store: Store, other: Store) -> None:
    ada, bob = ACLNumbers(), ACLNumbers()
    with store.begin() as tx:
        numbers = [ada.of(tx, each) for each in (PUBLIC, STAFF, NOBODY, PUBLIC)]
        assert numbers[0] == numbers[3]
        assert len(set(numbers)) == 3
    with other.begin() as tx:
        assert [bob.of(tx, each) for each in (NOBODY, STAFF)] == [numbers[2], numbers[1]]
        assert kept(tx) == 3
        assert [bob.list_of(tx, number) for number in numbers] == [PUBLIC, STAFF, NOBODY, PUBLIC]
        assert ACLNumbers().list_of(tx, numbers[1]) == STAFF


def test_grants_and_denies_are_not_confused(store: Store) -> None:
    lists = [ACL.of(["a", "b"]), ACL.of(["a"], ["b"]), ACL.of([], ["a", "b"]), ACL.of(["a,b"]), ACL.of(["a\nb"])]
    with store.begin() as tx:
        known = ACLNumbers()
        assert len({known.of(tx, each) for each in lists}) == len(lists)


def test_lists_of_a_batch_come_to_be_in_one_order(store: Store) -> None:
    several = [ACL.of([f"group:{name}"]) for name in "cab"]
    with store.begin() as tx:
        known = ACLNumbers()
        known.prepare(tx, [*several, *several])
        numbers = [known.of(tx, each) for each in several]
        assert sorted(numbers) == [numbers[1], numbers[2], numbers[0]]
        assert kept(tx) == 3


def test_an_unknown_number_grants_nothing_and_is_asked_for_again(store: Store, other: Store) -> None:
    reading = ACLNumbers()
    with store.read() as tx:
        assert reading.list_of(tx, 1) == NOBODY
    with other.begin() as tx:
        assert ACLNumbers().of(tx, PUBLIC) == 1
    with store.read() as tx:
        assert reading.list_of(tx, 1) == PUBLIC


def test_what_was_rolled_back_is_forgotten(store: Store) -> None:
    """Or its number would stand for rights that another document was given."""
    known = ACLNumbers()

    def work(tx: Tx) -> None:
        number = known.of(tx, PUBLIC)
        assert known.list_of(tx, number) == PUBLIC
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        within(store, work)
    known.forget()
    with store.begin() as tx:
        number = ACLNumbers().of(tx, STAFF)
        assert known.list_of(tx, number) == STAFF
        assert known.of(tx, PUBLIC) != number
