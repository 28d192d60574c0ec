from __future__ import annotations

import sqlalchemy as sa

from cormorant.frontier.state import host_facts
from cormorant.frontier.state.host_facts import FOR_EVER, INSTALLATION, Fact
from cormorant.store.db.database import Store
from cormorant.store.schema import site_source
from tests.frontier.samples import pass_time

LATER = FOR_EVER


def test_facts_are_read_by_site_and_scope(store: Store) -> None:
    robots = Fact(1, INSTALLATION, "https://a.example", b"User-agent: *", LATER)
    cookie = Fact(1, 5, "cookies", b"\x00\xff", LATER)
    other = Fact(2, INSTALLATION, "https://b.example", b"", LATER)
    with store.begin() as tx:
        host_facts.write(tx, [robots, cookie, other])
        assert host_facts.read(tx, [1], [INSTALLATION]) == [robots]
        assert host_facts.read(tx, [1], [5]) == [cookie]
        assert set(host_facts.read(tx, [1, 2, 3], [INSTALLATION, 5])) == {robots, cookie, other}
        assert host_facts.read(tx, [], [INSTALLATION]) == host_facts.read(tx, [1], []) == []


def test_a_newer_fact_replaces_an_older_one(store: Store) -> None:
    with store.begin() as tx:
        host_facts.write(tx, [Fact(1, 0, "robots", b"old", LATER), Fact(1, 0, "robots", b"newer", LATER)])
        host_facts.write(tx, [Fact(1, 0, "robots", b"newest", LATER + 1)])
        host_facts.write(tx, [])
        assert host_facts.read(tx, [1], [0]) == [Fact(1, 0, "robots", b"newest", LATER + 1)]


def test_a_fact_holds_until_its_time(store: Store) -> None:
    with store.begin() as tx:
        host_facts.write(tx, [Fact(1, 0, "robots", b"x", tx.now() + 100)])
        assert len(host_facts.read(tx, [1], [0])) == 1
    pass_time(store, 200)
    with store.begin() as tx:
        assert host_facts.read(tx, [1], [0]) == []


def test_what_is_known_of_the_sites_of_a_source_expires(store: Store) -> None:
    with store.begin() as tx:
        tx.execute(sa.insert(site_source).values(site_id=1, source_id=5))
        others = [Fact(1, 6, "cookies", b"", LATER), Fact(2, INSTALLATION, "https://b.example", b"", LATER)]
        host_facts.write(tx, [Fact(1, INSTALLATION, "robots", b"x", LATER), Fact(1, 5, "cookies", b"", LATER), *others])
        host_facts.expire(tx, 5)
        assert sorted(host_facts.read(tx, [1, 2], [INSTALLATION, 5, 6])) == sorted(others)
