"""An installation whose clock is set by hand, and somebody who looks at its schedules as `serve` would."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.model.run import RunState
from cormorant.operate.installation import Installation
from cormorant.operate.runs import schedules
from cormorant.operate.runs.scheduler import Scheduler
from cormorant.operate.runs.schedules import ScheduleChange
from cormorant.store.catalog import schedules as rows, sources
from cormorant.store.db.database import Store
from cormorant.store.journal import runs, schedule_firings
from cormorant.store.journal.runs import RunRow
from cormorant.store.journal.schedule_firings import LaunchRow
from tests.clocks import Hands

HOUR, DAY = 3600.0, 86_400.0
SOURCES = ("docs", "papers", "wiki")


def at(text: str) -> float:
    """A moment in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@dataclass
class Timetable:
    """Sources `docs`, `papers` and `wiki`; it is Monday, the 16th of November 2026, 00:00 in UTC."""

    house: Installation
    clock: Hands
    scheduler: Scheduler = field(init=False)

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Whoever looks is killed, and another one comes."""
        self.scheduler = Scheduler(self.house)

    def add(self, name: str = "nightly", *names: str, when: str = "0 2 * * *", **more: Any) -> None:
        """Add a schedule in UTC, of `docs` and `papers`."""
        schedules.add(self.house, name, ScheduleChange(names or ("docs", "papers"), when, "UTC", **more))

    def pass_(self, seconds: float, step: float = 1800.0) -> None:
        """Let time pass, with a look every so many seconds, and whenever a schedule fires."""
        end = self.clock.at + seconds
        while self.clock.at < end:
            with self.house.store.read() as tx:
                due = [row.next_at for row in rows.every(tx) if row.next_at and row.next_at > self.clock.at]
            self.clock.at = min(self.clock.at + step, end, *due)
            self.scheduler.look()
        self.look()

    def look(self, times: int = 3) -> None:
        """Look, as often as it takes to have all done that can be."""
        for _ in range(times):
            self.scheduler.look()

    def open_runs(self) -> list[tuple[str, RunState]]:
        """The runs that somebody would carry out now, and how far each is."""
        with self.house.store.read() as tx:
            names = {each.id: each.name for each in sources.every(tx)}
            return [(names[row.source_id], row.state) for row in runs.open_runs(tx)]

    def run(self) -> RunRow:
        """The newest run."""
        with self.house.store.read() as tx:
            return runs.get(tx)

    def every_run(self) -> list[RunRow]:
        """All runs, the oldest first."""
        with self.house.store.read() as tx:
            return runs.every(tx)[::-1]

    def end(self, state: RunState = RunState.FINISHED, reason: str | None = None) -> None:
        """The run under way ends so."""
        with self.house.store.begin() as tx:
            values = {"state": state, "reason": reason, "lists": True, "complete": True, "finished_at": tx.now()}
            runs.change(tx, runs.open_runs(tx)[0].id, **values)
        self.look()

    def launches(self) -> list[LaunchRow]:
        """What became of the times of `nightly`, the oldest first."""
        with self.house.store.read() as tx:
            return schedule_firings.of_schedule(tx, 1)[::-1]

    def told(self) -> list[tuple[str, str, str]]:
        """The same for a person: for when, why, what became of it."""
        return [
            (datetime.fromtimestamp(row.slot, UTC).strftime("%d %H:%M"), row.why.value, row.state.value)
            for row in self.launches()
        ]

    def shown(self, name: str = "nightly") -> Mapping[str, Any]:
        """What is shown of a schedule."""
        return schedules.shown(self.house, name)


@contextmanager
def timetable(folder: Path) -> Iterator[Timetable]:
    """One in a folder, for the length of a block."""
    with opened(BuildPlan(folder / "data", InstallationSettings(index="none")), new=True) as house:
        (folder / "papers").mkdir()
        clock = Hands(at("2026-11-16"))
        store = Store.open(house.store.url, clock)
        with store.begin() as tx:
            for name in SOURCES:
                sources.add(tx, "files", name, {"path": str(folder / "papers")})
        yield Timetable(replace(house, store=store, clock=clock), clock)
        store.close()
