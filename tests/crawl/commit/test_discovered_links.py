"""Commits of links that were discovered in sitemaps, on every store."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from cormorant.crawl.commit import batch as batch_rows, discovered_links, persist
from cormorant.crawl.commit.batch import Batch
from cormorant.frontier.policy import priority
from cormorant.frontier.policy.transition import VisitConditions, fate
from cormorant.frontier.progress import remaining
from cormorant.frontier.queue import host_leases
from cormorant.frontier.queue.host_leases import ReadWindow
from cormorant.frontier.sitemaps import registry
from cormorant.frontier.sitemaps.lastmod_trust import LastmodClaim
from cormorant.frontier.sitemaps.registry import SitemapContent, SitemapTally
from cormorant.frontier.staging import pending_deletes
from cormorant.frontier.state import enqueue, host_facts, writes
from cormorant.frontier.state.enqueue import Admission, NewUrl, SiteNumbers
from cormorant.model.content import Content, FeedEntry, Sitemap
from cormorant.model.outcome import Failed, Gone, Ok, Outcome, OutcomeKind, Unchanged
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl, Resource, Role, UrlState
from cormorant.model.status import Status
from cormorant.model.url import fingerprint, origin_of
from cormorant.store.db.database import Store
from cormorant.store.schema import claim, resource, site
from tests.crawl.samples import AT, visited
from tests.frontier.samples import SOURCE, a_content, a_resource, found, numbers, site_numbers

ORDER = Admission(SOURCE, 2, 5)
MAP = a_resource(90)._replace(role=Role.SITEMAP, address="https://a.example/s.xml")


def sitemap(*claims: LastmodClaim, maps: list[str] | None = None) -> SitemapContent:
    made = SitemapContent(MAP, SitemapTally("urlset", len(claims)), claims=list(claims))
    made.sitemaps = [arrival(each)._replace(found=a_map(each)) for each in maps or ()]
    return made


def a_map(address: str) -> DiscoveredUrl:
    return DiscoveredUrl(address, origin_of(address).site, 1, DiscoveredBy.SITEMAP, Role.SITEMAP, MAP.id, priority=0)


def arrival(address: str) -> NewUrl:
    return NewUrl(found(address, 1), fingerprint(address, SOURCE))


def claimed(address: str, *, is_new: bool) -> LastmodClaim:
    return LastmodClaim(
        fingerprint(address, SOURCE), origin_of(address).site, FeedEntry(address, False, 5.0, 5.0), is_new=is_new
    )


def admitted(store: Store, batch: Batch) -> int:
    with store.begin() as tx:
        return discovered_links.admit(tx, SiteNumbers(), ORDER, batch)


def count(store: Store, table: sa.Table) -> int:
    with store.read() as tx:
        return int(tx.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def test_nothing_is_kept_of_entries_that_were_refused(store: Store) -> None:
    kept, twice, refused = "https://a.example/1", "https://a.example/2", "https://one-too-many.example/1"
    refused_before = claimed("https://refused-before.example/1", is_new=False)
    made = sitemap(*(claimed(each, is_new=True) for each in (kept, twice, refused)), refused_before)
    assert admitted(store, Batch(arrivals=[arrival(kept)], sitemaps=[made])) == 1
    assert (count(store, claim), count(store, site)) == (1, 1)


def test_no_more_sitemaps_are_looked_at_than_may_come(store: Store) -> None:
    many = [f"https://h{number}.example/s.xml" for number in range(registry.MAX_FILES + 50)]
    made = sitemap(maps=many)
    assert admitted(store, Batch(sitemaps=[made])) == 0
    assert (made.tally.new, made.tally.over) == (registry.MAX_FILES, 50), "left out files are counted"
    assert count(store, resource) == count(store, site) == registry.MAX_FILES
    assert admitted(store, Batch(sitemaps=[sitemap(maps=many[::-1])])) == 0
    assert count(store, resource) == registry.MAX_FILES


PAGE = "https://b.example/page"


def row(store: Store, address: str = PAGE) -> tuple[int, int, int, int]:
    columns = resource.c
    statement = sa.select(columns.role, columns.state, columns.outcome, columns.due).where(columns.address == address)
    with store.read() as tx:
        return tuple(tx.rows(statement)[0])


def how_found(store: Store) -> DiscoveredBy:
    with store.read() as tx:
        return DiscoveredBy(tx.rows(sa.select(resource.c.how).where(resource.c.address == PAGE))[0].how)


def test_a_page_that_another_process_knows_by_a_link_is_named_all_the_same(store: Store) -> None:
    indexed(store)
    by_map = arrival(PAGE)._replace(found=found(PAGE)._replace(how=DiscoveredBy.SITEMAP, referrer=MAP.id))
    made = sitemap()
    made.named[by_map.key] = by_map.found.site
    assert admitted(store, Batch(arrivals=[by_map], sitemaps=[made])) == 0
    assert how_found(store) is DiscoveredBy.SITEMAP


def indexed(store: Store, how: DiscoveredBy = DiscoveredBy.LINK) -> Resource:
    """A document that search finds; nothing of it is due in this generation."""
    with store.begin() as tx:
        enqueue.admit(tx, SiteNumbers(), ORDER, [arrival(PAGE)._replace(found=found(PAGE)._replace(how=how))])
        number = numbers(tx)[PAGE]
        place = site_numbers(tx)["b.example"]
        due = priority.due(ORDER.generation + 1)
        visited = {"outcome": int(OutcomeKind.OK), "status": 200, "due": due, "run": ORDER.run - 1}
        tx.execute(sa.update(resource).where(resource.c.id == number).values(**visited))
        writes.contents(tx, [a_content(number)])
        window = ReadWindow(place, SOURCE, ORDER.generation + 1)
        return host_leases.read(tx, window)[0]


def leased(store: Store) -> Resource:
    with store.read() as tx:
        return host_leases.read(tx, ReadWindow(site_numbers(tx)["b.example"], SOURCE, ORDER.generation))[0]


def settled(store: Store, resource: Resource, outcome: Outcome) -> set[int]:
    """Write a visit, and what it says of a sitemap; returns the sites where something is to be visited now."""
    made = visited(resource, outcome)
    batch = Batch(visited=[made._replace(fate=fate(resource, outcome, VisitConditions(ORDER.generation, False, AT)))])
    with store.begin() as tx:
        persist.write(tx, batch_rows.rows(batch, [], ORDER.run, lambda _: 1), ORDER.run)
        return discovered_links.put_right(tx, ORDER, batch)


READ = Ok(Content(PAGE, b"", "text/xml"), None, sitemap=Sitemap("urlset"))
NONE_AT_ALL = Failed(Status.CONVERSION_FAILED, "It cannot be used: it is no sitemap: it is a page.")


def hidden_now(store: Store) -> frozenset[int]:
    with store.read() as tx:
        return pending_deletes.everything(tx)


def test_nobody_can_have_a_document_removed_by_calling_it_a_sitemap(store: Store) -> None:
    number = indexed(store).id
    admitted(store, Batch(sitemaps=[sitemap(maps=[PAGE])]))
    assert row(store) == (Role.SITEMAP, UrlState.READY, 0, priority.due(ORDER.generation, 0))
    assert hidden_now(store) == frozenset(), "search finds it until it was read"
    turned = leased(store)
    assert (turned.id, turned.indexed) == (number, True)
    assert settled(store, turned, NONE_AT_ALL) == {turned.site}
    assert row(store) == (Role.DOCUMENT, UrlState.READY, 0, priority.due(ORDER.generation))
    assert hidden_now(store) == frozenset()
    settled(store, leased(store), Unchanged())
    admitted(store, Batch(sitemaps=[sitemap(maps=[PAGE])]))
    assert row(store)[0] == Role.DOCUMENT, "it is not asked for again as one each time that it is named"


def test_a_sitemap_that_was_taken_for_a_document_leaves_when_it_was_read_as_one(store: Store) -> None:
    number = indexed(store).id
    admitted(store, Batch(sitemaps=[sitemap(maps=[PAGE])]))
    assert settled(store, leased(store), READ) == set()
    assert hidden_now(store) == {number}
    assert row(store)[0] == Role.SITEMAP
    with store.begin() as tx:
        pending_deletes.show_again(tx, SOURCE)
        assert remaining.leaving_count(tx, SOURCE) == 1, "a person is asked"
        assert remaining.hide_leaving(tx, SOURCE, ORDER.run) == 1


def test_a_visit_that_took_a_sitemap_for_a_document_is_made_once_more(store: Store) -> None:
    under_way = indexed(store)
    admitted(store, Batch(sitemaps=[sitemap(maps=[PAGE])]))
    assert settled(store, under_way, Unchanged()) == {under_way.site}
    assert row(store) == (Role.SITEMAP, UrlState.READY, 0, priority.due(ORDER.generation, 0))


def test_a_sitemap_that_breaks_stays_one(store: Store) -> None:
    indexed(store)
    admitted(store, Batch(sitemaps=[sitemap(maps=[PAGE])]))
    turned = leased(store)
    settled(store, turned, READ)
    with store.begin() as tx:
        host_facts.write(tx, [SitemapTally("urlset", 3).fact(turned)])
    broken = turned._replace(outcome=int(OutcomeKind.DEFERRED), status=503)
    assert settled(store, broken, NONE_AT_ALL) == set()
    assert row(store)[0] == Role.SITEMAP


def test_what_is_gone_leaves_whatever_it_was_taken_for(store: Store) -> None:
    number = indexed(store).id
    admitted(store, Batch(sitemaps=[sitemap(maps=[PAGE])]))
    settled(store, leased(store), Gone())
    assert hidden_now(store) == {number}


@pytest.mark.parametrize("named", [False, True])
def test_a_start_address_is_made_a_sitemap_by_the_settings_alone(store: Store, *, named: bool) -> None:
    indexed(store, DiscoveredBy.SEED)
    with store.begin() as tx:
        registry.turn(tx, SiteNumbers(), ORDER, [arrival(PAGE)], named=named)
    assert row(store)[0] == (Role.SITEMAP if named else Role.DOCUMENT)
