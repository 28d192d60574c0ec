"""Which documents are to be read again from their kept copies, and who may write them?"""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from cormorant.frontier.policy import priority
from cormorant.frontier.queue import outdated_texts
from cormorant.frontier.staging import pending_deletes
from cormorant.frontier.state import refetch, writes
from cormorant.model.resource import DiscoveredBy, UrlState
from cormorant.store.catalog import sources
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import content, resource
from tests.frontier.samples import SOURCE, a_content, admitted, numbers, pages

COUNT = 5
PDF = "application/pdf"


@pytest.fixture
def known(store: Store) -> list[int]:
    """Five documents that are PDF, but for the last; the fourth is not found by search."""
    admitted(store, *pages(COUNT))
    with store.begin() as tx:
        assert sources.add(tx, "web", "docs", {}) == SOURCE
        found = sorted(numbers(tx).values())
        rows = [a_content(number)._replace(mime=PDF, etag="e") for number in found]
        rows[3] = rows[3]._replace(indexed=False)
        rows[4] = rows[4]._replace(mime="text/html")
        writes.contents(tx, rows)
        tx.execute(sa.update(resource).values(validator="v"))
    return found


def outdated(tx: Tx) -> None:
    behind: int | None = 0
    while behind is not None:
        behind = refetch.outdate(tx, [PDF], behind, 2)


def ids(tx: Tx, most: int = 100) -> list[int]:
    return [each.id for each in outdated_texts.read(tx, SOURCE, most)]


def test_documents_of_a_type_that_search_finds_come_in_order(store: Store, known: list[int]) -> None:
    with store.begin() as tx:
        outdated(tx)
        assert ids(tx) == known[:3]
        assert ids(tx, 2) == known[:2]
        assert outdated_texts.counts(tx) == {SOURCE: 3}
        assert outdated_texts.read(tx, SOURCE + 1, 9) == []
        first = outdated_texts.read(tx, SOURCE, 1)[0]
        assert (first.before, first.text_hash, first.content_hash, first.renewed) == (b"t" * 32, b"", b"", True)
        assert first.etag == "e", "a server may still confirm it"
        assert refetch.awaited(tx, known) == set(known[:4]), "a crawl reads the other one"
        outdated(tx)
        assert outdated_texts.counts(tx) == {SOURCE: 3}, "nothing is marked twice"


def test_those_that_are_to_leave_wait(store: Store, known: list[int]) -> None:
    with store.begin() as tx:
        outdated(tx)
        pending_deletes.hide(tx, [(known[0], SOURCE, 1)])
        assert ids(tx) == known[1:3]


def test_only_those_that_are_as_they_were_read_may_be_written(store: Store, known: list[int]) -> None:
    with store.begin() as tx:
        outdated(tx)
        read = outdated_texts.read(tx, SOURCE, 9)
        writes.contents(tx, [a_content(known[0])])  # a crawl came first
        tx.execute(sa.delete(content).where(content.c.id == known[1]))
        assert outdated_texts.claim(tx, read) == {known[2]}
        writes.contents(tx, [a_content(known[2])._replace(text_hash=b"u" * 32 + b"++")])
        assert outdated_texts.claim(tx, read) == set(), "another version was put in its place"


def test_those_that_are_left_are_for_the_next_crawl_alone(store: Store, known: list[int]) -> None:
    with store.begin() as tx:
        tx.execute(
            sa.update(resource)
            .where(resource.c.id == known[1])
            .values(how=int(DiscoveredBy.MEMBER), state=int(UrlState.SETTLED), due=priority.due(9))
        )
        outdated(tx)
        refetch.leave(tx, known[:2])
        assert ids(tx) == known[2:3]
        assert refetch.awaited(tx, known) == set(known[:4])
        rows = {row.id: row for row in tx.rows(sa.select(resource))}
    assert [rows[number].validator for number in known] == [None, None, "v", "v", "v"]
    assert rows[known[1]].state == UrlState.READY, "nothing lists a member whose container stays as it is"
    assert rows[known[1]].due < priority.limit(1)


def test_a_lost_copy_is_fetched_and_not_read(store: Store, known: list[int]) -> None:
    with store.begin() as tx:
        outdated(tx)
        refetch.renew(tx, known[:1])
        assert ids(tx) == known[1:3]


def test_what_had_no_reader_is_fetched_whole(store: Store, known: list[int]) -> None:
    with store.begin() as tx:
        tx.execute(sa.update(resource).where(resource.c.id.in_(known[:3])).values(status=908))
        behind: int | None = 0
        while behind is not None:
            behind = refetch.reconsider(tx, [908], behind, 2)
        validators = dict(tx.rows(sa.select(resource.c.id, resource.c.validator)))
        etags = dict(tx.rows(sa.select(content.c.id, content.c.etag)))
    assert [validators[number] for number in known] == [None, None, None, "v", "v"]
    assert [etags[number] for number in known] == ["", "", "", "e", "e"]
