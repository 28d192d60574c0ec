"""Schedules on a clock that is set by hand: each time once, in order, whatever happens to the clock or who looks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cormorant.model.run import Refresh, RunState
from cormorant.model.schedule.schedule import Fired, FiringReason, LaunchState, MissedPolicy, Overrun, Revisit
from cormorant.operate.installation import Installation
from cormorant.operate.runs import control, scheduler, schedules
from cormorant.operate.runs.scheduler import Scheduler
from cormorant.operate.runs.schedules import ScheduleChange
from cormorant.operate.sources import sources as of_sources, test_crawl
from cormorant.store.catalog import schedules as rows, sources
from cormorant.store.catalog.schedules import SchedulePlan
from cormorant.store.db.database import Store
from cormorant.store.journal import runs, schedule_firings
from tests.operate.timetable import DAY, HOUR, Timetable, at, timetable

OFFICE = ("Mon-Fri 08-18",)
WAITING, DISCOVERING, SUSPENDED = RunState.WAITING, RunState.DISCOVERING, RunState.SUSPENDED


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Timetable]:
    with timetable(tmp_path) as made:
        yield made


def test_sources_are_crawled_one_after_another_each_night(desk: Timetable) -> None:
    desk.add(refresh=Revisit.DUE)
    desk.pass_(2 * HOUR - 30)
    assert desk.launches() == []
    desk.pass_(60)
    assert desk.open_runs() == [("docs", WAITING)]
    assert (desk.shown()["state"], desk.shown()["run"]) == ("executing", 1)
    desk.end()
    assert desk.open_runs() == [("papers", WAITING)]
    assert desk.run().refresh is Refresh.DUE
    desk.end()
    assert (desk.shown()["state"], desk.shown()["run"], desk.shown()["reason"]) == ("scheduled", None, None)
    (past,) = desk.shown()["history"]
    assert [(each["source"], each["run"], each["failed"]) for each in past["ends"]] == [
        ("docs", 1, False), ("papers", 2, False),
    ]  # fmt: skip
    assert (past["state"], past["slot_at"]) == ("finished", "2026-11-16T02:00:00.000Z")
    assert desk.shown()["next_at"] == "2026-11-17T02:00:00.000Z"
    desk.pass_(DAY)
    assert desk.told() == [("16 02:00", "due", "finished"), ("17 02:00", "due", "executing")]


def test_a_source_that_is_asked_at_each_search_is_passed_over(desk: Timetable) -> None:
    with desk.house.store.begin() as tx:
        sources.add(tx, "federated", "far", {"url": "https://a.example/opensearch.xml"})
    desk.add()
    schedules.edit(desk.house, "nightly", ScheduleChange(("far", "docs")))
    desk.pass_(2 * HOUR + 30)
    desk.pass_(30)
    assert desk.open_runs() == [("docs", WAITING)]
    desk.end()
    (past,) = desk.shown()["history"]
    assert [(each["source"], each["run"], each["failed"]) for each in past["ends"]] == [
        ("far", None, False), ("docs", 1, False),
    ]  # fmt: skip
    assert past["ends"][0]["reason"] == "It has nothing to crawl: its server is asked at each search."


def test_what_a_test_has_left_is_cleared_as_by_any_other_crawl(desk: Timetable) -> None:
    with desk.house.store.begin() as tx:
        copy = test_crawl.copy(tx, sources.named(tx, "docs"), test=True)
        under_way = test_crawl.copy(tx, sources.named(tx, "papers"), test=True)
        runs.request(tx, under_way.id, "{}", Refresh.ALL, force=False)
    desk.add()
    desk.pass_(2 * HOUR + 30)
    with desk.house.store.read() as tx:
        assert sources.numbered(tx, copy.id) is None
        assert sources.numbered(tx, under_way.id) is not None, "one that is not yet crawled keeps it"
    desk.end()


class TestOverrun:
    """The launch before is still under way."""

    def test_it_is_skipped(self, desk: Timetable) -> None:
        desk.add(when="0 * * * *")
        desk.pass_(2.5 * HOUR)
        assert desk.told() == [("16 01:00", "due", "executing"), ("16 02:00", "due", "skipped")]
        assert "still under way" in str(desk.launches()[1].reason)
        assert desk.open_runs() == [("docs", WAITING)]

    def test_one_waits(self, desk: Timetable) -> None:
        desk.add(when="0 * * * *", overrun=Overrun.QUEUE)
        desk.pass_(3.5 * HOUR)
        assert [each[2] for each in desk.told()] == ["executing", "queued", "skipped"]
        desk.end()
        desk.end()
        desk.look()
        assert [each[2] for each in desk.told()] == ["finished", "executing", "skipped"]
        assert desk.open_runs() == [("docs", WAITING)]

    def test_it_begins_anew(self, desk: Timetable) -> None:
        desk.add(when="0 * * * *", overrun=Overrun.RESTART)
        desk.pass_(2.5 * HOUR)
        assert [each[2] for each in desk.told()] == ["stopped", "executing"]
        first, second = desk.every_run()
        assert (first.state, first.source_id == second.source_id) == (RunState.STOPPED, True)
        assert "starts again" in str(first.reason)
        assert desk.open_runs() == [("docs", WAITING)]
        past = desk.shown()["history"][-1]
        assert past["state"] == "stopped"
        ((source, run, failed),) = ((each["source"], each["run"], each["failed"]) for each in past["ends"])
        assert (source, run, failed) == ("docs", first.id, False), "the history keeps its run"


class TestMissed:
    """Nothing was at work at that time."""

    def test_it_is_done_once_as_soon_as_something_is(self, desk: Timetable) -> None:
        desk.add()
        desk.clock.at += 3.5 * DAY
        desk.restart()
        desk.look()
        ((slot, why, state),) = desk.told()
        assert (slot, why, state) == ("16 02:00", "missed", "executing")
        assert desk.launches()[0].reason == (
            "Nothing was at work at that time, so it was done later. Its next 3 times have passed by now as well: one "
            "launch makes up for all."
        )
        assert desk.shown()["next_at"] == "2026-11-20T02:00:00.000Z"

    @pytest.mark.parametrize(
        ("missed", "said"),
        [
            (MissedPolicy.RUN, "Its next time has passed by now as well: one launch makes up for all."),
            (MissedPolicy.SKIP, "Its next time has passed by now as well, and it is skipped too."),
        ],
    )
    def test_one_more_time_that_has_passed(self, missed: MissedPolicy, said: str, desk: Timetable) -> None:
        desk.add(missed=missed)
        desk.clock.at += 1.5 * DAY
        desk.look()
        assert str(desk.launches()[0].reason).endswith(f". {said}")

    def test_or_skipped(self, desk: Timetable) -> None:
        desk.add(missed=MissedPolicy.SKIP, when="* * * * *")
        desk.clock.at += DAY
        desk.look()
        assert desk.told() == [("16 00:01", "missed", "skipped")]
        assert "100 or more of its next times have passed by now as well, and they" in str(desk.launches()[0].reason)
        desk.pass_(60)
        assert desk.told()[1:] == [("17 00:01", "due", "executing")]

    def test_what_passes_while_it_is_disabled_is_not_missed(self, desk: Timetable) -> None:
        desk.add()
        assert schedules.set_enabled(desk.house, "nightly", enabled=False)["state"] == "disabled"
        desk.pass_(DAY, step=HOUR)
        assert schedules.set_enabled(desk.house, "nightly", enabled=True)["next_at"] == "2026-11-17T02:00:00.000Z"
        desk.look()
        assert desk.launches() == []

    def test_a_restart_is_not_late(self, desk: Timetable) -> None:
        desk.add(missed=MissedPolicy.SKIP)
        desk.clock.at += 2 * HOUR + 100
        desk.restart()
        desk.look()
        assert desk.told() == [("16 02:00", "due", "executing")]


class TestClock:
    """The machine's clock jumps."""

    @pytest.mark.parametrize("back", [60.0, HOUR, DAY, 30 * DAY])
    def test_back_nothing_is_done_twice(self, desk: Timetable, back: float) -> None:
        desk.add("nightly", "docs")
        for _ in range(3):
            desk.pass_(DAY)
            desk.end()
        desk.clock.at -= back
        desk.look()
        known = {row["slot_at"] for row in desk.shown()["history"]}
        assert desk.shown()["next_at"] not in known, "it would not fire then"
        desk.pass_(back, step=DAY)
        done = [row.slot for row in desk.launches() if row.slot >= at("2026-11-16")]
        assert sorted(done) == [at(f"2026-11-{day} 02:00") for day in (16, 17, 18)]
        desk.pass_(DAY)
        assert max(row.slot for row in desk.launches()) == at("2026-11-19 02:00")

    @pytest.mark.parametrize("ahead", [DAY, 400 * DAY])
    def test_ahead_for_a_while_nothing_stops(self, desk: Timetable, ahead: float) -> None:
        desk.add("nightly", "docs")
        desk.clock.at += ahead
        desk.look()
        desk.end()
        desk.clock.at -= ahead
        desk.pass_(DAY)
        slots = [row.slot for row in desk.launches()]
        assert at("2026-11-16 02:00") in slots, "by the wrong clock it was missed"
        desk.pass_(DAY)
        assert at("2026-11-17 02:00") in [row.slot for row in desk.launches()]

    def test_one_a_minute_waits_for_the_time_that_is_known(
        self, desk: Timetable, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(schedule_firings, "KEPT", 40)
        desk.add("nightly", "docs", when="* * * * *", overrun=Overrun.SKIP)
        desk.pass_(60 * 60.0)
        before = {row.slot for row in desk.launches()}
        desk.clock.at -= DAY
        desk.restart()
        desk.pass_(DAY - 60, step=600)
        assert {row.slot for row in desk.launches()} == before, "what was let go of is not done again"


class TestWindows:
    """Hours of the week in which its runs may work."""

    def test_a_run_is_suspended_outside_and_goes_on_within(self, desk: Timetable) -> None:
        desk.add("nightly", "docs", when="0 17 * * *", windows=OFFICE)
        desk.pass_(17.5 * HOUR)
        assert desk.open_runs() == [("docs", WAITING)]
        desk.pass_(HOUR)
        assert desk.open_runs() == []
        assert (desk.run().state, desk.shown()["state"]) == (SUSPENDED, "executing")
        assert desk.shown()["reason"] == (
            "It is outside of the windows of schedule 'nightly', which continues it at 2026-11-17T08:00:00.000Z."
        )
        desk.restart()
        desk.pass_(13 * HOUR)
        assert desk.run().state is SUSPENDED
        desk.pass_(HOUR)
        assert desk.open_runs() == [("docs", WAITING)]
        desk.end()
        assert [each[2] for each in desk.told()] == ["finished"]

    def test_it_begins_when_the_window_opens(self, desk: Timetable) -> None:
        desk.add("nightly", "docs", windows=OFFICE)
        desk.pass_(3 * HOUR)
        assert desk.every_run() == []
        assert desk.shown()["state"] == "launching"
        assert desk.shown()["reason"] == "It waits for its window, which opens at 2026-11-16T08:00:00.000Z."
        desk.pass_(5 * HOUR + 60)
        assert desk.open_runs() == [("docs", WAITING)]

    def test_it_waits_for_the_run_that_goes_on_where_its_source_was_edited(self, desk: Timetable) -> None:
        desk.add("nightly", "docs", when="0 17 * * *", windows=OFFICE)
        desk.pass_(19 * HOUR)
        first = desk.run()
        of_sources.edit(desk.house, "docs", {"hidden": True})
        desk.pass_(14 * HOUR)
        assert (desk.run().id, desk.open_runs()) == (first.id + 1, [("docs", WAITING)])
        assert desk.shown()["state"] == "executing"
        desk.end()
        assert [each[2] for each in desk.told()] == ["finished"]

    def test_who_goes_on_by_hand_is_let(self, desk: Timetable) -> None:
        desk.add("nightly", "docs", when="0 17 * * *", windows=OFFICE)
        desk.pass_(19 * HOUR)
        control.resume(desk.house, None)
        desk.pass_(HOUR)
        assert desk.open_runs() == [("docs", WAITING)]
        desk.pass_(12.5 * HOUR)
        assert desk.open_runs() == [("docs", WAITING)]
        desk.pass_(10.5 * HOUR)
        assert desk.run().state is SUSPENDED, "the next evening"

    def test_who_suspends_by_hand_is_let_as_well(self, desk: Timetable) -> None:
        desk.add("nightly", "docs", when="0 17 * * *", windows=OFFICE)
        desk.pass_(17.5 * HOUR)
        control.suspend(desk.house, None)
        desk.pass_(20 * HOUR)
        assert desk.run().state is SUSPENDED
        assert "It was suspended" in str(desk.shown()["reason"])

    def test_a_run_goes_on_without_its_schedule(self, desk: Timetable) -> None:
        desk.add("nightly", "docs", when="0 17 * * *", windows=OFFICE)
        desk.pass_(19 * HOUR)
        assert desk.run().state is SUSPENDED
        assert schedules.delete(desk.house, "nightly") == [1]
        assert desk.open_runs() == [("docs", WAITING)]
        desk.look()


class TestEnds:
    """How it went."""

    @pytest.mark.parametrize(
        ("states", "state"),
        [
            ((RunState.FINISHED, RunState.FAILED), "partially_failed"),
            ((RunState.FAILED, RunState.FAILED), "failed"),
            ((RunState.HELD, RunState.FINISHED), "partially_failed"),
        ],
    )
    def test_what_failed_is_told(self, desk: Timetable, states: tuple[RunState, RunState], state: str) -> None:
        desk.add()
        desk.pass_(2.1 * HOUR)
        for each in states:
            desk.end(each, "The disk is away.")
        shown = desk.shown()
        assert (shown["state"], "The disk is away." in str(shown["reason"])) == (state, True)
        assert ("run accept 1" in shown["reason"]) is (RunState.HELD in states)

    def test_a_source_that_is_held_already_is_passed_over(self, desk: Timetable) -> None:
        desk.add()
        with desk.house.store.begin() as tx:
            held = runs.request(tx, sources.named(tx, "docs").id, "{}", Refresh.ALL, force=False)
            runs.change(tx, held, state=RunState.HELD, reason="Too many would go.")
        desk.pass_(2.1 * HOUR)
        assert desk.open_runs() == [("papers", WAITING)]
        desk.end()
        assert desk.shown()["state"] == "partially_failed"

    def test_what_was_examined_and_waits_is_told_and_is_no_failure(self, desk: Timetable) -> None:
        desk.add("nightly", "docs")
        desk.pass_(2.1 * HOUR)
        desk.end(RunState.PENDING)
        shown = desk.shown()
        assert (shown["state"], "run index 1" in str(shown["reason"])) == ("indexing_pending", True)
        desk.pass_(DAY)
        assert [each[2] for each in desk.told()] == ["finished", "finished"], "passed over, until it is answered"
        assert desk.shown()["state"] == "indexing_pending"
        schedules.set_enabled(desk.house, "nightly", enabled=False)
        assert (desk.shown()["state"], "run index 1" in str(desk.shown()["reason"])) == ("disabled", True)
        control.stop(desk.house, 1)
        schedules.set_enabled(desk.house, "nightly", enabled=True)
        assert (desk.shown()["state"], desk.shown()["reason"]) == ("scheduled", None)

    def test_a_run_that_a_person_stops_ends_the_launch(self, desk: Timetable) -> None:
        desk.add()
        desk.pass_(2.1 * HOUR)
        control.stop(desk.house, None)
        desk.look()
        assert (desk.open_runs(), desk.shown()["state"]) == ([], "stopped")
        desk.pass_(DAY)
        assert [each[2] for each in desk.told()] == ["stopped", "executing"]

    def test_a_run_of_somebody_else_is_followed(self, desk: Timetable) -> None:
        desk.add("nightly", "docs")
        with desk.house.store.begin() as tx:
            runs.request(tx, sources.named(tx, "docs").id, "{}", Refresh.ALL, force=True)
        desk.pass_(2.1 * HOUR)
        assert (desk.shown()["run"], len(desk.every_run())) == (1, 1)

    def test_a_rhythm_that_can_no_longer_be_read_fires_no_more_and_says_so(self, desk: Timetable) -> None:
        desk.add()
        with desk.house.store.begin() as tx:
            row = rows.named(tx, "nightly")
            rows.edit(tx, row.id, replace(row.plan, time_zone="Mars/Olympus"), row.since, row.next_at)
        desk.pass_(2.1 * HOUR)
        assert desk.launches() == []
        assert (desk.shown()["state"], "no time zone" in str(desk.shown()["reason"])) == ("failed", True)
        schedules.edit(desk.house, "nightly", ScheduleChange(time_zone="UTC"))
        desk.pass_(DAY)
        assert desk.shown()["state"] == "executing"


class TestAsked:
    """What a person asks for meanwhile."""

    def test_now(self, desk: Timetable) -> None:
        desk.add(when="manual")
        assert desk.shown()["next_at"] is None
        assert schedules.start(desk.house, "nightly")["state"] == "launching"
        with pytest.raises(Exception, match="is under way"):
            schedules.start(desk.house, "nightly")
        desk.look()
        assert desk.open_runs() == [("docs", WAITING)]
        assert desk.told() == [("16 00:00", "started", "executing")]

    def test_an_edit_counts_from_now_on(self, desk: Timetable) -> None:
        desk.add()
        desk.pass_(2.1 * HOUR)
        schedules.edit(desk.house, "nightly", ScheduleChange(("wiki",), "every 2 days at 01:00"))
        assert desk.shown()["next_at"] == "2026-11-17T01:00:00.000Z"
        desk.end()
        assert desk.open_runs() == [("papers", WAITING)], "as it began"
        desk.end()
        desk.pass_(DAY)
        assert desk.open_runs() == [("wiki", WAITING)]
        edited = schedules.edit(desk.house, "nightly", ScheduleChange(overrun=Overrun.QUEUE))
        assert (edited["next_at"] or "").startswith("2026-11-19")

    def test_a_source_that_is_deleted_leaves(self, desk: Timetable) -> None:
        desk.add()
        desk.add("papers", "papers", when="manual")
        desk.pass_(2.1 * HOUR)
        assert schedules.naming(desk.house, "papers") == [
            {"schedule": "nightly", "alone": False}, {"schedule": "papers", "alone": True},
        ]  # fmt: skip
        of_sources.delete(desk.house, "papers")
        assert [each["schedule"] for each in schedules.listed(desk.house)] == ["nightly"]
        assert desk.shown()["sources"] == ["docs"]
        desk.end()
        assert (desk.shown()["state"], desk.open_runs()) == ("scheduled", [])

    @pytest.mark.parametrize(
        ("wanted", "said"),
        [
            (ScheduleChange(), "needs sources"),
            (ScheduleChange(("docs",)), "needs sources and times"),
            (ScheduleChange(("none",), "@daily"), "no source 'none'"),
            (ScheduleChange(("docs",), "0 0 30 2 *"), "would never fire"),
            (ScheduleChange(("docs",), "soon"), "five fields"),
            (ScheduleChange(("docs",), "@daily", "Berlin"), "The time zone of a schedule cannot be 'Berlin'"),
            (ScheduleChange(("docs",), "@daily", "UTC", ("Mon",)), "no window of the week"),
            (ScheduleChange(("docs",), "@daily", "UTC", ("Mon-Fri 20-20",)), "closes as it opens. Write 00-24"),
            (ScheduleChange((), "@daily"), "needs at least one source"),
        ],
    )
    def test_what_cannot_be_is_told(self, desk: Timetable, wanted: ScheduleChange, said: str) -> None:
        with pytest.raises(Exception, match=said):
            schedules.add(desk.house, "nightly", wanted)
        assert schedules.listed(desk.house) == []


@pytest.mark.parametrize("seed", range(6))
def test_each_time_is_done_once_whoever_looks_and_dies(desk: Timetable, seed: int) -> None:
    """Two look by turns, are killed now and then, runs take as long as they take: each time has one row, in order."""
    chance = Random(seed)
    overrun = chance.choice([*Overrun])
    desk.add("nightly", "docs", when="*/10 * * * *", overrun=overrun)
    desk.add("other", "docs", "wiki", when="every 25 minutes", overrun=overrun)
    lookers = [Scheduler(desk.house), Scheduler(desk.house)]
    for _ in range(200):
        desk.clock.at += chance.uniform(5, 100)
        if chance.random() < 0.1:
            lookers[chance.randrange(2)] = Scheduler(desk.house)
        chance.choice(lookers).look()
        under_way = desk.open_runs()
        assert len({name for name, _ in under_way}) == len(under_way), "a source has one run at a time"
        if under_way and chance.random() < 0.2:
            with desk.house.store.begin() as tx:
                runs.change(tx, runs.open_runs(tx)[0].id, state=RunState.FINISHED, lists=True, finished_at=tx.now())
    first, last = at("2026-11-16 00:10"), desk.clock.at - 200
    slots = [row.slot for row in desk.launches() if row.slot <= last]
    assert slots == [first + n * 600 for n in range(len(slots))]
    assert slots[-1] > last - 600
    assert all(row.why is FiringReason.DUE for row in desk.launches())
    busy = [row for row in desk.launches() if row.state in (LaunchState.LAUNCHING, LaunchState.EXECUTING)]
    assert len(busy) <= 1


def test_two_at_once_order_one_run(store: Store, other: Store) -> None:
    with store.begin() as tx:
        number = sources.add(tx, "files", "docs", {"path": "/srv"})
        schedule = rows.add(tx, "nightly", SchedulePlan([number], "@daily", "UTC"), None)
    for turn in range(10):
        with store.begin() as tx:
            schedule_firings.claim(tx, schedule, float(turn), Fired(LaunchState.LAUNCHING, FiringReason.DUE), [number])
            (row,) = schedule_firings.under_way(tx)
        begun = threading.Barrier(2)
        failed: list[BaseException] = []

        def order(at: Store, row: Any = row, begun: threading.Barrier = begun, failed: Any = failed) -> None:
            house: Installation = replace_store(at)
            begun.wait()
            try:
                scheduler.go_on(house, row)
            except BaseException as error:  # noqa: BLE001 - told by the test below
                failed.append(error)

        threads = [threading.Thread(target=order, args=(each,)) for each in (store, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == []
        with store.begin() as tx:
            (run,) = runs.open_runs(tx)
            runs.change(tx, run.id, state=RunState.FINISHED)
            (row,) = schedule_firings.under_way(tx)
            assert row.run == run.id
            schedule_firings.end(tx, row, LaunchState.FINISHED, None)
    with store.read() as tx:
        assert len(runs.every(tx)) == 10


def replace_store(store: Store) -> Any:
    """As much of an installation as ordering a run takes."""
    from types import SimpleNamespace

    return SimpleNamespace(store=store, searchable=False)


def test_who_looked_too_long_ago_orders_nothing(desk: Timetable) -> None:
    desk.add("nightly", "docs")
    desk.clock.at += 2 * HOUR
    desk.scheduler.look()
    (seen,) = desk.launches()
    desk.look()
    desk.end()
    scheduler.go_on(desk.house, seen)
    assert (len(desk.every_run()), desk.open_runs()) == (1, []), "that run has been ordered, and has ended"
