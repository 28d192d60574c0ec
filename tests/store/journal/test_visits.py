from __future__ import annotations

import threading

import sqlalchemy as sa

from cormorant.model.ruling import Gate
from cormorant.store.db.database import Store
from cormorant.store.journal import visits
from cormorant.store.journal.visits import KEPT_PER_RESOURCE, Exclusion, VisitRow
from cormorant.store.schema import visit
from tests.clocks import HANG_S


def a_visit(resource: int = 1, run: int = 1, changed: str = "new", reason: str | None = None) -> VisitRow:
    return VisitRow(resource, run, run + 0.5, 1, 200, 1234, b"h" * 32, changed, reason)


def excluded(key: int, run: int, rule: str = "exclude *.zip", source: int = 1) -> Exclusion:
    return Exclusion(source, key, f"https://a.example/{key}", Gate.BOUNDARY, rule, 964, run, 3, 7)


def test_visits_of_a_resource_oldest_first(store: Store) -> None:
    rows = [a_visit(run=1), a_visit(run=2, changed="content"), a_visit(run=3, changed="outcome", reason="gone")]
    with store.begin() as tx:
        visits.write(tx, [rows[0], a_visit(2), rows[1]])
        visits.write(tx, [rows[2]._replace(content_hash=None)])
        visits.write(tx, [])
        assert visits.of(tx, 1) == [*rows[:2], rows[2]._replace(content_hash=None)]
        assert visits.of(tx, 3) == []


def test_the_newest_visits_are_kept(store: Store) -> None:
    with store.begin() as tx:
        visits.write(tx, [a_visit(2), a_visit(2, run=2, changed="outcome")])
        for run in range(KEPT_PER_RESOURCE + 10):
            visits.write(tx, [a_visit(run=run, changed="content"), a_visit(resource=run + 9)])
        assert [row.run for row in visits.of(tx, 1)] == list(range(10, KEPT_PER_RESOURCE + 10))
        count = tx.execute(sa.select(sa.func.count()).select_from(visit)).scalar_one()
        assert count == 2 * KEPT_PER_RESOURCE + 10 + 2, "what others did stays"


def test_a_reason_in_any_bytes_is_kept(store: Store) -> None:
    with store.begin() as tx:
        visits.write(tx, [a_visit(reason="a\0b \udcff é")])
        assert [row.reason for row in visits.of(tx, 1)] == ["ab ? é"]


def test_an_exclusion_counts_once_a_run(store: Store) -> None:
    with store.begin() as tx:
        assert visits.exclude(tx, [excluded(1, 5), excluded(2, 5)]) == 2
        assert visits.exclude(tx, [excluded(1, 5), excluded(3, 5), excluded(3, 5)]) == 1, "met again in the same run"
        assert visits.exclude(tx, [excluded(1, 6), excluded(2, 6)]) == 2, "and in the next run"
        assert visits.exclude(tx, [excluded(1, 5), excluded(2, 6), excluded(4, 6)]) == 1
        assert visits.exclude(tx, []) == 0
        assert visits.exclude(tx, [excluded(1, 5, source=2)]) == 1


def test_the_newest_ruling_of_an_address_is_kept(store: Store) -> None:
    with store.begin() as tx:
        visits.exclude(tx, [excluded(1, 5, "old"), excluded(2, 5, "old"), excluded(9, 5, source=2)])
        visits.exclude(tx, [excluded(1, 6, "new"), excluded(2, 4, "older")])
        kept = visits.exclusions(tx, 1)
        assert kept == [excluded(1, 6, "new"), excluded(2, 5, "old")]
        assert kept[0].gate == "boundary"
        assert visits.exclusions(tx, 1, [2, 77]) == [excluded(2, 5, "old")]
        assert visits.exclusions(tx, 1, []) == []


def test_another_ruling_beats_that_of_a_link_not_to_be_followed(store: Store) -> None:
    def unfollowed(key: int, run: int) -> Exclusion:
        return excluded(key, run, "rel=nofollow")._replace(gate=Gate.LINK, status=983)

    with store.begin() as tx:
        assert visits.exclude(tx, [unfollowed(1, 5), unfollowed(2, 5), excluded(3, 5)]) == 1, "it is not counted"
        assert visits.exclude(tx, [excluded(1, 5), unfollowed(3, 5), unfollowed(2, 6)]) == 1
        kept = {row.hash: row for row in visits.exclusions(tx, 1)}
        assert kept == {1: excluded(1, 5), 2: unfollowed(2, 6), 3: excluded(3, 5)}
        assert visits.exclude(tx, [unfollowed(1, 6)]) == 0
        assert visits.exclude(tx, [excluded(1, 6)]) == 1


def test_a_start_address_has_no_referrer(store: Store) -> None:
    with store.begin() as tx:
        visits.exclude(tx, [excluded(1, 5)])
        assert not visits.starts_excluded(tx, 1, 5)
        visits.exclude(tx, [excluded(2, 5)._replace(referrer=None)])
        assert visits.starts_excluded(tx, 1, 5)
        assert not visits.starts_excluded(tx, 1, 6)
        assert not visits.starts_excluded(tx, 2, 5)


def test_two_who_exclude_the_same_in_opposite_orders_count_it_once(store: Store, other: Store) -> None:
    together = threading.Barrier(2, timeout=HANG_S)
    counts: list[int] = []

    def exclude(where: Store, step: int) -> None:
        for run in range(1, 6):
            rows = [excluded(key, run) for key in range(500)][::step]
            together.wait()
            with where.begin() as tx:
                counts.append(visits.exclude(tx, rows))

    threads = [threading.Thread(target=exclude, args=pair) for pair in ((store, 1), (other, -1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counts) == 5 * 500


def test_a_shorter_way_is_written_down_of_what_was_too_deep_and_counts_as_no_meeting(store: Store) -> None:
    deep = [excluded(key, run=1)._replace(status=972, depth=9) for key in (1, 2)]
    with store.begin() as tx:
        visits.exclude(tx, [*deep, excluded(3, run=1)])
        near = [excluded(key, run=2)._replace(status=972, depth=4, referrer=8) for key in (1, 3)]
        visits.rule_again(tx, near)
        kept = [(each.depth, each.referrer, each.status, each.run) for each in visits.exclusions(tx, 1)]
        assert kept == [(4, 8, 972, 1), (9, 7, 972, 1), (3, 7, 964, 1)]
        assert visits.exclude(tx, near) == 2, "this run has not met them before"
