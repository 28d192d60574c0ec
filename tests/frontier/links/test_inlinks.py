from __future__ import annotations

from collections import defaultdict

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings, strategies as st

from cormorant.frontier.links import inlinks as inlink_lists, orphans
from cormorant.frontier.links.codec import pack, unpack_in
from cormorant.frontier.links.inlinks import CHUNK, MAX_INLINKS
from cormorant.frontier.state import writes
from cormorant.model.content import PageLink
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import inlinks, outlinks, resource, site, site_source
from tests.frontier.samples import SOURCE, a_content, admit, admitted, numbers, pages

HOSTS = ("https://a.example", "https://b.example:8443")
PAGES = [f"{host}/{number}" for host in HOSTS for number in range(3)]

InLinks = dict[int, dict[int, str]]


def write(tx: Tx, page: int, *links: PageLink) -> None:
    writes.links(tx, [(page, 1, False, pack(links))])


def invert(tx: Tx) -> int:
    """What `crawl.finish.link_graph` does, in one transaction."""
    changed = 0
    while rows := inlink_lists.chunk(tx, SOURCE):
        changed += inlink_lists.apply(
            tx, [row[0] for row in rows], inlink_lists.difference(SOURCE, inlink_lists.fronts(tx, SOURCE), rows)
        )
    return changed


def in_links(tx: Tx) -> InLinks:
    """Referrers and anchor texts by resource, of those that have any; and every count is right."""
    found = {}
    for row in tx.rows(sa.select(inlinks)):
        links = unpack_in(row.links)
        assert row.count == len(links)
        if links:
            found[row.id] = {link.referrer: link.text for link in links}
    return found


def test_out_links_become_in_links(store: Store) -> None:
    admitted(store, *PAGES)
    with store.begin() as tx:
        known = numbers(tx)
        first, second, third = (known[each] for each in PAGES[:3])
        write(
            tx,
            first,
            PageLink(PAGES[1], "two"),
            PageLink(PAGES[2], "three"),
            PageLink("https://unknown.example/x", "far"),
        )
        write(tx, second, PageLink(PAGES[2], "drei"), PageLink(PAGES[1], "myself"), PageLink("mailto:a@b.example"))
        assert invert(tx) == 2
        assert in_links(tx) == {second: {first: "two", second: "myself"}, third: {first: "three", second: "drei"}}
        assert invert(tx) == 0, "once is enough"
        write(tx, first, PageLink(PAGES[2], "3"))
        assert invert(tx) == 2
        assert in_links(tx) == {second: {second: "myself"}, third: {first: "3", second: "drei"}}


def test_pages_with_many_links_are_taken_few_at_a_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    admitted(store, *PAGES)
    with store.begin() as tx:
        first, second, third = (numbers(tx)[each] for each in PAGES[:3])
        for page in (first, second, third):
            write(tx, page, PageLink(PAGES[1], "two"))
        size = len(inlink_lists.chunk(tx, SOURCE)[0][1])
        monkeypatch.setattr(inlink_lists, "CHUNK_BYTES", 2 * size)
        assert [row[0] for row in inlink_lists.chunk(tx, SOURCE)] == [first, second]
        monkeypatch.setattr(inlink_lists, "CHUNK_BYTES", size - 1)
        assert [row[0] for row in inlink_lists.chunk(tx, SOURCE)] == [first], "what does not fit is done alone"
        invert(tx)
        assert in_links(tx) == {second: {first: "two", second: "two", third: "two"}}
        assert inlink_lists.inverted(tx, SOURCE, 0) == [first]
        assert inlink_lists.inverted(tx, SOURCE, first) == [second]


def test_a_page_written_twice_before_it_is_inverted(store: Store) -> None:
    admitted(store, *PAGES)
    with store.begin() as tx:
        first, second, third = (numbers(tx)[each] for each in PAGES[:3])
        write(tx, first, PageLink(PAGES[1], "a"))
        invert(tx)
        write(tx, first, PageLink(PAGES[2], "b"))
        write(tx, first, PageLink(PAGES[1], "c"), PageLink(PAGES[2], "c"))
        invert(tx)
        assert in_links(tx) == {second: {first: "c"}, third: {first: "c"}}
        write(tx, first, PageLink(PAGES[2], "c"))
        write(tx, first)
        invert(tx)
        assert in_links(tx) == {}


def test_the_last_of_two_equal_links_gives_the_text(store: Store) -> None:
    admitted(store, *PAGES)
    with store.begin() as tx:
        first, second = (numbers(tx)[each] for each in PAGES[:2])
        write(tx, first, PageLink(PAGES[1], "a"), PageLink(PAGES[1], "b"))
        invert(tx)
        assert in_links(tx) == {second: {first: "b"}}


def test_only_the_pages_of_the_source(store: Store) -> None:
    admitted(store, *PAGES)
    admitted(store, *PAGES, source=2)
    with store.begin() as tx:
        write(tx, 1, PageLink(PAGES[1]))
        write(tx, len(PAGES) + 1, PageLink(PAGES[1]))
        assert [row[0] for row in inlink_lists.chunk(tx, SOURCE)] == [1]
        assert [row[0] for row in inlink_lists.chunk(tx, 2)] == [len(PAGES) + 1]


edits = st.lists(
    st.tuples(
        st.sampled_from(range(len(PAGES))),
        st.dictionaries(st.sampled_from([*PAGES, "https://unknown.example/"]), st.sampled_from(["", "a", "b"])),
    ),
    max_size=8,
)


def from_scratch(out_links: dict[int, dict[str, str]], known: dict[str, int]) -> InLinks:
    found: InLinks = defaultdict(dict)
    for page, links in out_links.items():
        for address in links.keys() & known.keys():
            found[known[address]][page] = links[address]
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(rounds=st.lists(edits, max_size=5))
def test_many_inversions_equal_one_from_scratch(store: Store, rounds: list[list[tuple[int, dict[str, str]]]]) -> None:
    with store.begin() as tx:
        for table in (inlinks, outlinks, resource, site_source, site):
            tx.execute(sa.delete(table))
        admit(tx, *PAGES)
        known, pages_now = numbers(tx), dict[int, dict[str, str]]()
        for edited in rounds:
            for place, links in edited:
                pages_now[known[PAGES[place]]] = links
                write(tx, known[PAGES[place]], *(PageLink(address, text) for address, text in links.items()))
            invert(tx)
        assert in_links(tx) == from_scratch(pages_now, known)
        assert not tx.rows(
            sa.select(outlinks.c.id).where(sa.or_(~outlinks.c.inverted, outlinks.c.previous.is_not(None)))
        )


@pytest.fixture
def popular(store: Store) -> Store:
    """A page (number 1) to which more pages link than are kept."""
    count = MAX_INLINKS + 300
    admitted(store, "https://a.example/popular", *pages(count))
    with store.begin() as tx:
        blob = pack([PageLink("https://a.example/popular", "here")])
        writes.links(tx, [(number, 1, False, blob) for number in range(2, count + 2)])
        assert len(inlink_lists.chunk(tx, SOURCE)) == CHUNK
        invert(tx)
    return store


def counted(tx: Tx) -> tuple[int, int]:
    """In-links of the popular page: how many there are, and how many are kept."""
    row = tx.rows(sa.select(inlinks).where(inlinks.c.id == 1))[0]
    return row.count, len(unpack_in(row.links))


def test_the_count_goes_on_where_no_more_are_kept(popular: Store) -> None:
    with popular.begin() as tx:
        assert counted(tx) == (MAX_INLINKS + 300, MAX_INLINKS)
        for number in (5, MAX_INLINKS + 200):  # one that is kept, one that is not
            write(tx, number, PageLink("https://a.example/popular", "there"))
        invert(tx)
        assert counted(tx) == (MAX_INLINKS + 300, MAX_INLINKS)
        write(tx, 5)
        invert(tx)
        assert counted(tx)[0] == MAX_INLINKS + 299
        write(tx, MAX_INLINKS + 201)
        invert(tx)
        assert counted(tx)[0] == MAX_INLINKS + 298


def test_documents_that_nothing_links_to_any_more(store: Store) -> None:
    admitted(store, *pages(3), DiscoveredUrl("https://a.example/start", "a.example", how=DiscoveredBy.SEED))
    with store.begin() as tx:
        known = numbers(tx)
        writes.contents(tx, [a_content(number) for number in known.values()])
        assert orphans.count(tx, SOURCE) == 3
        start = known["https://a.example/start"]
        write(tx, start, PageLink(pages(3)[0]), PageLink(pages(3)[1]))
        invert(tx)
        assert orphans.count(tx, SOURCE) == 1
        write(tx, start, PageLink(pages(3)[0]))
        invert(tx)
        assert orphans.count(tx, SOURCE) == 2
        writes.contents(tx, [a_content(known[pages(3)[1]], indexed=False)])
        assert orphans.count(tx, SOURCE) == 1
        assert orphans.count(tx, 2) == 0
        assert tx.execute(sa.select(sa.func.count()).select_from(resource)).scalar_one() == 4


def test_a_link_of_a_document_to_itself_leads_nowhere(store: Store) -> None:
    """Nor is it linked again by that; a second link, or one of another page alone, does lead there."""
    lost, other = pages(2)
    admitted(store, lost, DiscoveredUrl(other, "a.example", how=DiscoveredBy.SEED))
    with store.begin() as tx:
        known = numbers(tx)
        writes.contents(tx, [a_content(number) for number in known.values()])
        write(tx, known[lost], PageLink(lost), PageLink(f"{other}/elsewhere"))
        invert(tx)
        assert orphans.page(tx, SOURCE, 10, 0) == [(known[lost], False)]
        orphans.know(tx, [known[lost]], unvisited=True)
        assert orphans.linked_again(tx, SOURCE, 1) == []
        write(tx, known[other], PageLink(lost))
        invert(tx)
        assert (orphans.count(tx, SOURCE), orphans.linked_again(tx, SOURCE, 1)) == (0, [known[lost]])
        write(tx, known[lost])
        invert(tx)
        assert (orphans.count(tx, SOURCE), orphans.linked_again(tx, SOURCE, 1)) == (0, [known[lost]])
        write(tx, known[lost], PageLink(lost))
        write(tx, known[other])
        invert(tx)
        gone = sa.update(resource).where(resource.c.id == known[lost]).values(outcome=int(OutcomeKind.GONE))
        tx.execute(gone)
        assert orphans.gone_among(tx, [*known.values()]) == {known[lost]}


def test_what_a_known_address_moved_to_is_linked(store: Store) -> None:
    old, new, other = (f"https://a.example/{name}" for name in ("old", "new", "other"))
    admitted(store, old, new, other)
    with store.begin() as tx:
        known = numbers(tx)
        writes.contents(tx, [a_content(known[each]) for each in (new, other)])
        assert orphans.count(tx, SOURCE) == 2
        values = {"outcome": int(OutcomeKind.MOVED), "status": 301, "reason": f"to {new}"}
        tx.execute(sa.update(resource).where(resource.c.id == known[old]).values(values))
        assert orphans.count(tx, SOURCE) == 1
        assert orphans.page(tx, SOURCE, 1, 0) == [(known[other], False)]
        assert orphans.page(tx, SOURCE, 1, known[other]) == []
        assert orphans.page(tx, 2, 9, 0) == []
        tx.execute(sa.update(resource).where(resource.c.id == known[old]).values(outcome=int(OutcomeKind.OK)))
        assert orphans.page(tx, SOURCE, 1, 0) == [(known[new], False)]
        assert orphans.count(tx, SOURCE) == 2, "it no longer leads there"
