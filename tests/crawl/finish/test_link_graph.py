"""Links reach the index once, by the transaction that stores them, and at once if rights change."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from cormorant.crawl.commit import persist
from cormorant.crawl.commit.batch import BatchRows
from cormorant.crawl.finish import link_graph
from cormorant.frontier.links import link_score
from cormorant.frontier.links.codec import pack
from cormorant.frontier.state import writes
from cormorant.model.acl import ACL, PUBLIC
from cormorant.model.content import PageLink
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.catalog import receivers
from cormorant.store.catalog.acls import ACLNumbers
from cormorant.store.db.database import Store
from cormorant.store.schema import inlinks
from tests.frontier.samples import SOURCE, a_content, admitted, numbers, pages

RUN = 7
FRONT, PLAN, OTHER = pages(3)


class Killed(Exception):
    """The process is gone."""


@pytest.fixture
def site(store: Store) -> Store:
    """A page for everyone that calls another something, in links that no run has inverted yet."""
    admitted(store, FRONT, PLAN, OTHER)
    with store.begin() as tx:
        receivers.add(tx, receivers.INDEX, receivers.INDEX, None, {}, 0)
        everyone = ACLNumbers().of(tx, PUBLIC)
        known = numbers(tx)
        writes.contents(tx, [a_content(number)._replace(acl_id=everyone) for number in known.values()])
        writes.links(tx, [(known[FRONT], RUN, False, pack([PageLink(PLAN, "merger"), PageLink(OTHER, "annex")]))])
    return store


def events(store: Store) -> list[tuple[str, Event]]:
    """The addresses and events of the stream."""
    with store.read() as tx:
        names = {number: address for address, number in numbers(tx).items()}
        return [(names[each.resource], each.event) for each in stream.after(tx, 0, 100)]


def anchors(store: Store, page: str) -> tuple[str, ...]:
    with store.read() as tx:
        number = numbers(tx)[page]
        return link_score.summaries_of(tx, [number]).get(number, link_score.NOTHING).anchors


def test_links_are_reported_once(site: Store) -> None:
    assert link_graph.invert(site, SOURCE) == 2
    assert link_graph.weigh(site, SOURCE, RUN) == 2
    assert events(site) == [(PLAN, Event.LINKS), (OTHER, Event.LINKS)]
    assert (link_graph.invert(site, SOURCE), link_graph.weigh(site, SOURCE, RUN)) == (0, 0)
    assert len(events(site)) == 2


def test_links_are_weighed_when_an_index_asks_for_it(site: Store) -> None:
    link_graph.invert(site, SOURCE)
    with site.begin() as tx:
        index = receivers.named(tx, receivers.INDEX)
        receivers.delete(tx, index.id)
    assert link_graph.weigh(site, SOURCE, RUN) == 0
    with site.begin() as tx:
        receivers.add(tx, receivers.INDEX, receivers.INDEX, None, {}, 0)
    assert link_graph.weigh(site, SOURCE, RUN) == 2


def test_a_crawl_that_changes_no_link_takes_no_lock(site: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    link_graph.invert(site, SOURCE)
    link_graph.weigh(site, SOURCE, RUN)
    monkeypatch.setattr(Store, "begin", None)
    assert (link_graph.invert(site, SOURCE), link_graph.weigh(site, SOURCE, RUN)) == (0, 0)


@pytest.mark.parametrize("before", ["kept", "reported"])
def test_a_kill_on_the_way_loses_and_repeats_no_event(
    before: str, site: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    link_graph.invert(site, SOURCE)
    with monkeypatch.context() as patched:
        append = stream.append

        def killed(tx: object, entries: object) -> int:
            if before == "reported":
                append(tx, entries)  # type: ignore[arg-type] # as it came
            raise Killed

        patched.setattr(stream, "append", killed)
        with pytest.raises(Killed):
            link_graph.weigh(site, SOURCE, RUN)
    assert (events(site), anchors(site, PLAN)) == ([], ())
    assert link_graph.weigh(site, SOURCE, RUN) == 2
    assert events(site) == [(PLAN, Event.LINKS), (OTHER, Event.LINKS)]
    assert anchors(site, PLAN) == ("merger",)


def grant(store: Store, page: str, rights: ACL) -> None:
    """Settle a visit that learned other rights of a page, and nothing else."""
    with store.begin() as tx:
        number, acl = numbers(tx)[page], ACLNumbers().of(tx, rights)
        entry = NewEvent(SOURCE, number, RUN, Event.ACCESS)
        persist.write(tx, BatchRows(access=[(acl, number)], entries=[entry], regranted={number}), RUN)


def test_a_page_that_is_taken_back_takes_its_words_along_at_once(site: Store) -> None:
    link_graph.invert(site, SOURCE)
    link_graph.weigh(site, SOURCE, RUN)
    board = ACL.of(("group:board",))
    grant(site, FRONT, board)
    assert (anchors(site, PLAN), anchors(site, OTHER)) == ((), ())
    expected = [(FRONT, Event.ACCESS), (PLAN, Event.LINKS), (OTHER, Event.LINKS)]
    assert events(site)[2:] == expected, "in the same transaction"
    grant(site, PLAN, board)
    assert (anchors(site, PLAN), anchors(site, OTHER)) == (("merger",), ()), "who reads the one reads the other"
    grant(site, FRONT, PUBLIC)
    assert (anchors(site, PLAN), anchors(site, OTHER)) == (("merger",), ("annex",))


def test_links_not_inverted_yet_are_no_way_round(site: Store) -> None:
    grant(site, FRONT, ACL.of(("group:board",)))
    link_graph.invert(site, SOURCE)
    assert link_graph.weigh(site, SOURCE, RUN) == 0
    with site.read() as tx:
        assert [row.stale for row in tx.rows(sa.select(inlinks.c.stale))] == [False, False]
    assert events(site) == [(FRONT, Event.ACCESS)]
