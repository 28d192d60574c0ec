"""What was kept out and came in has the links of pages that nobody reads again, on every store."""

from __future__ import annotations

import asyncio

import pytest
import sqlalchemy as sa

from cormorant.crawl.finish import invert_links
from cormorant.frontier.links import inlinks as inlink_lists, late_inlinks
from cormorant.frontier.links.codec import pack, unpack_in
from cormorant.frontier.state import writes
from cormorant.model.content import PageLink
from cormorant.model.status import Status
from cormorant.model.url import fingerprint
from cormorant.store.db.database import Store
from cormorant.store.journal import visits
from cormorant.store.journal.visits import Exclusion
from cormorant.store.schema import inlinks, outlinks, resource
from tests.frontier.samples import SOURCE, a_content, admitted, numbers, pages

RUN = 7
FRONT, NEAR, OTHER, LATE = pages(4)


def read(store: Store, page: str, *links: str) -> None:
    """A run reads a page, a document with these links."""
    with store.begin() as tx:
        number = numbers(tx)[page]
        writes.contents(tx, [a_content(number)])
        writes.links(tx, [(number, RUN, False, pack([PageLink(each, "there") for each in links]))])


def keep_out(store: Store, page: str, referrer: int | None = 1) -> None:
    with store.begin() as tx:
        row = Exclusion(SOURCE, fingerprint(page, SOURCE), page, "depth", "2", Status.TOO_DEEP, RUN, 3, referrer)
        visits.exclude(tx, [row])


def leading_to(store: Store, page: str) -> list[str]:
    """The pages that count as linking there."""
    with store.read() as tx:
        names = {number: address for address, number in numbers(tx).items()}
        blobs = tx.rows(sa.select(inlinks.c.links).where(inlinks.c.id == numbers(tx)[page]))
        return [names[each.referrer] for row in blobs for each in unpack_in(row.links)]


@pytest.fixture
def site(store: Store) -> Store:
    """Two of three pages link to what is too deep; their links are inverted."""
    admitted(store, FRONT, NEAR, OTHER)
    for page, links in ((FRONT, (NEAR, OTHER)), (NEAR, (LATE,)), (OTHER, (NEAR, LATE))):
        read(store, page, *links)
    keep_out(store, LATE)
    asyncio.run(invert_links.invert(store, SOURCE, first=True))
    return store


def test_what_comes_in_by_links_that_nobody_read_again_has_them(site: Store) -> None:
    admitted(site, LATE)
    read(site, LATE)
    asyncio.run(invert_links.invert(site, SOURCE))
    assert leading_to(site, LATE) == [NEAR, OTHER]
    assert leading_to(site, NEAR) == [FRONT, OTHER]


def test_what_comes_in_by_another_link_has_those_from_before_as_well(site: Store) -> None:
    admitted(site, LATE)
    read(site, FRONT, NEAR, OTHER, LATE)
    asyncio.run(invert_links.invert(site, SOURCE))
    assert sorted(leading_to(site, LATE)) == [FRONT, NEAR, OTHER]


def test_pages_that_are_read_anew_and_say_the_same_are_looked_through_as_well(site: Store) -> None:
    admitted(site, LATE)
    for page, links in ((FRONT, (NEAR, OTHER)), (NEAR, (LATE,)), (OTHER, (NEAR, LATE)), (LATE, ())):
        read(site, page, *links)
    asyncio.run(invert_links.invert(site, SOURCE))
    assert leading_to(site, LATE) == [NEAR, OTHER]


def test_what_is_linked_to_is_in_nobodys_way(site: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_out(site, NEAR)
    keep_out(site, OTHER)
    monkeypatch.setattr(late_inlinks, "MOST", 1)
    admitted(site, LATE)
    read(site, LATE)
    asyncio.run(invert_links.invert(site, SOURCE))
    assert sorted(leading_to(site, LATE)) == sorted([NEAR, OTHER])


def test_it_is_looked_for_once(site: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    admitted(site, LATE)
    read(site, LATE)
    asyncio.run(invert_links.invert(site, SOURCE))
    monkeypatch.setattr(late_inlinks, "linking", None)
    asyncio.run(invert_links.invert(site, SOURCE))
    read(site, FRONT, NEAR, OTHER, LATE)
    asyncio.run(invert_links.invert(site, SOURCE))
    assert sorted(leading_to(site, LATE)) == [FRONT, NEAR, OTHER]


def test_what_was_never_kept_out_and_a_first_crawl_cost_no_look(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_inlinks, "linking", None)
    admitted(store, FRONT, NEAR, OTHER)
    keep_out(store, NEAR)
    read(store, FRONT, NEAR, OTHER)
    asyncio.run(invert_links.invert(store, SOURCE, first=True))
    with store.begin() as tx:
        tx.execute(sa.update(inlinks).values(stale=False))
        tx.execute(sa.update(resource).values(visits=2))
    admitted(store, LATE)
    read(store, OTHER, LATE, NEAR)
    asyncio.run(invert_links.invert(store, SOURCE))
    assert (leading_to(store, NEAR), leading_to(store, LATE)) == ([FRONT, OTHER], [OTHER])


def test_what_is_ruled_of_a_start_that_is_known_stays(site: Store) -> None:
    keep_out(site, FRONT, referrer=None)
    asyncio.run(invert_links.invert(site, SOURCE))
    with site.read() as tx:
        assert [each.address for each in visits.exclusions(tx, SOURCE)] == [FRONT, LATE]


def test_a_kill_on_the_way_costs_another_look(site: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    admitted(site, LATE)
    read(site, LATE)
    with monkeypatch.context() as patched:
        patched.setattr(late_inlinks, "settle", None)
        with pytest.raises(TypeError):
            asyncio.run(invert_links.invert(site, SOURCE))
    asyncio.run(invert_links.invert(site, SOURCE))
    assert leading_to(site, LATE) == [NEAR, OTHER]


def test_no_page_is_passed_over_between_two_chunks(site: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_inlinks, "CHUNK", 1)
    admitted(site, LATE)
    read(site, LATE)
    asyncio.run(invert_links.invert(site, SOURCE))
    assert leading_to(site, LATE) == [NEAR, OTHER]
    with site.read() as tx:
        assert inlink_lists.chunk(tx, SOURCE) == []
        assert len(tx.rows(sa.select(outlinks.c.id).where(outlinks.c.inverted))) == 4
