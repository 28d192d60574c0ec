"""Somebody sets the clock of the store while sites are leased, or what failed waits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from cormorant.base.clock import SystemClock
from cormorant.crawl.run.clock_repair import Setbacks
from cormorant.frontier.policy import backoff
from cormorant.frontier.queue import host_leases, ip_groups, refill
from cormorant.frontier.queue.host_leases import LEASE_S, LeasedSite, ReadWindow
from cormorant.frontier.queue.refill import Moment, Supply
from cormorant.frontier.queue.seen_lookup import Lookup
from cormorant.frontier.queue.seen_urls import SeenUrls
from cormorant.frontier.queue.workbench import HostState, Workbench
from cormorant.frontier.state import host_facts
from cormorant.frontier.state.host_facts import INSTALLATION
from cormorant.store.catalog import receivers
from cormorant.store.db import heartbeats
from cormorant.store.db.clock_steps import LONG_S
from cormorant.store.db.database import Store
from cormorant.store.schema import process, resource, site, site_fact, site_source
from tests.clocks import Shifted
from tests.frontier.retriever import Retriever
from tests.frontier.samples import SOURCE, admitted, pages, use
from tests.stores import prepare

DAY_S = 86_400.0
PLAN = {SOURCE: 1}
HERE = "203.0.113.7"


class Two:
    """Two processes at one store, whose clock somebody sets."""

    def __init__(self, folder: Path) -> None:
        self.clock = Shifted(1_767_225_600.0)
        url = f"sqlite:///{folder / 'store.db'}"
        prepare(url)
        self.stores = {name: Store.open(url, self.clock) for name in ("ada", "bob")}
        admitted(self.stores["ada"], *(f"https://{name}.example/" for name in "ab"))
        self.pass_(0.0)

    def pass_(self, seconds: float) -> None:
        """Both look at the clock now and then, as retrievers do."""
        for _ in range(max(int(seconds), 1)):
            self.clock.at += min(seconds, 1.0)
            for store in self.stores.values():
                with store.read() as tx:
                    tx.now()

    def leased(self, name: str, most: int = 9) -> list[LeasedSite]:
        with self.stores[name].begin() as tx:
            return host_leases.lease(tx, name, PLAN, most)

    def renewed(self, name: str, each: LeasedSite) -> bool:
        with self.stores[name].begin() as tx:
            return each.lease.site in host_leases.renew(tx, name, [use(each)])


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Two]:
    made = Two(tmp_path)
    yield made
    for store in made.stores.values():
        store.close()


@pytest.mark.parametrize("by", [30.0, 3_600.0, 400 * DAY_S])
def test_forward_a_lease_lasts_as_long_as_it_was_given_for(two: Two, by: float) -> None:
    first, second = two.leased("ada")
    two.pass_(20.0)
    two.clock.shift += by
    two.pass_(1.0)
    assert two.leased("bob") == [], "ada lives"
    assert two.renewed("ada", first)
    two.pass_(LEASE_S - 20.0)
    assert [each.lease.site for each in two.leased("bob")] == [second.lease.site], "of which ada said nothing more"
    two.pass_(LEASE_S)
    assert [each.lease.site for each in two.leased("bob", 1)] == [first.lease.site]


@pytest.mark.parametrize("by", [3_600.0, 400 * DAY_S])
def test_forward_one_process_has_all_leased_sites_of_a_lane(two: Two, by: float) -> None:
    (first,), (second,) = two.leased("ada", 1), two.leased("bob", 1)
    with two.stores["ada"].begin() as tx:
        assert ip_groups.enter(tx, "ada", first.lease.site, HERE, tx.run_out(LEASE_S, tx.now())) == 0.0
    two.clock.shift += by
    two.pass_(1.0)
    with two.stores["bob"].begin() as tx:
        assert ip_groups.enter(tx, "bob", second.lease.site, HERE, tx.run_out(LEASE_S, tx.now())) is None


def test_who_begins_waits_until_it_can_know_what_has_run_out(two: Two) -> None:
    two.leased("ada")
    two.clock.shift += DAY_S  # and bob begins behind that
    url = two.stores["bob"].url
    two.stores["bob"].close()
    two.stores["bob"] = Store.open(url, two.clock)
    two.stores["bob"].steady.doubt()
    two.pass_(1.0)
    assert two.leased("bob") == []
    two.pass_(LEASE_S)
    assert len(two.leased("bob")) == 2


def test_who_slept_while_it_was_set_back_and_set_right_again_waits_as_well(two: Two) -> None:
    two.leased("ada")
    two.stores["bob"].steady.doubt()
    two.pass_(LEASE_S + 1.0)
    for each in two.leased("ada"):
        assert two.renewed("ada", each)
    two.clock.shift -= 30.0  # bob sleeps from here on
    with two.stores["ada"].begin() as tx:
        host_leases.shorten(tx)
    two.clock.at += 20.0
    two.clock.shift += 30.0
    two.clock.at += 21.0
    assert two.leased("bob") == [], "41 seconds of a minute have passed, and the clock shows 71"
    two.pass_(LEASE_S)
    assert len(two.leased("bob")) == 2


@pytest.mark.parametrize("by", [-3_600.0, -400 * DAY_S])
def test_set_back_what_a_dead_process_had_is_free_in_time_and_what_a_living_one_has_is_not(two: Two, by: float) -> None:
    first, second = two.leased("ada")
    setbacks = Setbacks(two.stores["bob"], two.clock)
    setbacks.look()
    two.clock.shift += by
    two.pass_(3.0)
    setbacks.look()
    assert two.renewed("ada", first)
    two.pass_(LEASE_S - 5.0)
    assert two.leased("bob") == []
    two.pass_(6.0)
    assert {each.lease.site for each in two.leased("bob")} == {first.lease.site, second.lease.site}


@pytest.mark.parametrize(
    ("begins", "sleeps_s", "rests_s", "left_alone"),
    [
        (True, 0.0, 400 * DAY_S, False),
        (True, 0.0, 300.0, True),
        (False, 3.0, 300.0, False),
        (False, 12.0, 300.0, False),
    ],
)
def test_a_receiver_rests_no_longer_for_a_clock_that_was_ahead(
    two: Two, begins: bool, sleeps_s: float, rests_s: float, left_alone: bool
) -> None:
    setbacks = Setbacks(two.stores["ada"], two.clock)
    if not begins:
        setbacks.look()
    with two.stores["ada"].begin() as tx:
        receivers.add(tx, "index", "index", None, {}, 0)
        receivers.set_error(tx, receivers.index(tx), "The disk is full.", rests_s)
    if not begins:
        two.clock.shift -= 60.0
        two.pass_(sleeps_s)
    setbacks.look()
    with two.stores["ada"].read() as tx:
        (row,) = receivers.every(tx)
    assert (row.try_at is not None) == left_alone


def test_the_distance_to_the_last_request_is_kept_whatever_the_clock_shows(two: Two) -> None:
    asked = two.clock.now()
    for by, sooner in ((0.0, 4.0), (50.0, 4.0), (-3_650.0, 0.0)):
        two.clock.shift += by
        two.pass_(2.0)
        with two.stores["ada"].begin() as tx:
            moment = Moment.of(tx, two.clock.monotonic())
        since = moment.monotonic - moment.latest_of(asked)
        assert 0.0 <= since <= sooner, "never longer ago than it was"


def test_what_waits_until_a_day_that_no_clock_shows_any_more_waits_no_longer(store: Store) -> None:
    admitted(store, *pages(2))
    with store.begin() as tx:
        now = tx.now()
        wrong, right = now + 400 * DAY_S, now + backoff.MAX_RETRY_AFTER_S
        tx.execute(sa.update(site).values(not_before=wrong, owner="gone", lease_until=wrong))
        tx.execute(sa.update(site_source).values(not_before=wrong))
        tx.execute(sa.update(resource).values(not_before=wrong))
        heartbeats.say(tx, "gone", "retriever", now)
        tx.execute(sa.update(process).values(seen_at=wrong))
    Setbacks(store, SystemClock()).look()
    with store.begin() as tx:
        (row,) = tx.rows(sa.select(site))
        assert (row.not_before, row.owner) == (0.0, "gone")
        assert now + LEASE_S <= row.lease_until <= tx.now() + LEASE_S
        assert heartbeats.alive(tx)[0].seen_at <= tx.now()
        window = ReadWindow(row.id, SOURCE, 1)
        assert len(host_leases.read(tx, window)) == 2
        assert host_leases.earliest(tx, window) == 0.0
        tx.execute(sa.update(site).values(not_before=right))
        tx.execute(sa.update(resource).values(not_before=right))
        assert host_leases.read(tx, window) == [], "a server asked for so much"
        assert host_leases.earliest(tx, window) == right
    Setbacks(store, SystemClock()).look()
    with store.read() as tx:
        assert tx.rows(sa.select(site.c.not_before)) == [(right,)]


@pytest.mark.parametrize("ahead_s", [4.0, 60.0])
def test_what_was_written_while_it_was_ahead_and_who_looks_for_all_did_not_look(two: Two, ahead_s: float) -> None:
    """A conductor that slept finds it, and of a moment between two of its looks whoever wrote it."""
    for_all = Setbacks(two.stores["ada"], two.clock)
    own = Setbacks(two.stores["bob"], two.clock, for_all=False)
    for_all.look()
    own.look()
    two.clock.shift += 400 * DAY_S
    with two.stores["bob"].begin() as tx:
        tx.execute(sa.update(site).values(not_before=tx.now() + 60.0))
    two.clock.at += ahead_s
    two.clock.shift -= 400 * DAY_S
    for each in (for_all, own) if ahead_s < LONG_S else (for_all,):
        each.look()
    with two.stores["bob"].read() as tx:
        assert [rest for (rest,) in tx.rows(sa.select(site.c.not_before))] == [0.0, 0.0]


def test_who_looks_for_itself_alone_puts_nothing_right_that_it_has_not_seen(two: Two) -> None:
    with two.stores["bob"].begin() as tx:
        tx.execute(sa.update(site).values(not_before=tx.now() + 400 * DAY_S))
    Setbacks(two.stores["bob"], two.clock, for_all=False).look()
    with two.stores["bob"].read() as tx:
        assert tx.rows(sa.select(site.c.id).where(site.c.not_before > two.clock.now()))


@pytest.mark.parametrize(
    ("scope", "holds_s", "held"),
    [
        (INSTALLATION, DAY_S, True), (INSTALLATION, 400 * DAY_S, False), (INSTALLATION, host_facts.FOR_EVER, True),
        (SOURCE, 400 * DAY_S, True),
    ],
)  # fmt: skip
def test_what_held_for_a_day_by_a_clock_that_was_ahead_is_asked_for_anew(
    two: Two, scope: int, holds_s: float, held: bool
) -> None:
    store, name = two.stores["ada"], "robots:https://a.example"
    with store.begin() as tx:
        until = tx.now() + holds_s
        host_facts.write(tx, [host_facts.Fact(1, scope, name, b"", until)])
        assert [each.site for each in host_facts.read(tx, [1], [scope])] == [1] * held
    Setbacks(store, two.clock).look()
    with store.begin() as tx:
        left = tx.rows(sa.select(site_fact.c.valid_until).where(site_fact.c.name == name))
        assert left == [(until if held else 0.0,)], "nor does it hold when the clock has come so far"


def test_a_retriever_at_work_asks_anew_in_time_whatever_the_clock_shows(store: Store) -> None:
    admitted(store, *pages(1))
    with store.begin() as tx:
        host_facts.write(tx, [host_facts.Fact(1, INSTALLATION, "robots:https://a.example", b"", tx.now() + DAY_S)])
    ada = Retriever(store)
    (one,) = ada.tend()
    ada.now += DAY_S - 60.0
    one.forget(ada.now)
    assert one.facts
    ada.now += 120.0
    ada.tend()  # by a store whose clock shows the day before
    assert not one.facts


@pytest.mark.parametrize(("before", "by"), [(0.0, 3_600.0), (0.0, -3_600.0), (0.0, -400 * DAY_S), (3_600.0, -3_600.0)])
@pytest.mark.parametrize(("rests_s", "left_s"), [(60.0, 50.0), (5.0, 0.0), (0.0, 0.0)])
@pytest.mark.parametrize("gives_back", [True, False])
def test_a_rest_is_as_long_as_it_was_asked_for(
    two: Two, before: float, by: float, rests_s: float, left_s: float, *, gives_back: bool
) -> None:
    """Asked for before somebody set the clock, and written down behind that."""
    two.clock.shift += before
    two.pass_(1.0)
    first, _ = two.leased("ada")
    at = two.clock.now() if rests_s else 0.0
    site_work = HostState(first.lease, {}, 1, trouble=503, not_before=at + rests_s)
    site_work.rest_until = two.clock.monotonic() + rests_s if rests_s else 0.0
    two.clock.shift += by
    two.pass_(10.0)
    with two.stores["ada"].begin() as tx:
        if gives_back:
            Supply("ada", Workbench(), SeenUrls(Lookup(two.stores["ada"]))).give_back(tx, site_work)
        else:
            refill.renew(tx, "ada", [site_work])
        ((rests,),) = tx.rows(sa.select(site.c.not_before).where(site.c.id == first.lease.site))
        assert max(rests - tx.now(), 0.0) == pytest.approx(left_s)
