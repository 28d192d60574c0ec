from __future__ import annotations

import threading

from cormorant.model.schedule.schedule import Fired, FiringReason, Hold, LaunchState
from cormorant.store.db.database import Store, Tx
from cormorant.store.journal import schedule_firings
from cormorant.store.journal.schedule_firings import FiringResult, LaunchRow

BEGUN = Fired(LaunchState.LAUNCHING, FiringReason.DUE)
SKIPPED = Fired(LaunchState.SKIPPED, FiringReason.MISSED, "Nothing was at work.")


def only(tx: Tx) -> LaunchRow:
    (row,) = schedule_firings.of_schedule(tx, 1)
    return row


def test_a_time_is_claimed_once(store: Store) -> None:
    with store.begin() as tx:
        assert schedule_firings.claim(tx, 1, 100.0, BEGUN, [3, 2])
        assert not schedule_firings.claim(tx, 1, 100.0, SKIPPED, [3])
        assert schedule_firings.claim(tx, 2, 100.0, SKIPPED, [3])
        row = only(tx)
        assert (row.slot, row.why, row.state, row.sources, row.place) == (100.0, "due", "launching", [3, 2], 0)
        assert (row.finished_at, row.run, row.ends, row.hold) == (None, None, [], None)
        (other,) = schedule_firings.of_schedule(tx, 2)
        assert (other.state, other.reason, other.finished_at is None) == ("skipped", "Nothing was at work.", False)
        assert schedule_firings.claimed(tx, 1) == ({100.0}, None)
        assert [each.schedule_id for each in schedule_firings.under_way(tx)] == [1]


def test_of_two_who_claim_at_once_one_does(store: Store, other: Store) -> None:
    claims: list[bool] = []
    begun = threading.Barrier(2)

    def claim(at: Store) -> None:
        begun.wait()
        for slot in range(20):
            with at.begin() as tx:
                claims.append(schedule_firings.claim(tx, 1, float(slot), BEGUN, [1]))

    threads = [threading.Thread(target=claim, args=(at,)) for at in (store, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(claims), sum(claims)) == (40, 20)
    with store.read() as tx:
        assert schedule_firings.claimed(tx, 1)[0] == {float(slot) for slot in range(20)}


def test_a_launch_changes_where_it_is_still_as_it_was(store: Store) -> None:
    with store.begin() as tx:
        schedule_firings.claim(tx, 1, 100.0, BEGUN, [3, 2])
        row = only(tx)
        assert schedule_firings.change(tx, row, state=LaunchState.EXECUTING)
        assert not schedule_firings.change(tx, row, state=LaunchState.EXECUTING), "somebody has"
        schedule_firings.set_run(tx, row.id, 7)
        row = only(tx)
        assert schedule_firings.change(tx, row, hold=Hold.WINDOW)
        assert not schedule_firings.change(tx, row, place=1)
        row = only(tx)
        ends = [FiringResult("docs", 7, failed=True, said="It failed.\ud800")]
        assert schedule_firings.change(tx, row, place=1, run=None, hold=None, ends=schedule_firings.written(ends))
        assert not schedule_firings.end(tx, row, LaunchState.FAILED, None)
        row = only(tx)
        assert row.ends == ends
        assert schedule_firings.end(tx, row, LaunchState.FAILED, "It \0failed.")
        row = only(tx)
        assert (row.state, row.reason, row.finished_at is None) == ("failed", "It failed.", False)


def test_the_oldest_go_but_those_under_way_stay(store: Store) -> None:
    with store.begin() as tx:
        schedule_firings.claim(tx, 1, 0.0, BEGUN, [1])
        schedule_firings.claim(tx, 2, 0.0, SKIPPED, [1])
        for slot in range(1, schedule_firings.KEPT + 5):
            schedule_firings.claim(tx, 1, float(slot), SKIPPED, [1])
        schedule_firings.trim(tx, 1)
        kept, since = schedule_firings.claimed(tx, 1)
        assert since == 5.0
        assert kept == {0.0, *map(float, range(5, schedule_firings.KEPT + 5))}
        assert schedule_firings.claimed(tx, 2) == ({0.0}, None)
        assert schedule_firings.last(tx, 1) == schedule_firings.under_way(tx, 1)[0]
        schedule_firings.forget(tx, 1)
        assert (schedule_firings.of_schedule(tx, 1), schedule_firings.last(tx, 2)) == ([], None)
        assert schedule_firings.claimed(tx, 2) == ({0.0}, None)
