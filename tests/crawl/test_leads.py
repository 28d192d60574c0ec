"""What sitemaps lead to, on every store."""

from __future__ import annotations

import sqlalchemy as sa

from cormorant.crawl import leads
from cormorant.crawl.rows import Batch
from cormorant.frontier import sitemaps
from cormorant.frontier.admission import Admission, Arrival, SiteNumbers
from cormorant.frontier.claims import Claim
from cormorant.frontier.sitemaps import Tally, Told
from cormorant.model.address import fingerprint, origin_of
from cormorant.model.content import Entry
from cormorant.model.resource import Found, How, Role
from cormorant.store.database import Store
from cormorant.store.schema import claim, resource, site
from tests.frontier.samples import SOURCE, a_resource, found

ORDER = Admission(SOURCE, 2, 5)
MAP = a_resource(90)._replace(role=Role.SITEMAP, address="https://a.example/s.xml")


def told(*claims: Claim, maps: list[str] | None = None) -> Told:
    made = Told(MAP, Tally("urlset", len(claims)), claims=list(claims))
    made.sitemaps = [arrival(each)._replace(found=a_map(each)) for each in maps or ()]
    return made


def a_map(address: str) -> Found:
    return Found(address, origin_of(address).site, 1, How.SITEMAP, Role.SITEMAP, MAP.id, priority=0)


def arrival(address: str) -> Arrival:
    return Arrival(found(address, 1), fingerprint(address, SOURCE))


def claimed(address: str, *, is_new: bool) -> Claim:
    return Claim(fingerprint(address, SOURCE), origin_of(address).site, Entry(address, False, 5.0, 5.0), is_new)


def admitted(store: Store, batch: Batch) -> int:
    with store.begin() as tx:
        return leads.admit(tx, SiteNumbers(), ORDER, batch)


def count(store: Store, table: sa.Table) -> int:
    with store.read() as tx:
        return int(tx.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def test_nothing_is_kept_of_entries_that_were_refused(store: Store) -> None:
    kept, twice, refused = "https://a.example/1", "https://a.example/2", "https://one-too-many.example/1"
    refused_before = claimed("https://refused-before.example/1", is_new=False)
    made = told(*(claimed(each, is_new=True) for each in (kept, twice, refused)), refused_before)
    assert admitted(store, Batch(arrivals=[arrival(kept)], told=[made])) == 1
    assert (count(store, claim), count(store, site)) == (1, 1)


def test_no_more_sitemaps_are_looked_at_than_may_come(store: Store) -> None:
    many = [f"https://h{number}.example/s.xml" for number in range(sitemaps.MAX_FILES + 50)]
    assert admitted(store, Batch(told=[told(maps=many)])) == 0
    assert count(store, resource) == count(store, site) == sitemaps.MAX_FILES
    assert admitted(store, Batch(told=[told(maps=many[::-1])])) == 0
    assert count(store, resource) == sitemaps.MAX_FILES
