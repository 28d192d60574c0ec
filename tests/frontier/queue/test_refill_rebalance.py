"""A source of very many pages or hosts keeps no small one waiting (fault P17)."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.frontier.queue.refill import shares, surplus
from cormorant.frontier.state import enqueue
from cormorant.frontier.state.enqueue import Admission, SiteNumbers
from cormorant.store.db.database import Store
from tests.frontier.retriever import Retriever
from tests.frontier.samples import SOURCE, admitted, arrivals, pages

SMALL = 2
MANY = 100_000


@given(held=st.dictionaries(st.integers(1, 50), st.integers(0, 500), min_size=1), most=st.integers(0, 200))
def test_whoever_has_fewest_gets_the_next(held: dict[int, int], most: int) -> None:
    given_ = shares(held, most)
    assert sum(given_.values()) == most
    after = {source: held[source] + given_[source] for source in held}
    lowest = min(after.values())
    assert all(after[source] <= lowest + 1 for source, count in given_.items() if count), "none gets ahead of another"


@given(hosts=st.lists(st.integers(1, 2_000), min_size=2, max_size=30), most=st.integers(1, 64))
def test_of_many_hosts_every_source_has_its_part(hosts: list[int], most: int) -> None:
    """Rounds of leasing, each of which leases what the shares say of what is left."""
    held = dict.fromkeys(range(len(hosts)), 0)
    for _ in range(8):
        wanting = {source: count for source, count in held.items() if count < hosts[source]}
        for source, share in shares(wanting, most).items():
            held[source] += min(share, hosts[source] - held[source])
    equal = 8 * most // len(hosts)
    assert all(count >= min(hosts[source], equal) for source, count in held.items())


def test_many_hosts_do_not_keep_a_source_of_three_waiting(store: Store) -> None:
    admitted(store, *(f"https://h{number}.example/" for number in range(2_000)))
    admitted(store, *(f"https://small{number}.example/" for number in range(3)), source=SMALL)
    ada = Retriever(store)
    leased = {site.key for site in ada.tend(most=64, s1=1, s2=1)}
    assert {f"small{number}.example" for number in range(3)} <= leased
    assert len(leased) == 64, "what the small one leaves goes to the other"


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_many_pages_do_not_delay_a_source_of_ten(store: Store) -> None:
    """Beside a hundred thousand pages of one host, and at the very same host, ten are visited in ten turns."""
    numbers = SiteNumbers()
    with store.begin() as tx:
        enqueue.admit(tx, numbers, Admission(SOURCE, 1, 1), arrivals(pages(MANY)))
    apart, beside = pages(10, "small.example"), [f"https://a.example/small/{number}" for number in range(10)]
    admitted(store, *apart, *beside, source=SMALL)
    ada = Retriever(store)
    turns, visited = 0, list[str]()
    while not {*apart, *beside} <= set(visited):
        ada.tend(s1=1, s2=1)
        tasks = ada.take()  # one a site at a time
        visited += [task.resource.address for task in tasks]
        ada.settle(tasks)
        turns += 1
        assert turns <= 21, "each turn of the host is for the one source or the other"
    assert set(visited[:20]) >= set(apart), "at its own host it waits for nobody"


@given(counts=st.lists(st.integers(0, 40), min_size=1, max_size=8), silent=st.integers(0, 3))
def test_who_lets_go_of_sites_keeps_its_share_and_others_come_to_theirs(counts: list[int], silent: int) -> None:
    """`silent` are processes that have leased nothing, and so are not among those that have."""
    held: dict[str | None, int] = {f"r{number}": count for number, count in enumerate(counts)}
    peers = len(counts) + silent
    enough = sum(counts) // peers
    lacking = sum(max(enough - count, 0) for count in counts) + enough * silent
    gone = {name: surplus(held, name, peers) for name in held if name}
    for name, count in gone.items():
        assert held[name] - count >= enough or not count
        assert count <= lacking
        assert bool(count) == (lacking > 0 and held[name] > -(-sum(counts) // peers))
    assert surplus(held | {None: 1}, "r0", peers) == 0
    assert surplus({"r0": counts[0]}, "r0", 1) == 0
