from __future__ import annotations

import pytest
import sqlalchemy as sa

from cormorant.frontier.policy import priority
from cormorant.frontier.progress import remaining
from cormorant.frontier.queue import host_leases, refill, request_log, seen_lookup
from cormorant.frontier.queue.host_leases import LEASE_S, READ_AHEAD
from cormorant.frontier.queue.refill import CLOSED_S, LONG_REST_S, LOW, SOON_S, RefillPlan
from cormorant.frontier.queue.seen_urls import KnownUrls, UrlLookup
from cormorant.frontier.queue.workbench import IpGroup
from cormorant.frontier.state import host_facts
from cormorant.frontier.state.host_facts import INSTALLATION, Fact
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Role
from cormorant.model.ruling import Prerequisite, Ruling
from cormorant.model.url import fingerprint
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import resource, site
from tests.crawl.samples import web_source
from tests.frontier.retriever import START, Retriever, as_it_is
from tests.frontier.samples import SOURCE, a_resource, admitted, owners, pages, pass_time, work_of


def left(store: Store, source: int = SOURCE) -> int:
    with store.read() as tx:
        return remaining.left(tx, source, 1).sites


@pytest.fixture
def ada(store: Store) -> Retriever:
    admitted(store, *pages(3), "https://b.example/")
    return Retriever(store)


def test_everything_is_visited_once_and_every_site_given_back(ada: Retriever) -> None:
    assert sorted(ada.visit_all()) == sorted([*pages(3), "https://b.example/"])
    assert left(ada.store) == 0
    assert ada.desk.sites == {}
    assert owners(ada.store) == {None}


def test_a_run_for_what_is_new_leaves_the_rest_and_is_done(ada: Retriever) -> None:
    with ada.store.begin() as tx:
        known = resource.c.address.in_(pages(2))
        tx.execute(sa.update(resource).where(known).values(outcome=int(OutcomeKind.OK), run=1))
    ada.plan = RefillPlan({SOURCE: 1}, as_it_is, {SOURCE: 2})
    assert sorted(ada.visit_all()) == sorted([pages(3)[2], "https://b.example/"])
    assert left(ada.store) == 0
    with ada.store.begin() as tx:
        remaining.awake(tx, SOURCE, 1)
    ada.plan = RefillPlan({SOURCE: 1}, as_it_is)
    assert ada.visit_all() == pages(2)


def test_a_large_site_is_read_piece_by_piece(store: Store) -> None:
    admitted(store, *pages(3 * READ_AHEAD))
    ada = Retriever(store)
    (one,) = ada.tend()
    one.parallel = LOW
    visited, most = [], 0
    while tasks := ada.take():
        most = max(most, len(one.sources[SOURCE].held))
        visited += [task.resource.address for task in tasks]
        ada.settle(tasks)
        ada.tend()
    assert visited == pages(3 * READ_AHEAD)
    assert most <= READ_AHEAD + LOW
    assert ada.visit_all(2) == []
    assert left(store) == 0


def test_of_a_slow_site_only_what_is_soon_asked_for_is_read(store: Store) -> None:
    delay_s, count = SOON_S / 5, 60
    admitted(store, *pages(count))
    ada = Retriever(store)
    (one,) = ada.tend()
    one.set_pace(delay_s, 1)
    one.sources[SOURCE].let_go()  # read before its pace was known
    one.sources[SOURCE].reread()
    visited, most = [], 0
    for _ in range(count):
        ada.tend()
        most = max(most, len(one.sources[SOURCE].held))
        tasks = ada.take()
        visited += [task.resource.address for task in tasks]
        ada.settle(tasks)
        ada.now += delay_s + 1.0
    assert visited == pages(count)
    assert most <= READ_AHEAD * 5 // LOW + 5
    ada.tend()
    assert left(store) == 0


def test_of_a_slow_site_more_is_read_when_nothing_is_asked_for_what_was(store: Store) -> None:
    admitted(store, *pages(READ_AHEAD))
    ada = Retriever(store)
    (one,) = ada.tend()
    one.set_pace(SOON_S / 5, 1)
    work = one.sources[SOURCE]
    work.let_go()
    work.reread()
    ada.tend()
    few = len(work.held)
    assert few == READ_AHEAD * 5 // LOW
    work.queue.clear()
    work.held.clear()
    work.unasked = 5
    ada.tend()
    assert len(work.held) > few * 5
    assert work.unasked == 0


def test_a_leased_site_brings_its_facts_keys_and_rest(ada: Retriever) -> None:
    with ada.store.begin() as tx:
        now = tx.now()
        host_facts.write(tx, [Fact(1, INSTALLATION, "robots", b"r", now + 99), Fact(1, 5, "cookies", b"c", now + 99)])
        tx.execute(sa.update(site).where(site.c.id == 1).values(not_before=now - 2, failures=3, requested_at=now - 5))
    two, one = ada.tend()  # who rested longest comes first
    assert (one.facts, two.facts) == ({"robots": b"r"}, {})
    assert one.failures == 3
    assert START - 8 < one.rest_until < START
    assert not ada.seen.first_time(one.key, fingerprint(pages(1)[0], SOURCE))
    assert ada.seen.first_time(one.key, fingerprint("https://a.example/new", SOURCE))


def test_of_a_large_site_only_what_is_met_is_looked_up(store: Store) -> None:
    admitted(store, *pages(seen_lookup.AT_ONCE), "https://b.example/")
    ada = Retriever(store)
    ada.tend()
    known, new = (fingerprint(address, SOURCE) for address in (pages(1)[0], "https://a.example/new"))
    (large,) = [each.key for each in ada.desk.sites.values() if "a.example" in each.key]
    assert {type(each): key == large for key, each in ada.seen._sites.items()} == {UrlLookup: True, KnownUrls: False}
    ada.seen.meet([(large, known), (large, new)])
    assert [ada.seen.first_time(large, key) for key in (known, new, new)] == [False, True, False]


def test_a_fact_past_its_time_is_asked_for_anew(ada: Retriever) -> None:
    """Or a site that is never given back is judged by an old robots.txt for as long as a run lasts."""
    gates, page, name = web_source(robots="obey").gates, a_resource(), "robots:https://a.example"
    with ada.store.begin() as tx:
        host_facts.write(tx, [Fact(1, INSTALLATION, name, b"User-agent: *\nDisallow: /", tx.now() + 99)])
    one = next(each for each in ada.tend() if each.lease.site == 1)
    assert one.hold_until == {name: pytest.approx(ada.now + 99, abs=5)}
    ada.tend()
    assert isinstance(gates.visit(page, one.facts), Ruling)
    one.hold_until[name] -= 100
    ada.tend()
    assert isinstance(gates.visit(page, one.facts), Prerequisite)


def test_rows_are_adapted_to_their_run(ada: Retriever) -> None:
    ada.plan = RefillPlan({SOURCE: 1}, lambda row: row._replace(etag="none"))
    ada.tend()
    assert {task.resource.etag for task in ada.take()} == {"none"}


def test_a_link_found_meanwhile_is_visited_too(ada: Retriever) -> None:
    ada.tend()
    ada.all_at_once()
    ada.settle(ada.take(), "https://a.example/new", "https://c.example/")
    ada.tend()
    assert {task.resource.address for task in ada.take()} == {"https://a.example/new", "https://c.example/"}


def test_what_another_process_brought_is_noticed_at_the_end(ada: Retriever) -> None:
    ada.tend()
    ada.all_at_once()
    tasks = ada.take()
    admitted(ada.store, "https://a.example/brought")
    ada.settle(tasks)
    assert ada.visit_all(4) == ["https://a.example/brought"]
    assert left(ada.store) == 0


def test_a_site_is_not_given_back_while_a_visit_is_unsettled(ada: Retriever) -> None:
    ada.tend()
    ada.all_at_once()
    tasks = ada.take()
    for task in tasks:
        ada.desk.done(task)
    ada.tend()
    assert len(ada.desk.sites) == 2
    ada.settle([])
    ada.desk.settled([task.resource for task in tasks], [])
    with ada.store.begin() as tx:
        tx.execute(sa.update(resource).values(due=priority.due(2)))
    ada.tend()
    assert ada.desk.sites == {}


def test_a_long_rest_gives_the_site_back_with_what_was_read(ada: Retriever) -> None:
    one, two = ada.tend()
    one.rest_until, two.rest_until = ada.now + LONG_REST_S + 1, ada.now + LONG_REST_S - 1
    ada.tend(0)
    assert list(ada.desk.sites) == [two.lease.site]
    with ada.store.read() as tx:
        assert work_of(tx).done_generation == 0


def test_what_is_deferred_is_left_until_its_time(ada: Retriever) -> None:
    ada.tend()
    ada.all_at_once()
    ada.settle(ada.take(), defer=50.0)
    assert ada.tend() == []
    assert ada.desk.sites == {}
    assert left(ada.store) == 2
    assert ada.tend() == [], "nobody leases it before its time"
    pass_time(ada.store, 60)
    assert len(ada.visit_all()) == 4
    assert left(ada.store) == 0


def test_leases_last_as_long_as_the_process_tends_them(ada: Retriever, other: Store) -> None:
    slow = ada.tend()
    for _ in range(4):
        pass_time(ada.store, LEASE_S * 0.6)
        for each in slow:  # what the process remembers is as old as what is written
            object.__setattr__(each.lease, "until", each.lease.until - LEASE_S * 0.6)
        ada.tend()
        assert Retriever(other, "bob").tend() == []
    assert len(ada.desk.sites) == 2


def rest_of(store: Store, key: str) -> tuple[float, int]:
    with store.read() as tx:
        return tuple(tx.rows(sa.select(site.c.not_before, site.c.failures).where(site.c.key == key))[0])


def test_what_fails_after_a_site_was_forgiven_is_written_back_again(ada: Retriever) -> None:
    work = next(each for each in ada.tend() if each.key == "a.example")
    work.not_before, work.failures, work.trouble, work.rest_until = 1e12, 12, 902, ada.now + 4
    for failures in (12, 3):
        with ada.store.begin() as tx:
            refill.renew(tx, ada.name, [work])
        assert rest_of(ada.store, "a.example") == (work.not_before, failures)
        with ada.store.begin() as tx:
            tx.execute(sa.update(site).values(not_before=0.0, failures=0))
            assert refill.renew(tx, ada.name, [work]) == set()
        assert (work.not_before, work.failures, work.trouble, work.rest_until) == (0.0, 0, 0, 0.0), "here too"
        work.failures, work.trouble = 3, 902


def test_a_lost_lease_is_noticed_and_its_site_let_go(ada: Retriever, other: Store) -> None:
    one, two = ada.tend()
    with ada.store.begin() as tx:
        tx.execute(sa.update(site).where(site.c.id == one.lease.site).values(lease_until=0.0))
    bob = Retriever(other, "bob")
    assert [each.key for each in bob.tend()] == [one.key]
    for each in (one, two):
        object.__setattr__(each.lease, "until", 0.0)
    ada.tend()
    assert list(ada.desk.sites) == [two.lease.site]
    assert list(bob.desk.sites) == [one.lease.site]


def test_a_source_joins_at_a_site_that_is_leased_for_another(ada: Retriever) -> None:
    one, _ = ada.tend(s1=1, s2=1)
    admitted(ada.store, "https://a.example/two", source=2)
    assert ada.tend() == [one], "whose pace must be set anew"
    assert set(one.sources) == {1, 2}
    assert ada.tend() == []
    ada.all_at_once()
    assert {task.resource.source for task in ada.take()} == {1, 2}


def test_a_source_that_waits_does_not_join(ada: Retriever) -> None:
    admitted(ada.store, "https://a.example/two", source=2)
    with ada.store.begin() as tx:
        tx.driver(f"UPDATE site_source SET not_before = {tx.now() + 99} WHERE source_id = 2")
    one, _ = ada.tend(s1=1, s2=1)
    assert set(one.sources) == {1}
    assert ada.tend() == []


def test_a_source_that_is_crawled_no_more_is_dropped(ada: Retriever) -> None:
    admitted(ada.store, "https://a.example/two", source=2)
    one, two = ada.tend(s1=1, s2=1)
    first, second = ada.take()
    ada.desk.again(first, a_resource(9)._replace(role=Role.ROBOTS))
    ada.desk.done(second)
    ada.tend(s2=1)
    assert (first.site, second.site) == (one, two)
    assert set(one.sources) == {2}
    assert one.awaited is None
    assert list(ada.desk.sites) == [one.lease.site], "the other site has nothing to do"
    assert [task.resource.source for task in ada.take()] == [2]


def test_visits_of_a_dropped_source_hold_no_site(ada: Retriever) -> None:
    ada.tend()
    ada.all_at_once()
    tasks = ada.take()
    ada.tend(s2=1)
    assert len(ada.desk.sites) == 2, "they are under way still"
    for task in tasks:
        ada.desk.done(task)
    ada.tend()
    assert ada.desk.sites == {}
    assert owners(ada.store) == {None}
    assert left(ada.store) == 2


def test_a_new_run_judges_again_what_an_earlier_one_excluded(ada: Retriever) -> None:
    one, _ = ada.tend()
    refused = fingerprint("https://a.example/refused", SOURCE)
    assert ada.seen.first_time(one.key, refused)
    assert ada.seen.first_time("far.example", refused)
    ada.tend()
    assert not ada.seen.first_time(one.key, refused)
    assert not ada.seen.first_time("far.example", refused)
    ada.tend(s1=2)
    assert ada.seen.first_time(one.key, refused)
    assert ada.seen.first_time("far.example", refused)
    assert not ada.seen.first_time(one.key, fingerprint(pages(1)[0], SOURCE))


def test_a_prerequisite_is_found_by_its_address(ada: Retriever) -> None:
    one, _ = ada.tend()
    with ada.store.read() as tx:
        got = host_leases.at_address(tx, one.lease.site, SOURCE, pages(1)[0])
        assert got is not None
        assert got.address == pages(1)[0]


def test_two_retrievers_share_the_work(store: Store, other: Store) -> None:
    addresses = [f"https://host-{number}.example/{page}" for number in range(6) for page in range(4)]
    admitted(store, *addresses)
    ada, bob = Retriever(store), Retriever(other, "bob")
    ada.tend(3)
    bob.tend(3)
    assert not set(ada.desk.sites) & set(bob.desk.sites)
    visited = []
    for _ in range(8):
        for each in (ada, bob):
            tasks = each.take()
            visited += [task.resource.address for task in tasks]
            each.settle(tasks)
            each.tend(3)
    assert sorted(visited) == sorted(addresses)
    assert left(store) == 0


def test_who_has_more_than_its_share_lets_go_of_sites_for_who_has_nothing(store: Store, other: Store) -> None:
    addresses = [f"https://host-{number}.example/{page}" for number in range(5) for page in range(number + 2)]
    admitted(store, *addresses)
    ada, bob = Retriever(store), Retriever(other, "bob")
    ada.tend()
    visited = ada.take()
    assert ada.share(1) == []
    assert ada.share(2) == ada.share(2) == ["host-3.example", "host-4.example"]
    assert ada.take() == []
    ada.tend(0)
    assert bob.tend() == [], "no site changes hands while a visit of it is under way"
    ada.settle(visited)
    ada.tend(0)
    assert sorted(each.key for each in bob.tend()) == ["host-3.example", "host-4.example"]
    assert ada.share(2) == bob.share(2) == []
    found = [task.resource.address for task in visited]
    for _ in range(8):
        for each in (ada, bob):
            tasks = each.take()
            found += [task.resource.address for task in tasks]
            each.settle(tasks)
            each.tend(0)
    assert sorted(found) == sorted(addresses)
    assert left(store) == 0


def test_a_site_that_leaves_as_its_robots_txt_is_to_be_asked_for_is_given_back(store: Store, other: Store) -> None:
    admitted(store, *(f"https://host-{number}.example/{page}" for number in range(4) for page in range(2)))
    ada, bob = Retriever(store), Retriever(other, "bob")
    ada.tend()
    taken = ada.take()
    leave = ada.share(2)
    assert len(leave) == 2
    for task in taken:
        site_ = task.site
        robots = a_resource(1_000 + site_.lease.site, SOURCE, site_.lease.site)._replace(role=Role.ROBOTS)
        site_.sources[SOURCE].held.add(robots.id)
        ada.desk.again(task, robots)
    ada.tend(0)
    assert sorted(each.key for each in bob.tend()) == leave
    assert len(ada.take()) == 2, "of those that stay the robots.txt is asked for"


def test_a_lease_is_renewed_in_time_also_when_the_clock_was_set_back(ada: Retriever) -> None:
    """A process goes by its own monotonic clock until when it may begin a visit."""
    ada.tend()
    for _ in range(4):
        ada.now += LEASE_S / 2 + 1
        assert all(each.leased_until > ada.now for each in ada.desk.sites.values())
        ada.tend()
    assert len(ada.take()) == 2


def test_no_site_leaves_that_nobody_else_could_take_up(ada: Retriever, other: Store) -> None:
    admitted(ada.store, "https://c.example/")
    ada.tend()
    for site_ in ada.desk.sites.values():
        ada.desk.place(site_, "192.0.2.1", START)
    assert ada.share(2) == []
    bob = Retriever(other, "bob")
    admitted(other, "https://d.example/")
    for site_ in ada.desk.sites.values():
        site_.lane = IpGroup()
    assert ada.share(2) == [], "one is free"
    with other.begin() as tx:
        everything = host_leases.workable(tx, ada.plan.generations)
        found = [ada.supply.share(tx, ada.plan, peers) for peers in (1, 2)]
    assert found == [None, everything], "whose share of that is leased next need not ask for it again"
    bob.tend()
    assert len(ada.share(2)) == 1
    assert ada.share(1000) == ada.share(2)


def counted(tx: Tx) -> int:
    return int(tx.execute(sa.select(sa.func.count()).select_from(resource)).scalar_one())


def test_a_crash_loses_nothing(ada: Retriever, other: Store) -> None:
    ada.tend()
    visited = ada.take()
    assert visited
    bob = Retriever(other, "bob")
    assert bob.tend() == []
    pass_time(ada.store, LEASE_S + 1)
    assert sorted(bob.visit_all()) == sorted([*pages(3), "https://b.example/"])
    with ada.store.begin() as tx:
        assert counted(tx) == 4


def hosts(count: int) -> list[str]:
    return [f"https://h{number}.example/" for number in range(count)]


def test_no_more_sites_are_leased_for_a_source_than_it_allows(store: Store) -> None:
    admitted(store, *hosts(9))
    ada, bob = Retriever(store), Retriever(store, "bob")
    for each in (ada, bob):
        each.plan = RefillPlan({SOURCE: 1}, as_it_is, limits={SOURCE: 3})
    assert (len(ada.tend(2)), len(bob.tend()), len(ada.tend())) == (2, 1, 0)
    visited: list[str] = []
    for _ in range(40):
        for each in (ada, bob):
            each.tend(2)
            tasks = each.take()
            visited += [task.resource.address for task in tasks]
            each.settle(tasks)
            assert len(ada.desk.sites) + len(bob.desk.sites) <= 3
    assert sorted(visited) == hosts(9)
    assert left(store) == 0


def test_a_limit_of_one_source_is_none_for_another(store: Store) -> None:
    admitted(store, *hosts(4))
    admitted(store, *hosts(4), source=2)
    ada = Retriever(store)
    ada.plan = RefillPlan({SOURCE: 1, 2: 1}, as_it_is, limits={SOURCE: 1})
    ada.tend()
    assert len(ada.desk.sites) == 4
    assert sum(SOURCE in each.sources for each in ada.desk.sites.values()) <= 1
    assert len(ada.visit_all()) == 8
    assert left(store) == left(store, 2) == 0


def test_what_goes_out_is_written_down_with_its_lease(ada: Retriever) -> None:
    (one, _) = sorted(ada.tend(), key=lambda each: each.key)
    one.set_pace(2.0, 1, "delay_s 2")
    one.sent(START, 1e9, 1)
    one.sent(START + 2.5, 1e9 + 2.5, 2)
    with ada.store.begin() as tx:
        assert refill.renew(tx, ada.name, [one]) == set()
    with ada.store.begin() as tx:
        tx.execute(sa.update(site).values(epoch=99))
        one.sent(START + 3, 1e9 + 3, 3)
        assert refill.renew(tx, ada.name, [one]) == {one.lease.site}, "then somebody else writes it down"
    with ada.store.read() as tx:
        (hour,) = request_log.of(tx, [one.lease.site])[one.lease.site]
    assert (hour.requests, hour.gap_s, hour.asked_s, hour.rule) == (2, 2.5, 2.0, "delay_s 2")


def test_a_source_that_is_closed_at_a_site_waits_for_its_next_run(ada: Retriever) -> None:
    one = next(each for each in ada.tend() if each.lease.site == 1)
    one.sources[SOURCE].close()
    admitted(ada.store, "https://a.example/new")
    ada.desk.settled([], [1])
    assert ada.visit_all() == ["https://b.example/"]
    assert 1 not in ada.desk.sites, "it is given back to whoever else has work there"
    with ada.store.read() as tx:
        waits_s = work_of(tx).not_before - tx.now()
    assert CLOSED_S - 60 < waits_s <= CLOSED_S
    with ada.store.begin() as tx:
        remaining.awake(tx, SOURCE, 1)
    assert sorted(ada.visit_all()) == sorted([*pages(3), "https://a.example/new"])
