"""What links say of documents, out of the store: whose links count, when they are weighed, and what is told of it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import sqlalchemy as sa

from cormorant.frontier.links import inlinks as inlink_lists, link_score
from cormorant.frontier.links.codec import pack, unpack_in
from cormorant.frontier.links.link_score import CHUNK, AnchorSummary, Weighing
from cormorant.frontier.state import writes
from cormorant.model.content import PageLink
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import content, inlinks
from tests.frontier.samples import SOURCE, a_content, admitted, numbers, pages

EVERYONE, STAFF, OTHERS = 1, 2, 3
FRONT, TIDES, FERRIES = pages(3)


@pytest.fixture
def site(store: Store) -> Store:
    """Three pages, all documents for everyone."""
    admitted(store, FRONT, TIDES, FERRIES)
    with store.begin() as tx:
        writes.contents(tx, [a_content(number) for number in numbers(tx).values()])
    return store


def link(store: Store, page: str, *links: PageLink) -> None:
    """Write a page's links, and invert them."""
    with store.begin() as tx:
        writes.links(tx, [(numbers(tx)[page], 1, False, pack(links))])
        while rows := inlink_lists.chunk(tx, SOURCE):
            difference = inlink_lists.difference(SOURCE, inlink_lists.fronts(tx, SOURCE), rows)
            inlink_lists.apply(tx, [row[0] for row in rows], difference)


def weigh(store: Store) -> list[str]:
    """Weigh everything; returns the addresses of which links say something else now."""
    told, behind = list[int](), 0
    with store.begin() as tx:
        scales = Weighing(SOURCE, lambda number: number == EVERYONE)
        while True:
            behind, changed = scales.weigh(tx, behind)
            told += changed
            if not behind:
                break
        names = {number: address for address, number in numbers(tx).items()}
    return sorted(names[number] for number in told)


def said(store: Store, page: str) -> AnchorSummary:
    with store.read() as tx:
        number = numbers(tx)[page]
        return link_score.summaries_of(tx, [number]).get(number, link_score.NOTHING)


def grant(tx: Tx, page: str, rights: int) -> None:
    writes.access(tx, [(rights, numbers(tx)[page])])


def test_what_links_say_is_told_once(site: Store) -> None:
    link(site, FRONT, PageLink(TIDES, "Tide tables"), PageLink(FERRIES, "here"))
    assert weigh(site) == [TIDES]
    assert said(site, TIDES) == AnchorSummary(("Tide tables",), 0.0)
    assert said(site, FERRIES) == link_score.NOTHING
    assert weigh(site) == [], "nothing is stale"
    link(site, FRONT, PageLink(TIDES, "Tide tables"), PageLink(FERRIES, "more"))
    assert weigh(site) == [], "it says no more than before"
    link(site, FRONT, PageLink(TIDES, "High water"))
    assert weigh(site) == [TIDES]
    assert (said(site, TIDES), said(site, FERRIES)) == (AnchorSummary(("High water",), 0.0), link_score.NOTHING)


def test_links_that_vouch_for_nothing_do_not_count(site: Store) -> None:
    link(site, FRONT, PageLink(TIDES, "cheap pills", "nofollow"), PageLink(FERRIES, "buy", "external ugc"))
    assert weigh(site) == []
    link(site, FRONT, PageLink(TIDES, "cheap pills", "external"), PageLink(FERRIES, "buy", "external ugc"))
    assert weigh(site) == [TIDES]
    with site.read() as tx:
        (row,) = tx.rows(sa.select(inlinks.c.links).where(inlinks.c.id == numbers(tx)[FERRIES]))
        kept = unpack_in(row.links)
    assert [each.text for each in kept] == ["buy"], "they are known all the same"


def test_the_name_of_a_part_is_no_name_of_the_whole(site: Store) -> None:
    link(site, FRONT, PageLink(TIDES, "Low water", of_part=True))
    assert weigh(site) == []
    link(site, FRONT, PageLink(TIDES, "Low water"))
    assert weigh(site) == [TIDES]


def test_a_page_says_nothing_of_itself(site: Store) -> None:
    link(site, TIDES, PageLink(TIDES, "the best page of all"))
    assert weigh(site) == []


@pytest.mark.parametrize(
    ("page", "target", "counts"),
    [
        (EVERYONE, EVERYONE, True), (EVERYONE, STAFF, True), (STAFF, STAFF, True),
        (STAFF, EVERYONE, False), (STAFF, OTHERS, False),
    ],
)  # fmt: skip
def test_a_link_counts_where_who_reads_the_target_may_read_the_page(
    page: int, target: int, counts: bool, site: Store
) -> None:
    with site.begin() as tx:
        grant(tx, FRONT, page)
        grant(tx, TIDES, target)
    link(site, FRONT, PageLink(TIDES, "secret plans"))
    assert weigh(site) == ([TIDES] if counts else [])
    assert said(site, TIDES) == (AnchorSummary(("secret plans",), 0.0) if counts else link_score.NOTHING)


def test_nobody_knows_the_rights_of_a_page_without_content(site: Store) -> None:
    admitted(site, "https://a.example/excluded")
    link(site, "https://a.example/excluded", PageLink(TIDES, "rumours"))
    assert weigh(site) == []
    assert said(site, TIDES) == link_score.NOTHING


def test_rights_that_change_are_weighed_by_name(site: Store) -> None:
    link(site, FRONT, PageLink(TIDES, "Tide tables"))
    weigh(site)
    with site.begin() as tx:
        grant(tx, FRONT, STAFF)
        front = numbers(tx)[FRONT]
        reached = inlink_lists.reached(tx, SOURCE, [front])
        assert reached == {numbers(tx)[TIDES]}
        scales = Weighing(SOURCE, lambda number: number == EVERYONE)
        assert scales.weigh_these(tx, reached) == [numbers(tx)[TIDES]]
    assert said(site, TIDES) == link_score.NOTHING


def test_links_wait_for_the_document_they_lead_to(store: Store) -> None:
    admitted(store, FRONT, TIDES)
    with store.begin() as tx:
        writes.contents(tx, [a_content(numbers(tx)[FRONT])])
    link(store, FRONT, PageLink(TIDES, "Tide tables"))
    with store.read() as tx:
        assert not link_score.waits(tx, SOURCE)
    assert weigh(store) == []
    with store.begin() as tx:
        writes.contents(tx, [a_content(numbers(tx)[TIDES])])
        assert link_score.waits(tx, SOURCE)
        assert not link_score.waits(tx, SOURCE + 1)
    assert weigh(store) == [TIDES]


def test_what_search_may_not_find_is_weighed_and_not_told(site: Store) -> None:
    with site.begin() as tx:
        tx.execute(sa.update(content).where(content.c.id == numbers(tx)[TIDES]).values(indexed=False))
    link(site, FRONT, PageLink(TIDES, "Tide tables"))
    assert weigh(site) == []
    assert said(site, TIDES).anchors == ("Tide tables",)


def test_more_than_a_chunk(store: Store) -> None:
    addresses = pages(CHUNK + 20)
    admitted(store, *addresses)
    with store.begin() as tx:
        writes.contents(tx, [a_content(number) for number in numbers(tx).values()])
    link(store, addresses[0], *(PageLink(address, f"The page {address[-3:]}") for address in addresses))
    assert weigh(store) == sorted(_without(addresses, addresses[0]))


def _without(addresses: Sequence[str], one: str) -> list[str]:
    return [each for each in addresses if each != one]
