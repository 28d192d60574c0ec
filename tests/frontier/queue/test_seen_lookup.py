"""The keys that the store knows of a site."""

from __future__ import annotations

import sqlalchemy as sa

from cormorant.frontier.queue import seen_lookup
from cormorant.frontier.queue.seen_lookup import AT_ONCE, Lookup
from cormorant.store.db.database import Store
from cormorant.store.schema import resource
from tests.frontier.books import every
from tests.frontier.samples import admitted, pages, site_numbers


def test_keys_rise_and_are_of_one_site(store: Store) -> None:
    admitted(store, *pages(300), "https://b.example/")
    admitted(store, *pages(5), source=2)
    with store.read() as tx:
        places = site_numbers(tx)
        got = every(tx, places["a.example"])
        assert list(got) == sorted(tx.execute(sa.select(resource.c.hash).where(resource.c.site_id == 1)).scalars())
        assert (got.typecode, len(got), len(every(tx, places["b.example"]))) == ("q", 305, 1)
        assert len(every(tx, 999)) == 0


def test_of_a_large_site_every_key_is_told_once(store: Store) -> None:
    admitted(store, *pages(AT_ONCE + 1))
    with store.read() as tx:
        place = site_numbers(tx)["a.example"]
        got = every(tx, place)
        assert list(got) == sorted(tx.execute(sa.select(resource.c.hash)).scalars())
        assert (len(seen_lookup.page(tx, place)), len(seen_lookup.page(tx, place, got[-2]))) == (AT_ONCE, 1)


def test_which_of_some_keys_a_site_has(store: Store) -> None:
    admitted(store, *pages(9), "https://b.example/")
    with store.read() as tx:
        places = site_numbers(tx)
        here, there = (list(every(tx, places[name])) for name in ("a.example", "b.example"))
    among = Lookup(store).among
    assert among(places["a.example"], [*here[:3], *there, 1, -5]) == set(here[:3])
    assert among(places["a.example"], []) == among(999, here) == set()
