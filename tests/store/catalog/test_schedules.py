from __future__ import annotations

import pytest

from cormorant.base.errors import ConflictError, NotFoundError
from cormorant.model.run import Refresh
from cormorant.model.schedule.schedule import MissedPolicy, Overrun
from cormorant.store.catalog import schedules
from cormorant.store.catalog.schedules import SchedulePlan
from cormorant.store.db.database import Store

NIGHTLY = SchedulePlan(
    [3, 1], "0 2 * * *", "Europe/Berlin", ["Mon-Fri 20-06"], Overrun.QUEUE, MissedPolicy.SKIP, Refresh.DUE
)


def test_a_schedule_is_kept_as_it_is(store: Store) -> None:
    with store.begin() as tx:
        number = schedules.add(tx, "nightly", NIGHTLY, 17.5)
        row = schedules.named(tx, "nightly")
        assert (row.id, row.plan, row.enabled, row.next_at, row.error) == (number, NIGHTLY, True, 17.5, None)
        assert schedules.every(tx) == [row] == schedules.of_source(tx, 1)
        assert schedules.of_source(tx, 2) == []
        schedules.edit(tx, number, SchedulePlan([1], "manual"), 5.0, None)
        row = schedules.named(tx, "nightly")
        assert (row.plan, row.since, row.next_at) == (SchedulePlan([1], "manual", windows=[]), 5.0, None)


def test_a_name_is_taken_once(store: Store) -> None:
    with store.begin() as tx:
        schedules.add(tx, "nightly", NIGHTLY, None)
        with pytest.raises(ConflictError, match="'nightly' already"):
            schedules.add(tx, "nightly", NIGHTLY, None)


@pytest.mark.parametrize("name", ["weekly", "\ud800", "night\0ly"])
def test_a_schedule_there_is_not(store: Store, name: str) -> None:
    with store.begin() as tx:
        with pytest.raises(NotFoundError, match="none yet"):
            schedules.named(tx, name)
        schedules.add(tx, "nightly", NIGHTLY, None)
        with pytest.raises(NotFoundError, match="There is: nightly"):
            schedules.named(tx, name)


def test_those_are_due_whose_time_has_come(store: Store) -> None:
    with store.begin() as tx:
        late, soon, never, off = (
            schedules.add(tx, name, NIGHTLY, at, enabled=name != "off")
            for name, at in (("late", 5.0), ("soon", 9.0), ("never", None), ("off", 5.0))
        )
        assert [row.id for row in schedules.due(tx, 9.0)] == [late, soon]
        assert [row.id for row in schedules.due(tx, 8.0)] == [late]
        assert {row.id for row in schedules.every(tx)} == {late, soon, never, off}


def test_a_time_moves_on_where_it_is_still_as_it_was(store: Store) -> None:
    with store.begin() as tx:
        number = schedules.add(tx, "nightly", NIGHTLY, 5.0)
        row = schedules.named(tx, "nightly")
        assert schedules.move_on(tx, row, 9.0)
        assert not schedules.move_on(tx, row, 11.0), "somebody has"
        schedules.set_error(tx, number, "The zone \0is gone.")
        row = schedules.named(tx, "nightly")
        assert (row.next_at, row.error) == (None, "The zone is gone.")
        assert schedules.move_on(tx, row, 9.0)
        schedules.set_enabled(tx, number, None, enabled=False)
        row = schedules.named(tx, "nightly")
        assert not schedules.move_on(tx, row, 9.0), "it is disabled"
        assert (row.next_at, row.error) == (None, None)


def test_a_source_leaves(store: Store) -> None:
    with store.begin() as tx:
        schedules.add(tx, "nightly", NIGHTLY, None)
        schedules.leave_out(tx, schedules.named(tx, "nightly"), 3)
        assert schedules.named(tx, "nightly").plan.sources == [1]
        schedules.delete(tx, schedules.named(tx, "nightly").id)
        assert schedules.every(tx) == []
