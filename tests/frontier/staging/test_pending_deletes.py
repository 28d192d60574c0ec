from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
import sqlalchemy as sa

from cormorant.frontier.progress import remaining
from cormorant.frontier.staging import pending_deletes
from cormorant.frontier.state import writes
from cormorant.model.outcome import OutcomeKind
from cormorant.model.url import fingerprint
from cormorant.store.db.database import Store, Tx
from cormorant.store.journal import visits
from cormorant.store.journal.visits import Exclusion
from cormorant.store.schema import content, hidden, resource
from tests.frontier.samples import SOURCE, a_content, admitted, numbers, pages

ALL = 10_000


@pytest.fixture
def five(store: Store) -> Store:
    """Five documents, found by search; their numbers are 1 to 5."""
    admitted(store, *pages(5))
    with store.begin() as tx:
        assert sorted(numbers(tx).values()) == [1, 2, 3, 4, 5]
        writes.contents(tx, [a_content(number) for number in range(1, 6)])
    return store


def going(tx: Tx) -> list[int]:
    assert pending_deletes.waiting_count(tx, SOURCE) == len(pending_deletes.waiting(tx, SOURCE, ALL))
    return [number for number, _ in pending_deletes.waiting(tx, SOURCE, ALL)]


def indexed(tx: Tx) -> set[int]:
    found = set(tx.execute(sa.select(content.c.id).where(content.c.indexed)).scalars())
    assert pending_deletes.indexed_count(tx, SOURCE) == len(found)
    return found


def test_what_waits_is_read_in_pieces(five: Store) -> None:
    with five.begin() as tx:
        pending_deletes.hide(tx, [(number, SOURCE, 7) for number in (1, 2, 4, 5)])
        assert [number for number, _ in pending_deletes.waiting(tx, SOURCE, 2)] == [1, 2]
        assert [number for number, _ in pending_deletes.waiting(tx, SOURCE, 2, 2)] == [4, 5]
        assert pending_deletes.waiting(tx, SOURCE, 2, 5) == []


def test_what_is_gone_leaves_search_at_once_and_the_index_when_its_run_settles(five: Store) -> None:
    with five.begin() as tx:
        pending_deletes.hide(tx, [(2, SOURCE, 7), (4, SOURCE, 7)])
        assert pending_deletes.everything(tx) == {2, 4}
        assert pending_deletes.waiting(tx, SOURCE, ALL) == [(2, "https://a.example/2"), (4, "https://a.example/4")]
        assert indexed(tx) == {1, 2, 3, 4, 5}
        pending_deletes.leave(tx, [(2, 31), (4, 32)])
        assert going(tx) == []
        assert indexed(tx) == {1, 3, 5}
        assert tx.rows(sa.select(content.c.seq).where(content.c.id == 4)) == [(32,)]
        assert pending_deletes.everything(tx) == {2, 4}, "until the index has passed their events"
        pending_deletes.passed(tx, 31)
        assert pending_deletes.everything(tx) == {4}
        pending_deletes.passed(tx, 99)
        assert pending_deletes.everything(tx) == set()


def test_the_brake_shows_again_what_the_run_hid(five: Store) -> None:
    with five.begin() as tx:
        pending_deletes.hide(tx, [(1, SOURCE, 7), (2, SOURCE, 7), (3, 2, 7)])
        pending_deletes.hide_until(tx, [(4, SOURCE, 7, 50)])
        assert pending_deletes.show_again(tx, SOURCE) == 2
        assert pending_deletes.everything(tx) == {3, 4}, "another source's, and what waits for the index"


def test_what_a_newer_visit_found_is_found_again(five: Store) -> None:
    with five.begin() as tx:
        pending_deletes.hide(tx, [(1, SOURCE, 7), (2, SOURCE, 7)])
        pending_deletes.unhide(tx, [1, 5])
        pending_deletes.unhide(tx, [])
        assert pending_deletes.everything(tx) == {2}


def test_changed_rights_hide_until_the_index_has_them(five: Store) -> None:
    with five.begin() as tx:
        pending_deletes.hide_until(tx, [(1, SOURCE, 7, 50)])
        assert pending_deletes.everything(tx) == {1}
        assert going(tx) == []
        pending_deletes.hide_until(tx, [(1, SOURCE, 8, 60)])
        pending_deletes.passed(tx, 59)
        assert pending_deletes.everything(tx) == {1}
        pending_deletes.passed(tx, 60)
        assert pending_deletes.everything(tx) == set()


def test_a_visit_does_not_show_who_may_not_read_yet(five: Store) -> None:
    """Whose rights were taken may read the old index until it has passed the change: found again is too early."""
    with five.begin() as tx:
        pending_deletes.hide(tx, [(1, SOURCE, 7)])
        pending_deletes.hide_until(tx, [(1, SOURCE, 7, 50)])
        pending_deletes.unhide(tx, [1])
        assert pending_deletes.everything(tx) == {1}


FOUND_AGAIN = pytest.mark.parametrize(
    "found_again", [lambda tx: pending_deletes.show_again(tx, SOURCE), lambda tx: pending_deletes.unhide(tx, [1])]
)


@pytest.fixture
def changed(five: Store) -> Store:
    """The first document waits for the index to pass its new rights, at 50, and a run hides it besides."""
    with five.begin() as tx:
        pending_deletes.hide_until(tx, [(1, SOURCE, 7, 50)])
        pending_deletes.hide(tx, [(1, SOURCE, 8)])
    return five


def test_what_is_gone_while_its_rights_change_goes(changed: Store) -> None:
    with changed.begin() as tx:
        pending_deletes.passed(tx, 50)
        assert pending_deletes.everything(tx) == {1}
        assert going(tx) == [1]
        assert tx.rows(sa.select(hidden.c.run)) == [(8,)]


@FOUND_AGAIN
def test_what_is_found_again_before_the_index_has_its_rights_waits_for_them(
    changed: Store, found_again: Callable[[Tx], object]
) -> None:
    with changed.begin() as tx:
        found_again(tx)
        assert pending_deletes.everything(tx) == {1}
        assert going(tx) == [], "it waits for the index alone"
        pending_deletes.passed(tx, 50)
        assert pending_deletes.everything(tx) == set()


@FOUND_AGAIN
def test_rights_that_the_index_has_long_had_are_not_waited_for(
    changed: Store, found_again: Callable[[Tx], object]
) -> None:
    with changed.begin() as tx:
        pending_deletes.passed(tx, 50)
        found_again(tx)
        assert pending_deletes.everything(tx) == set()


def test_a_person_who_accepts_lets_go_also_what_waits_for_its_rights(changed: Store) -> None:
    with changed.begin() as tx:
        tx.execute(sa.update(resource).where(resource.c.id == 1).values(outcome=int(OutcomeKind.EXCLUDED)))
        pending_deletes.show_again(tx, SOURCE)
        assert remaining.hide_leaving(tx, SOURCE, 9) == 1
        assert going(tx) == [1]
        pending_deletes.passed(tx, 50)
        assert going(tx) == [1], "that the index has its rights is no reason to keep it"


def test_what_is_found_again_while_the_index_passes_its_rights_is_hidden_no_longer(changed: Store) -> None:
    def passes() -> None:
        with changed.begin() as tx:
            pending_deletes.passed(tx, 50)

    index = threading.Thread(target=passes)
    with changed.begin() as tx:
        pending_deletes.show_again(tx, SOURCE)
        index.start()
        index.join(0.2)  # it waits for the row, or for the whole database
    index.join()
    with changed.read() as tx:
        assert pending_deletes.everything(tx) == set()


def test_documents_that_leave_one_after_the_other_as_their_server_is_away_are_counted_together(five: Store) -> None:
    with five.begin() as tx:
        for number, status in ((2, 1020), (3, 1023), (4, 1021), (5, 404)):
            tx.execute(sa.update(resource).where(resource.c.id == number).values(status=status))
        pending_deletes.hide(tx, [(1, SOURCE, 7)])
        assert pending_deletes.unreached_count(tx, SOURCE) == 0, "what goes was there no more"
        tx.execute(sa.update(resource).where(resource.c.id == 1).values(status=1024))
        assert (pending_deletes.waiting_count(tx, SOURCE), pending_deletes.unreached_count(tx, SOURCE)) == (1, 3)
        pending_deletes.show_again(tx, SOURCE)
        assert pending_deletes.unreached_count(tx, SOURCE) == 0, "nothing goes in this run"


def test_many_at_once(store: Store) -> None:
    with store.begin() as tx:
        many = range(1, 2502)
        writes.contents(tx, [a_content(number) for number in many])
        pending_deletes.hide(tx, [(number, SOURCE, 1) for number in many])
        pending_deletes.hide(tx, [])
        assert len(going(tx)) == 2501
        pending_deletes.unhide(tx, [number for number in many if number % 2])
        assert len(going(tx)) == 1250
        pending_deletes.leave(tx, [(number, number) for number in many if not number % 2])
        pending_deletes.leave(tx, [])
        assert pending_deletes.indexed_count(tx, SOURCE) == 1251


def test_what_a_complete_listing_does_not_name(five: Store) -> None:
    with five.begin() as tx:
        tx.execute(sa.update(resource).where(resource.c.id.in_([2, 4])).values(run=9))
        tx.execute(sa.update(content).where(content.c.id == 5).values(indexed=False))
        assert pending_deletes.absent(tx, SOURCE, 9, 10, 0) == [(1, pages(5)[0]), (3, pages(5)[2])]
        assert pending_deletes.absent(tx, SOURCE, 9, 1, 0) == [(1, pages(5)[0])]
        assert pending_deletes.absent(tx, SOURCE, 9, 1, 1) == [(3, pages(5)[2])]
        assert pending_deletes.absent(tx, 2, 9, 10, 0) == []
        news = [(number, OutcomeKind.GONE, 404, pending_deletes.ABSENT) for number in (1, 3)]
        assert [each[:4] for each in pending_deletes.mark_absent(tx, [1, 3], 9)] == news
        assert pending_deletes.mark_absent(tx, [], 9) == []
        rows = tx.rows(sa.select(resource.c.outcome, resource.c.status, resource.c.run).where(resource.c.id == 3))
        assert rows == [(OutcomeKind.GONE, 404, 9)]
        assert pending_deletes.absent(tx, SOURCE, 9, 10, 0) == []


def test_addresses_without_a_document_that_a_complete_listing_does_not_name(five: Store) -> None:
    kinds = (OutcomeKind.FAILED, OutcomeKind.EXCLUDED, OutcomeKind.DEFERRED, OutcomeKind.GONE, OutcomeKind.OK)
    with five.begin() as tx:
        for number, outcome in enumerate(kinds, 1):
            tx.execute(sa.update(resource).where(resource.c.id == number).values(outcome=int(outcome), run=8))
        assert sorted(number for number, _ in pending_deletes.stray(tx, SOURCE, 9, 10, 0)) == [1, 2, 3]
        assert pending_deletes.stray(tx, SOURCE, 8, 10, 0) == pending_deletes.stray(tx, 2, 9, 10, 0) == []
        pending_deletes.mark_absent(tx, [1, 2, 3], 9)
        assert pending_deletes.stray(tx, SOURCE, 9, 10, 0) == pending_deletes.stray(tx, SOURCE, 10, 10, 0) == []


def test_how_often_a_listing_did_not_name_it_counts_from_when_it_left(five: Store) -> None:
    with five.begin() as tx:
        tries = sa.select(resource.c.attempts, resource.c.run).where(resource.c.id == 1)
        assert len(pending_deletes.mark_absent(tx, [1, 3], 9)) == pending_deletes.absent_count(tx, SOURCE, 9) == 2
        assert pending_deletes.mark_absent(tx, [1], 10) == [], "a person had refused, and it is no news"
        assert tx.rows(tries) == [(1, 10)]
        assert (pending_deletes.absent_count(tx, SOURCE, 9), pending_deletes.absent_count(tx, SOURCE, 10)) == (1, 1)
        assert pending_deletes.gone_before(tx, SOURCE, 10) == [(3, pages(5)[2])]
        assert sorted(number for number, _ in pending_deletes.gone_before(tx, SOURCE, 11)) == [1, 3]
        assert pending_deletes.gone_before(tx, 2, 11) == []
        pending_deletes.mark_gone_again(tx, [1], 11)
        assert tx.rows(tries) == [(2, 11)]
        assert pending_deletes.absent_count(tx, SOURCE, 11) == 0, "it was counted when it left"


def test_what_is_absent_names_the_rule_that_excludes_it_now(store: Store) -> None:
    admitted(store, *pages(3))
    with store.begin() as tx:
        known = numbers(tx)
        for address, gate, rule, status in (
            (pages(3)[0], "boundary", "exclude *.log", 964), (pages(3)[1], "link", "rel=nofollow", 983),
        ):  # fmt: skip
            row = Exclusion(SOURCE, fingerprint(address, SOURCE), address, gate, rule, status, 9, 0, None)
            visits.exclude(tx, [row])
        pending_deletes.mark_absent(tx, list(known.values()), 9)
        columns = resource.c
        found = {row.address: row for row in tx.rows(sa.select(columns.address, columns.outcome, columns.status))}
    by_rule, by_link, by_none = ((found[each].outcome, found[each].status) for each in pages(3))
    assert by_rule == (OutcomeKind.EXCLUDED, 964)
    assert by_link == by_none == (OutcomeKind.GONE, 404), "a link does not keep a listing from naming a file"


def test_what_waits_for_its_run_can_be_found_meanwhile(five: Store) -> None:
    with five.begin() as tx:
        pending_deletes.hide(tx, [(1, SOURCE, 7), (2, SOURCE, 7), (5, 2, 7)])
        pending_deletes.hide_until(tx, [(3, SOURCE, 7, 50)])
        assert pending_deletes.is_news(tx, SOURCE, shown=True)
        assert not pending_deletes.is_news(tx, SOURCE, shown=False)
        pending_deletes.wait_in_sight(tx, SOURCE, shown=True)
        assert (set(pending_deletes.everything(tx)), going(tx), pending_deletes.in_sight_count(tx, SOURCE)) == (
            {3, 5},
            [1, 2],
            2,
        )
        assert [pending_deletes.is_hidden(tx, number) for number in (1, 3)] == [False, True]
        pending_deletes.hide(tx, [(4, SOURCE, 7)])
        assert pending_deletes.everything(tx) == {3, 4, 5}
        assert pending_deletes.is_news(tx, SOURCE, shown=True)
        pending_deletes.wait_in_sight(tx, SOURCE, shown=True)
        pending_deletes.passed(tx, 49)
        assert (set(pending_deletes.everything(tx)), going(tx)) == ({3, 5}, [1, 2, 4])
        pending_deletes.passed(tx, 50)
        pending_deletes.unhide(tx, [4])
        assert (set(pending_deletes.everything(tx)), going(tx)) == ({5}, [1, 2])
        pending_deletes.wait_in_sight(tx, SOURCE, shown=False)
        assert (set(pending_deletes.everything(tx)), pending_deletes.in_sight_count(tx, SOURCE)) == ({1, 2, 5}, 0)


def test_what_is_found_meanwhile_leaves_with_its_run_or_stays(five: Store) -> None:
    with five.begin() as tx:
        pending_deletes.hide(tx, [(1, SOURCE, 7), (2, SOURCE, 7)])
        pending_deletes.wait_in_sight(tx, SOURCE, shown=True)
        pending_deletes.leave(tx, [(1, 60)])
        assert (set(pending_deletes.everything(tx)), indexed(tx)) == ({1}, {2, 3, 4, 5})
        assert pending_deletes.show_again(tx, SOURCE) == 1
        pending_deletes.passed(tx, 60)
        assert (set(pending_deletes.everything(tx)), going(tx)) == (set[int](), [])


def test_who_may_not_read_it_does_not_find_it_meanwhile(five: Store) -> None:
    """Its rights changed, which the index has not passed."""
    with five.begin() as tx:
        pending_deletes.hide_until(tx, [(1, SOURCE, 7, 50)])
        pending_deletes.hide(tx, [(1, SOURCE, 7)])
        pending_deletes.wait_in_sight(tx, SOURCE, shown=True)
        assert pending_deletes.everything(tx) == {1}
        pending_deletes.passed(tx, 50)
        assert (set(pending_deletes.everything(tx)), going(tx)) == (set[int](), [1])
