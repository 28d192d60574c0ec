from __future__ import annotations

import threading

from cormorant.journal import launches
from cormorant.journal.launches import Ended, LaunchRow
from cormorant.model.schedule import Fired, Hold, LaunchState, Why
from cormorant.store.database import Store, Tx

BEGUN = Fired(LaunchState.LAUNCHING, Why.DUE)
SKIPPED = Fired(LaunchState.SKIPPED, Why.MISSED, "Nothing was at work.")


def only(tx: Tx) -> LaunchRow:
    (row,) = launches.of_schedule(tx, 1)
    return row


def test_a_time_is_claimed_once(store: Store) -> None:
    with store.begin() as tx:
        assert launches.claim(tx, 1, 100.0, BEGUN, [3, 2])
        assert not launches.claim(tx, 1, 100.0, SKIPPED, [3])
        assert launches.claim(tx, 2, 100.0, SKIPPED, [3])
        row = only(tx)
        assert (row.slot, row.why, row.state, row.sources, row.place) == (100.0, "due", "launching", [3, 2], 0)
        assert (row.finished_at, row.run, row.ends, row.hold) == (None, None, [], None)
        (other,) = launches.of_schedule(tx, 2)
        assert (other.state, other.reason, other.finished_at is None) == ("skipped", "Nothing was at work.", False)
        assert launches.claimed(tx, 1) == ({100.0}, None)
        assert [each.schedule_id for each in launches.under_way(tx)] == [1]


def test_of_two_who_claim_at_once_one_does(store: Store, other: Store) -> None:
    claims: list[bool] = []
    begun = threading.Barrier(2)

    def claim(at: Store) -> None:
        begun.wait()
        for slot in range(20):
            with at.begin() as tx:
                claims.append(launches.claim(tx, 1, float(slot), BEGUN, [1]))

    threads = [threading.Thread(target=claim, args=(at,)) for at in (store, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(claims), sum(claims)) == (40, 20)
    with store.read() as tx:
        assert launches.claimed(tx, 1)[0] == {float(slot) for slot in range(20)}


def test_a_launch_changes_where_it_is_still_as_it_was(store: Store) -> None:
    with store.begin() as tx:
        launches.claim(tx, 1, 100.0, BEGUN, [3, 2])
        row = only(tx)
        assert launches.change(tx, row, state=LaunchState.EXECUTING)
        assert not launches.change(tx, row, state=LaunchState.EXECUTING), "somebody has"
        launches.set_run(tx, row.id, 7)
        row = only(tx)
        assert launches.change(tx, row, hold=Hold.WINDOW)
        assert not launches.change(tx, row, place=1)
        row = only(tx)
        ends = [Ended("docs", 7, failed=True, said="It failed.\ud800")]
        assert launches.change(tx, row, place=1, run=None, hold=None, ends=launches.written(ends))
        assert not launches.end(tx, row, LaunchState.FAILED, None)
        row = only(tx)
        assert row.ends == ends
        assert launches.end(tx, row, LaunchState.FAILED, "It \0failed.")
        row = only(tx)
        assert (row.state, row.reason, row.finished_at is None) == ("failed", "It failed.", False)


def test_the_oldest_go_but_those_under_way_stay(store: Store) -> None:
    with store.begin() as tx:
        launches.claim(tx, 1, 0.0, BEGUN, [1])
        launches.claim(tx, 2, 0.0, SKIPPED, [1])
        for slot in range(1, launches.KEPT + 5):
            launches.claim(tx, 1, float(slot), SKIPPED, [1])
        launches.trim(tx, 1)
        kept, since = launches.claimed(tx, 1)
        assert since == 5.0
        assert kept == {0.0, *map(float, range(5, launches.KEPT + 5))}
        assert launches.claimed(tx, 2) == ({0.0}, None)
        assert launches.last(tx, 1) == launches.under_way(tx, 1)[0]
        launches.forget(tx, 1)
        assert (launches.of_schedule(tx, 1), launches.last(tx, 2)) == ([], None)
        assert launches.claimed(tx, 2) == ({0.0}, None)
