"""Sources that notice changes: when a run is ordered, and when not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.processes import change_watch
from cormorant.app.processes.change_watch import ChangeWatch
from cormorant.app.settings import InstallationSettings
from cormorant.base.clock import SystemClock, pause
from cormorant.model.run import RunState
from cormorant.net.egress.guard import Egress
from cormorant.operate.installation import Installation
from cormorant.operate.sources import push, sources
from cormorant.store.journal import runs

HANG_S = 30.0


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installation]:
    monkeypatch.setattr(change_watch, "DEBOUNCE_S", 0.05)
    monkeypatch.setattr(change_watch, "LOOK_S", 0.05)
    monkeypatch.setattr(change_watch, "WAIT_S", 0.05)
    with opened(BuildPlan(tmp_path / "data", InstallationSettings()), new=True) as made:
        sources.add(made, "push", "desk", {})
        yield made


def ordered(house: Installation) -> int:
    with house.store.read() as tx:
        return len(runs.every(tx))


def end_runs(house: Installation, **values: object) -> None:
    """Have the open run come to its end, and the source have read everything."""
    with house.store.begin() as tx:
        for row in runs.open_runs(tx):
            now = tx.now()
            runs.change(tx, row.id, state=RunState.FINISHED, started_at=now, finished_at=now, **values)


def watch_until(house: Installation, watch: ChangeWatch, count: int, seconds: float = HANG_S) -> int:
    """Look until so many runs were ordered, or the time is over."""

    async def look() -> None:
        until = SystemClock().monotonic() + seconds
        while ordered(house) < count and SystemClock().monotonic() < until:
            await watch.look()
            await asyncio.sleep(0.02)

    asyncio.run(look())
    return ordered(house)


@pytest.fixture
def watch(house: Installation) -> Iterator[ChangeWatch]:
    made = ChangeWatch(house, lambda: Egress(SystemClock()))
    yield made
    asyncio.run(made.close())


def pushed(house: Installation, text: str) -> None:
    push.accept(house, "desk", f'{{"items": [{{"id": "1", "content": "{text}"}}]}}'.encode())


def test_one_run_is_ordered_for_what_changed_and_one_more_for_the_rest(house: Installation, watch: ChangeWatch) -> None:
    assert watch_until(house, watch, 1, 0.3) == 0
    pushed(house, "a")
    assert watch_until(house, watch, 1) == 1
    for text in "bcd":
        pushed(house, text)
        assert watch_until(house, watch, 2, 0.2) == 1, "at most one run of a source is open"
    end_runs(house)
    assert watch_until(house, watch, 2) == 2
    end_runs(house)
    assert watch_until(house, watch, 3, 0.3) == 2, "what was ordered for is not ordered again"


def test_a_held_or_suspended_run_is_left_alone(house: Installation, watch: ChangeWatch) -> None:
    pushed(house, "a")
    assert watch_until(house, watch, 1) == 1
    with house.store.begin() as tx:
        (row,) = runs.open_runs(tx)
        runs.change(tx, row.id, state=RunState.SUSPENDED)
    pushed(house, "b")
    watch_until(house, watch, 2, 0.3)
    with house.store.read() as tx:
        assert [each.state for each in runs.every(tx)] == [RunState.SUSPENDED]


def test_settings_begin_and_end_it(house: Installation, watch: ChangeWatch) -> None:
    sources.edit(house, "desk", {"watch": "false"})
    pushed(house, "a")
    assert watch_until(house, watch, 1, 0.3) == 0
    sources.edit(house, "desk", {"watch": "true"})
    assert watch_until(house, watch, 1) == 1
    end_runs(house)
    sources.delete(house, "desk")
    assert watch_until(house, watch, 1, 0.2) == 0
    assert watch._watchers == {}


def test_a_source_that_cannot_be_watched_rests_and_the_others_go_on(
    house: Installation, watch: ChangeWatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sources.add(house, "files", "away", {"path": str(tmp_path / "away"), "watch": "true"})
    pushed(house, "a")
    assert watch_until(house, watch, 1) == 1
    while "watch failed" not in caplog.text:
        watch_until(house, watch, 2, 0.1)
    assert caplog.text.count("watch failed") == 1
    watch_until(house, watch, 2, 0.3)
    assert caplog.text.count("watch failed") == 1


def test_after_a_run_a_source_rests_as_long_as_it_took(house: Installation, watch: ChangeWatch) -> None:
    pushed(house, "a")
    assert watch_until(house, watch, 1) == 1
    with house.store.begin() as tx:
        (row,) = runs.open_runs(tx)
        now = tx.now()
        runs.change(tx, row.id, state=RunState.FINISHED, started_at=now - 1, finished_at=now)
    pushed(house, "b")
    assert watch_until(house, watch, 2, 0.3) == 1
    pause(0.7)
    assert watch_until(house, watch, 2) == 2
