from __future__ import annotations

import pytest

from cormorant.frontier.queue import host_leases, ip_groups
from cormorant.store.db.database import Store
from tests.frontier.samples import SOURCE, admitted, pass_time, site_numbers, use

HERE, THERE = "203.0.113.7", "2001:db8::7"
PLAN = {SOURCE: 1}


@pytest.fixture
def hosts(store: Store) -> dict[str, int]:
    admitted(store, *(f"https://{name}.example/" for name in "abc"))
    with store.read() as tx:
        return {key[0]: number for key, number in site_numbers(tx).items()}


def leased(store: Store, owner: str, most: int = 9) -> list[host_leases.LeasedSite]:
    with store.begin() as tx:
        return host_leases.lease(tx, owner, PLAN, most)


def entered(store: Store, owner: str, number: int, name: str) -> float | None:
    with store.begin() as tx:
        return ip_groups.enter(tx, owner, number, name, tx.run_out(host_leases.LEASE_S, tx.now()))


def test_one_process_has_all_leased_sites_of_a_lane(store: Store, hosts: dict[str, int]) -> None:
    (one,), (two,) = leased(store, "ada", 1), leased(store, "bob", 1)
    assert entered(store, "ada", one.lease.site, HERE) == 0.0
    assert entered(store, "bob", two.lease.site, HERE) is None
    with store.begin() as tx:
        host_leases.release(tx, "bob", use(two))
    (three,) = leased(store, "bob")
    assert three.lease.site not in (one.lease.site, two.lease.site), "its lane is taken"
    assert entered(store, "bob", three.lease.site, THERE) == 0.0
    (again,) = leased(store, "ada")
    assert (again.lease.site, again.lane) == (two.lease.site, HERE)
    assert len(hosts) == 3


def test_a_lane_is_free_when_its_owner_is_gone(store: Store, hosts: dict[str, int]) -> None:
    for each in leased(store, "ada"):
        assert entered(store, "ada", each.lease.site, HERE) == 0.0
    assert leased(store, "bob") == []
    pass_time(store, host_leases.LEASE_S + 1)
    assert len(leased(store, "bob")) == len(hosts)


def test_who_enters_hears_when_anybody_was_asked_there(store: Store, hosts: dict[str, int]) -> None:
    one, two, _ = leased(store, "ada")
    assert entered(store, "ada", one.lease.site, HERE) == 0.0
    with store.begin() as tx:
        host_leases.release(tx, "ada", use(one, requested_at=77.0))
    assert entered(store, "ada", two.lease.site, HERE) == 77.0
    assert len(hosts) == 3


def test_who_shares_with_none_leaves_its_lane(store: Store, hosts: dict[str, int]) -> None:
    one, two, three = leased(store, "ada")
    for each in (one, two, three):
        entered(store, "ada", each.lease.site, HERE)
    assert entered(store, "ada", two.lease.site, "") == 0.0
    with store.begin() as tx:
        host_leases.release(tx, "ada", use(two))
    assert [each.lease.site for each in leased(store, "bob")] == [two.lease.site]
    assert len(hosts) == 3


def test_a_lease_that_ran_out_is_lost_when_another_process_has_come_into_its_lane(
    store: Store, hosts: dict[str, int]
) -> None:
    (one,) = leased(store, "ada", 1)
    entered(store, "ada", one.lease.site, HERE)
    pass_time(store, host_leases.LEASE_S + 1)
    with store.begin() as tx:
        assert set(host_leases.renew(tx, "ada", [use(one)])) == {one.lease.site}, "nobody took it"
    pass_time(store, host_leases.LEASE_S + 1)
    (two,) = leased(store, "bob", 1)
    assert two.lease.site != one.lease.site
    assert entered(store, "bob", two.lease.site, HERE) is not None
    with store.begin() as tx:
        assert host_leases.renew(tx, "ada", [use(one)]) == {}
    assert len(hosts) == 3
