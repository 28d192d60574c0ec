"""Nothing that arrives is lost while somebody says that there is nothing left: in every order two may meet."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
import sqlalchemy as sa

from cormorant.frontier.policy.priority import due
from cormorant.frontier.progress import remaining
from cormorant.frontier.queue import host_leases
from cormorant.frontier.queue.host_leases import ReadWindow
from cormorant.model.resource import Resource
from cormorant.store.db import bulk
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import resource
from tests.frontier.samples import SOURCE, admit, admitted, pages, site_numbers, work_of

NEW = "https://a.example/new"


@pytest.fixture
def done(store: Store) -> Store:
    """A site at which everything was visited in this generation, and nobody has said so yet."""
    admitted(store, *pages(3))
    with store.begin() as tx:
        tx.execute(sa.update(resource).values(due=due(2)))
    return store


class Owner:
    """Has leased the site: reads, and when nothing is left, says so."""

    def __init__(self, tx: Tx) -> None:
        self.place = site_numbers(tx)["a.example"]
        self.arrivals = work_of(tx).arrivals

    def read(self, tx: Tx) -> list[Resource]:
        return host_leases.read(tx, ReadWindow(self.place, SOURCE, 1))

    def finish(self, tx: Tx) -> bool:
        return host_leases.finish(
            tx, self.place, SOURCE, 1, self.arrivals, host_leases.earliest(tx, ReadWindow(self.place, SOURCE, 1)) or 0.0
        )


def aside(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def until_somebody_waits(store: Store) -> None:
    """Return when another connection waits for a lock of ours. On SQLite it does so before it does anything."""
    if store.sqlite:
        return
    waiting = 0
    while not waiting:
        with store.read() as tx:
            asked = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = 'shared'"
            waiting = tx.driver(asked).scalar_one()


def left(store: Store) -> int:
    with store.read() as tx:
        return remaining.left(tx, SOURCE, 1).sites


def test_with_nothing_left_the_site_is_done(done: Store) -> None:
    with done.begin() as tx:
        owner = Owner(tx)
        assert owner.read(tx) == []
        assert owner.finish(tx)
        assert work_of(tx) == (1, 1, 0.0)
    assert left(done) == 0


def test_what_arrived_since_the_lease_is_noticed(done: Store, other: Store) -> None:
    with done.read() as tx:
        owner = Owner(tx)
    admitted(other, NEW)
    with done.begin() as tx:
        assert not owner.finish(tx)
        assert [each.address for each in owner.read(tx)] == [NEW]
        counts = host_leases.arrivals(tx, [owner.place], {SOURCE: 1})
        assert counts == {owner.place: {SOURCE: owner.arrivals + 1}}
    assert left(done) == 1


def test_what_arrives_between_the_read_and_the_end_is_noticed(done: Store, other: Store) -> None:
    """The one who brings it has not committed when the owner reads, and does so before the owner says `done`."""
    with done.read() as tx:
        owner = Owner(tx)
    said: list[tuple[int, bool]] = []

    def look() -> None:
        with done.begin() as tx:
            said.append((len(owner.read(tx)), owner.finish(tx)))

    with other.begin() as tx:
        admit(tx, NEW)
        looking = aside(look)
        until_somebody_waits(other)
    looking.join()
    assert said in ([(0, False)], [(1, False)])
    assert left(done) == 1


def test_what_arrives_while_the_end_is_said_undoes_it(done: Store, other: Store) -> None:
    """The owner has said `done` and not committed when something arrives."""
    with done.begin() as tx:
        owner = Owner(tx)
        assert owner.finish(tx)
        bringing = aside(lambda: admitted(other, NEW))
        until_somebody_waits(done)
    bringing.join()
    assert left(done) == 1
    with done.read() as tx:
        assert work_of(tx) == (2, 0, 0.0)
        assert [each.address for each in owner.read(tx)] == [NEW]


def test_an_arrival_that_is_rolled_back_changes_nothing(done: Store, other: Store) -> None:
    with done.read() as tx:
        owner = Owner(tx)
    with pytest.raises(ValueError, match="no"), other.begin() as tx:
        raise ValueError("no" if admit(tx, NEW) else "nothing admitted")
    with done.begin() as tx:
        assert owner.finish(tx)


def test_what_must_wait_is_left_to_whoever_comes_then(done: Store) -> None:
    with done.begin() as tx:
        owner = Owner(tx)
        admit(tx, NEW)
        owner.arrivals += 1
        tx.execute(sa.update(resource).where(resource.c.address == NEW).values(not_before=tx.now() + 50))
        at = host_leases.earliest(tx, ReadWindow(owner.place, SOURCE, 1))
        assert owner.finish(tx)
        assert work_of(tx) == (2, 0, at)
        assert remaining.left(tx, SOURCE, 1)[:2] == (1, at)
        assert host_leases.arrivals(tx, [owner.place], {SOURCE: 1}) == {owner.place: {}}, "not before its time"


def visit_everything(store: Store, owner: Owner, rounds: int) -> list[str]:
    """What an owner visits in that many transactions, saying `done` whenever it reads nothing."""
    visited: list[str] = []
    for _ in range(rounds):
        with store.begin() as tx:
            got = owner.read(tx)
            bulk.update(tx, resource, ("due",), ("id",), [(due(2), each.id) for each in got])
            if not got:
                owner.finish(tx)
                owner.arrivals = work_of(tx).arrivals
        visited += [each.address for each in got]
    return visited


def test_many_arrivals_and_many_ends(done: Store, other: Store) -> None:
    links = [f"https://a.example/more/{number}" for number in range(120)]

    def bring() -> None:
        for start in range(0, len(links), 3):
            admitted(other, *links[start : start + 3])

    with done.read() as tx:
        owner = Owner(tx)
    bringing = aside(bring)
    visited = visit_everything(done, owner, 60)
    bringing.join()
    visited += visit_everything(done, owner, 3)
    assert sorted(visited) == sorted(links)
    assert left(done) == 0
