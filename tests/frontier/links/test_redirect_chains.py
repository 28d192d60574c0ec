from __future__ import annotations

import pytest

from cormorant.frontier.links import redirect_chains
from cormorant.model.resource import DiscoveredBy
from cormorant.store.db.database import Store
from tests.frontier.samples import admitted, found, numbers, pages


def chained(store: Store, hops: int, how: DiscoveredBy = DiscoveredBy.REDIRECT) -> list[int]:
    """A page, and so many more, each where the one before has moved to; returns their numbers in order."""
    made: list[int] = []
    for address in pages(hops + 1):
        last = made[-1] if made else None
        admitted(store, found(address)._replace(how=how if made else DiscoveredBy.LINK, referrer=last))
        with store.read() as tx:
            made.append(numbers(tx)[address])
    return made


def test_a_chain_ends_after_the_tenth_hop(store: Store) -> None:
    chain = chained(store, redirect_chains.MOST + 1)
    with store.read() as tx:
        far = redirect_chains.at_the_end(tx, chain)
    assert far == frozenset(chain[redirect_chains.MOST :])


@pytest.mark.parametrize("how", [DiscoveredBy.LINK, DiscoveredBy.SITEMAP])
def test_links_are_no_hops(store: Store, how: DiscoveredBy) -> None:
    chain = chained(store, redirect_chains.MOST + 2, how)
    with store.read() as tx:
        assert redirect_chains.at_the_end(tx, chain) == frozenset()


def test_nothing_is_asked_for_nothing(store: Store) -> None:
    with store.read() as tx:
        assert redirect_chains.at_the_end(tx, [None]) == frozenset()
