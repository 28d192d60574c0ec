from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.model.schedule.schedule import (
    LATE_S,
    OPEN_LAUNCHES,
    FiringReason,
    LaunchState,
    MissedPolicy,
    Overrun,
    ScheduleState,
    ended,
    fired,
    state_of,
)


@given(
    st.floats(0, 1e9), st.sampled_from(MissedPolicy), st.sampled_from(Overrun), st.booleans(), st.booleans()
)  # fmt: skip
def test_every_time_becomes_one_thing(
    late: float, missed: MissedPolicy, overrun: Overrun, busy: bool, waits: bool
) -> None:
    what = fired(late, missed, overrun, busy=busy, waits=waits)
    assert what.why is (FiringReason.MISSED if late > LATE_S else FiringReason.DUE)
    left_out = what.why is FiringReason.MISSED and missed is MissedPolicy.SKIP
    if left_out or (busy and (overrun is Overrun.SKIP or (overrun is Overrun.QUEUE and waits))):
        assert what.state is LaunchState.SKIPPED
    elif busy and overrun is Overrun.QUEUE:
        assert what.state is LaunchState.QUEUED
    else:
        assert what.state is LaunchState.LAUNCHING
    assert what.stops is (busy and overrun is Overrun.RESTART and not left_out)
    assert bool(what.reason) is (
        what.state is not LaunchState.LAUNCHING or what.stops or what.why is FiringReason.MISSED
    )


@pytest.mark.parametrize(
    ("failed", "total", "state"),
    [(0, 0, "finished"), (0, 3, "finished"), (1, 3, "partially_failed"), (3, 3, "failed"), (1, 1, "failed")],
)
def test_how_a_launch_ended(failed: int, total: int, state: str) -> None:
    assert ended(failed, total) == state


@pytest.mark.parametrize("newest", [None, *LaunchState])
def test_what_is_shown_of_a_schedule(newest: LaunchState | None) -> None:
    shown, off = state_of(newest, enabled=True), state_of(newest, enabled=False)
    assert off is (shown if newest in OPEN_LAUNCHES else ScheduleState.DISABLED)
    waits = state_of(newest, enabled=True, pending=True)
    assert waits is (ScheduleState.INDEXING_PENDING if shown is ScheduleState.SCHEDULED else shown)
    assert state_of(newest, enabled=False, pending=True) is off
    same = newest is not None and newest.value in {*ScheduleState}
    assert shown == (newest if same else "launching" if newest is LaunchState.QUEUED else "scheduled")
