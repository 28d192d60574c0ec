from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from cormorant.frontier.cleanup import purge
from cormorant.frontier.links import codec, inlinks as inlink_lists
from cormorant.frontier.links.codec import pack, unpack_in
from cormorant.frontier.sitemaps import registry
from cormorant.frontier.sitemaps.registry import SitemapTally
from cormorant.frontier.staging import pending_deletes
from cormorant.frontier.state import host_facts, writes
from cormorant.model.content import PageLink
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import DiscoveredBy, Role
from cormorant.store.db import bulk
from cormorant.store.db.database import Store, Tx
from cormorant.store.journal import visits
from cormorant.store.journal.visits import VisitRow
from cormorant.store.schema import content, inlinks, outlinks, resource, visit
from tests.frontier.samples import SOURCE, a_content, a_resource, admitted, numbers, pages

HELD = (content, outlinks, inlinks, resource)


@pytest.fixture
def page(store: Store) -> Store:
    """One page (number 1) that was deleted: it has a row in every table."""
    admitted(store, *pages(1))
    with store.begin() as tx:
        mark(tx, 1, outcome=int(OutcomeKind.GONE), status=404, attempts=purge.RUNS)
        writes.contents(tx, [a_content(1, indexed=False)])
        writes.links(tx, [(1, 1, False, pack([]))])
        bulk.insert(tx, inlinks, ("id", "count", "links"), [(1, 0, codec.pack_in([]))])
        visits.write(tx, [VisitRow(1, 1, 1.0, 4, 404, 0, None, "outcome", None)] * 2)
    return store


def mark(tx: Tx, number: int, **values: Any) -> None:
    tx.execute(sa.update(resource).where(resource.c.id == number).values(**values))


def purged(store: Store) -> bool:
    """Was the page purged just now, with everything that belonged to it?"""
    with store.begin() as tx:
        count = purge.purge(tx, SOURCE)
        left = [len(tx.rows(sa.select(table.c.id))) for table in (*HELD, visit)]
    assert left == [0] * 5 if count else left in ([1, 1, 1, 1, 2], [0] * 5)
    return count == 1


def test_what_was_gone_in_two_runs_goes_with_everything(page: Store) -> None:
    assert purged(page)
    assert not purged(page), "once"


def test_two_runs_within_an_hour_are_one_accident(page: Store) -> None:
    with page.begin() as tx:
        visits.write(tx, [VisitRow(1, 2, tx.now() - 3_500, 4, 404, 0, None, "outcome", None)])
        assert purge.purge(tx, SOURCE) == 0
        assert purge.purge(tx, SOURCE, 3_400) == 1


def test_a_link_to_itself_keeps_nothing(page: Store) -> None:
    with page.begin() as tx:
        bulk.update(tx, inlinks, ("count", "links"), ("id",), [(1, codec.pack_in([(2, "here")]), 1)])
    assert not purged(page), "that is another's"
    with page.begin() as tx:
        bulk.update(tx, inlinks, ("links",), ("id",), [(codec.pack_in([(1, "here")]), 1)])
    assert purged(page)


def test_a_sitemap_that_is_gone_leaves_its_room_to_others(page: Store) -> None:
    gone, other = (a_resource(number)._replace(role=Role.SITEMAP) for number in (1, 2))
    with page.begin() as tx:
        host_facts.write(tx, [SitemapTally("urlset", 4_000_000).fact(gone), SitemapTally("urlset", 7).fact(other)])
        assert registry.room(tx, SOURCE, 3) == registry.MAX_ADDRESSES - 4_000_007
    assert purged(page)
    with page.read() as tx:
        assert registry.room(tx, SOURCE, 3) == registry.MAX_ADDRESSES - 7


@pytest.mark.parametrize(
    ("values", "goes"),
    [
        ({"attempts": 1}, False),
        ({"attempts": 1, "status": 410}, True),
        ({"attempts": 1, "how": int(DiscoveredBy.LISTING)}, False),
        ({"how": int(DiscoveredBy.SEED)}, False),
        ({"how": int(DiscoveredBy.SEED), "status": 410}, False),
        ({"outcome": int(OutcomeKind.FAILED), "attempts": 9}, False),
        ({"outcome": int(OutcomeKind.EXCLUDED), "attempts": 9}, False),
        ({"outcome": int(OutcomeKind.OK)}, False),
        ({"status": 1024, "attempts": 5}, True),
        ({"source_id": 2}, False),
    ],
    ids=str,
)
def test_what_goes(page: Store, values: dict[str, int], goes: bool) -> None:
    with page.begin() as tx:
        mark(tx, 1, **values)
    assert purged(page) is goes


@pytest.mark.parametrize("how", [DiscoveredBy.LINK, DiscoveredBy.LISTING])
def test_what_is_linked_to_stays_unless_a_listing_says_otherwise(page: Store, how: DiscoveredBy) -> None:
    with page.begin() as tx:
        tx.execute(sa.update(inlinks).values(count=1))
        mark(tx, 1, how=int(how))
    assert purged(page) is (how is DiscoveredBy.LISTING)


def test_what_search_may_still_find_stays(page: Store) -> None:
    """A person refused to let it go: no event has told the index, so its row must not vanish behind its back."""
    with page.begin() as tx:
        tx.execute(sa.update(content).values(indexed=True))
    assert not purged(page)
    with page.begin() as tx:
        pending_deletes.hide(tx, [(1, SOURCE, 3)])
    assert not purged(page), "it waits for its run"
    with page.begin() as tx:
        pending_deletes.leave(tx, [(1, 5)])
    assert purged(page)


def test_what_a_purged_page_linked_to_loses_the_link(store: Store) -> None:
    first, second, third = pages(3)
    admitted(store, first, second, third)
    with store.begin() as tx:
        known = numbers(tx)
        blob = pack([PageLink(third, "see")])
        writes.links(tx, [(known[first], 1, False, blob), (known[second], 1, False, blob)])
        rows = inlink_lists.chunk(tx, SOURCE)
        inlink_lists.apply(
            tx, [row[0] for row in rows], inlink_lists.difference(SOURCE, inlink_lists.fronts(tx, SOURCE), rows)
        )
        mark(tx, known[first], outcome=int(OutcomeKind.GONE), status=410)
        assert purge.purge(tx, SOURCE) == 1
        (row,) = tx.rows(sa.select(inlinks).where(inlinks.c.id == known[third]))
        assert (row.count, [link.referrer for link in unpack_in(row.links)]) == (1, [known[second]])
        mark(tx, known[second], outcome=int(OutcomeKind.GONE), status=410)
        mark(tx, known[third], outcome=int(OutcomeKind.GONE), status=404, attempts=2)
        assert purge.purge(tx, SOURCE) == 1, "the third was linked to when it was looked at"
        assert purge.purge(tx, SOURCE) == 1
        assert numbers(tx) == {}


def test_many_at_once(store: Store) -> None:
    admitted(store, *pages(2100))
    with store.begin() as tx:
        tx.execute(sa.update(resource).values(outcome=int(OutcomeKind.GONE), status=410))
        mark(tx, 7, outcome=int(OutcomeKind.OK))
        assert purge.purge(tx, SOURCE) == 2099
        assert list(numbers(tx).values()) == [7]


def test_the_tombstones_of_a_source_are_trimmed_with_its_rows(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    trimmed = list[int]()
    monkeypatch.setattr("cormorant.store.journal.tombstones.trim", lambda _, source: trimmed.append(source))
    with store.begin() as tx:
        assert purge.purge(tx, 3) == 0
    assert trimmed == [3]
