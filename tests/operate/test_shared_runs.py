"""Two schedules that crawl one source share its run: what becomes of it when one of them begins anew?"""

from __future__ import annotations

from pathlib import Path

from cormorant.model.run import RunState
from cormorant.model.schedule.schedule import Overrun
from tests.operate.timetable import HOUR, timetable


def test_a_schedule_that_begins_anew_stops_no_run_that_another_has(tmp_path: Path) -> None:
    with timetable(tmp_path) as desk:
        desk.add("nightly", "docs", "papers", when="0 1 * * *")
        desk.add("often", "docs", when="0 2,3 * * *", overrun=Overrun.RESTART)
        desk.pass_(3 * HOUR + 60)
        assert desk.open_runs() == [("docs", RunState.WAITING)], "the run of both is as it was"
        assert desk.shown()["state"] == "executing"
        desk.end()
        assert desk.open_runs() == [("papers", RunState.WAITING)]
        desk.end()
        assert [each[2] for each in desk.told()] == ["finished"]


def test_a_schedule_that_begins_anew_stops_its_own_run(tmp_path: Path) -> None:
    with timetable(tmp_path) as desk:
        desk.add("nightly", "docs", when="0 2,3 * * *", overrun=Overrun.RESTART)
        desk.pass_(3 * HOUR + 60)
        assert [each.state for each in desk.every_run()] == [RunState.STOPPED, RunState.WAITING]
