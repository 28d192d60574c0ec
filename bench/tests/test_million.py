"""Does the product itself say that it knows what :mod:`bench.fill` put there, and that none of it is due?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import addresses
from bench.fill import GENERATION, fill
from cormorant.app.build import BuildPlan, open_house
from cormorant.app.settings import InstallationSettings
from cormorant.frontier.progress import remaining
from cormorant.frontier.queue import host_leases, seen_lookup
from cormorant.frontier.queue.seen_urls import KnownUrls
from cormorant.model.url import fingerprint, origin_of, try_canonical
from cormorant.operate.explain.explain import explain
from cormorant.operate.installation import Installation
from cormorant.operate.sources import sources
from cormorant.store.schema import site

COUNT = 2_000
CRAWLED = ("127.0.1.1:8899", "127.0.1.2:8899", "127.0.1.3:8899")
EVERY = [addresses.known(number, CRAWLED) for number in range(COUNT)]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    """An installation whose one source knows the addresses."""
    opened = open_house(BuildPlan(tmp_path / "data", InstallationSettings()), first=True)
    sources.add(opened, "web", "bench", {"start": [f"http://{site}/" for site in CRAWLED]})
    fill(opened, COUNT, CRAWLED)
    yield opened
    opened.store.close()


def test_addresses_are_many_and_canonical() -> None:
    assert len({each.address for each in EVERY}) == COUNT
    assert all(try_canonical(each.address) == each.address for each in EVERY)
    assert all(origin_of(each.address).site == each.site for each in EVERY)
    assert sum(each.site in CRAWLED for each in EVERY) == COUNT // 2
    assert {each.site for each in EVERY} == {*CRAWLED, *addresses.OTHERS}


def test_a_sample_is_of_all_of_them() -> None:
    sample = list(addresses.sample(COUNT, CRAWLED, 5))
    assert len(set(sample)) == 5
    assert set(sample) <= {each.address for each in EVERY}
    assert {origin_of(address).site in CRAWLED for address in sample} == {True, False}


def test_whoever_leases_a_site_knows_its_addresses(house: Installation) -> None:
    (source,) = sources.every(house)
    with house.store.read() as tx:
        numbers = dict(map(tuple, tx.rows(site.select().with_only_columns(site.c.key, site.c.id))))
        known = {key: KnownUrls(seen_lookup.page(tx, number)) for key, number in numbers.items()}
    assert all(fingerprint(each.address, source.id) in known[each.site] for each in EVERY)
    assert sum(map(len, known.values())) == COUNT


def test_the_first_crawl_has_none_of_them_to_visit_and_the_second_all(house: Installation) -> None:
    (source,) = sources.every(house)
    assert source.generation == GENERATION - 1
    with house.store.read() as tx:
        first, second = {source.id: GENERATION}, {source.id: GENERATION + 1}
        assert (host_leases.workable(tx, first), remaining.to_fetch(tx, source.id, GENERATION)) == (0, 0)
        assert host_leases.workable(tx, second) == len(CRAWLED) + len(addresses.OTHERS)
        assert remaining.to_fetch(tx, source.id, GENERATION + 1) == COUNT


def test_the_product_explains_them(house: Installation) -> None:
    for address in addresses.sample(COUNT, CRAWLED, 5):
        (record,) = explain(house, address)
        assert (record["source"], record["verdict"], record["status"]) == ("bench", "not_indexed", 954)
        assert [visit["outcome"] for visit in record["visits"]] == ["moved"]
        assert record["next"] == {"when": "in the next run"}
    (record,) = explain(house, addresses.known(COUNT, CRAWLED).address)
    assert record["verdict"] == "unknown"
