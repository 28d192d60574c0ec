from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from cormorant.frontier.links.codec import pack
from cormorant.frontier.policy.transition import RowUpdate, VisitConditions, fate
from cormorant.frontier.state import writes
from cormorant.model.content import PageLink
from cormorant.model.outcome import Excluded, Failed, Gone, Outcome, OutcomeKind, Unchanged
from cormorant.model.resource import Resource, UrlState
from cormorant.model.ruling import Gate, Ruling
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import content, outlinks, resource
from tests.frontier.samples import a_content, a_resource, admitted, numbers, pages

NOINDEX = Excluded(Ruling(admitted=False, gate=Gate.ROBOTS_META, rule="noindex", status=971), 971)
OLD, NEW = pack([PageLink("https://a.example/old")]), pack([PageLink("https://a.example/new")])


def settled(tx: Tx, number: int, outcome: Outcome, past: Resource | None = None) -> None:
    visited = (past or a_resource())._replace(id=number)
    got = fate(visited, outcome, VisitConditions(3, lists=False, now=1.0))
    writes.fates(tx, [(visited, got, 12.5)], run=8)


def row(tx: Tx, number: int) -> Any:
    return tx.rows(sa.select(resource).where(resource.c.id == number))[0]


def test_a_fate_is_written_with_its_visit(store: Store) -> None:
    admitted(store, *pages(2))
    with store.begin() as tx:
        first, second = sorted(numbers(tx).values())
        settled(tx, first, Failed(403, "forbidden"))
        got = row(tx, first)
        want = fate(a_resource(), Failed(403, "forbidden"), VisitConditions(3, lists=False, now=1.0))
        assert RowUpdate(UrlState(got.state), got.due, got.attempts, OutcomeKind(got.outcome), got.status,
        got.not_before,
                    got.reason, kept=True) == want  # fmt: skip
        assert (got.run, got.visited_at, got.visits) == (8, 12.5, 1)
        settled(tx, first, Gone())
        got = row(tx, first)
        assert (got.visits, got.outcome, got.reason) == (2, OutcomeKind.GONE, None)
        assert row(tx, second).visits == 0


def test_a_page_that_is_excluded_still_keeps_the_rule(store: Store) -> None:
    admitted(store, *pages(2))
    with store.begin() as tx:
        first, second = sorted(numbers(tx).values())
        settled(tx, first, NOINDEX)
        settled(tx, second, Failed(403, "forbidden"))
        settled(tx, first, Unchanged(), a_resource()._replace(outcome=int(OutcomeKind.EXCLUDED), status=971))
        settled(tx, second, Unchanged())
        assert (row(tx, first).outcome, row(tx, first).reason) == (OutcomeKind.EXCLUDED, "robots_meta: noindex")
        assert (row(tx, second).outcome, row(tx, second).reason) == (OutcomeKind.UNCHANGED, None)
        assert row(tx, first).visits == 2


def test_what_others_wrote_cannot_break_a_batch(store: Store) -> None:
    admitted(store, *pages(1))
    with store.begin() as tx:
        (number,) = numbers(tx).values()
        settled(tx, number, Failed(903, "the file \udcff\0 is damaged"))
        writes.contents(tx, [a_content(number)._replace(title="A\0B\ud800", etag="\0", modified="é\udc80")])
        writes.validators(tx, [("e\0", "\udcff", b"h", number)])
        assert row(tx, number).reason == "the file ? is damaged"
        kept = tx.rows(sa.select(content))[0]
        assert (kept.title, kept.etag, kept.modified, kept.content_hash) == ("AB?", "e", "?", b"h")


def test_contents_replace_what_was_known(store: Store) -> None:
    first = a_content(1)
    with store.begin() as tx:
        writes.contents(tx, [first, a_content(2)])
        again = first._replace(title="Größe", modified_at=2.5, seq=7, pack_offset=1 << 40, indexed=False)
        writes.contents(tx, [again])
        columns = [content.c[name] for name in again._fields]
        assert tx.rows(sa.select(*columns).where(content.c.id == 1)) == [tuple(again)]
        writes.contents(tx, [])
        writes.access(tx, [(9, 1)])
        assert tx.rows(sa.select(content.c.acl_id).order_by(content.c.id)) == [(9,), (1,)]


def links(tx: Tx) -> list[tuple[object, ...]]:
    return [tuple(each) for each in tx.rows(sa.select(outlinks).order_by(outlinks.c.id))]


def test_out_links_keep_what_was_inverted_last(store: Store) -> None:
    with store.begin() as tx:
        writes.links(tx, [(1, 1, False, OLD), (2, 1, False, OLD)])
        assert links(tx) == [(1, 1, False, OLD, None), (2, 1, False, OLD, None)]
        tx.execute(sa.update(outlinks).values(inverted=True))
        writes.links(tx, [(1, 2, False, NEW)])
        assert links(tx) == [(1, 2, False, NEW, OLD), (2, 1, True, OLD, None)]
        writes.links(tx, [(1, 3, False, pack([]))])
        assert links(tx)[0] == (1, 3, False, pack([]), OLD), "not what was never inverted"
        writes.links(tx, [])


def test_many_out_links(store: Store) -> None:
    with store.begin() as tx:
        for run in (1, 2):
            writes.links(tx, [(number, run, False, NEW) for number in range(1, 2502)])
            tx.execute(sa.update(outlinks).values(inverted=True))
        assert len(links(tx)) == 2501
        assert {each[4] for each in links(tx)} == {NEW}


def test_what_was_remarked_of_a_document_stays_while_it_is_the_same(store: Store) -> None:
    admitted(store, *pages(1))
    with store.begin() as tx:
        (number,) = numbers(tx).values()
        read = a_resource()._replace(outcome=int(OutcomeKind.OK), status=200)
        writes.fates(tx, [(read._replace(id=number), _remarked("It has no text: it is empty"), 1.0)], run=7)
        settled(tx, number, Unchanged(), read)
        assert row(tx, number).reason == "It has no text: it is empty"
        settled(tx, number, Unchanged(), read._replace(outcome=int(OutcomeKind.FAILED)))
        assert row(tx, number).reason is None


def _remarked(reason: str) -> RowUpdate:
    return RowUpdate(UrlState.READY, 0, 0, OutcomeKind.OK, 200, 0.0, reason, kept=True)
