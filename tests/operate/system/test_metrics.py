"""The figures for a monitor: right, whatever the installation has been through, and cheap."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.base import metrics
from cormorant.base.metrics import EVERY, Metric
from cormorant.model.run import Counters, Refresh, RunState
from cormorant.operate.installation import Installation
from cormorant.operate.runs import schedules
from cormorant.operate.runs.schedules import ScheduleChange
from cormorant.operate.system import metrics as metric_values, status
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.catalog import receivers, rejected_deliveries, sources
from cormorant.store.db import bulk, heartbeats
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs
from cormorant.store.schema import query

ADDRESS = "http://hosts.example/secret?page=7"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    with opened(BuildPlan(tmp_path / "data", InstallationSettings()), new=True) as made:
        yield made


def ran(tx: Tx, source: int, state: RunState = RunState.FINISHED, at: float = 100.0, **counted: int) -> int:
    """A run of a source that ended then."""
    number = runs.request(tx, source, "{}", Refresh.ALL, force=False)
    done = {"state": state, "complete": state is RunState.FINISHED, "started_at": at - 10.0, "finished_at": at}
    runs.change(tx, number, **done)
    runs.count(tx, number, "retriever-1@here", Counters(**counted))
    return number


def told(house: Installation, documents: int | None = None) -> dict[tuple[str, tuple[str, ...]], float]:
    return {(each.metric.name, each.labels): each.value for each in metric_values.samples(house, documents)}


def of(found: dict[tuple[str, tuple[str, ...]], float], metric: Metric, *labels: str) -> float | None:
    return found.get((metric.name, labels))


def test_a_new_installation_has_figures(house: Installation) -> None:
    found = told(house, 0)
    assert of(found, metrics.SOURCES) == 0
    assert of(found, metrics.PROCESSES, "conductor") == 0
    assert (of(found, metrics.DISK_FREE, "data") or 0) > 0
    assert of(found, metrics.BACKLOG, "index") == 0


def test_every_figure_comes_about(house: Installation) -> None:
    with house.store.begin() as tx:
        docs, wiki, _ = (sources.add(tx, "web", name, {"start": [ADDRESS]}) for name in ("docs", "wiki", "new"))
        ran(tx, docs, at=100.0, fetched=7, requests=9, requests_conditional=3, bytes=500, conversions=1, new=4)
        ran(tx, docs, RunState.FAILED, at=200.0, fetched=2, failed=1)
        waiting = ran(tx, wiki, RunState.HELD, at=300.0)
        runs.change(tx, waiting, waits_since=250.0, finished_at=None)
        heartbeats.say(tx, "conductor@here", "conductor", 0.0)
        stream.append(tx, [NewEvent(docs, 5, 1, Event.DELETED, ADDRESS)] * 3)
        tx.driver("UPDATE stream SET at = 90")
        index = receivers.named(tx, "index").id
        rejected_deliveries.note(
            tx, index, [rejected_deliveries.RejectedDelivery(5, docs, 1, 1, int(Event.NEW), ADDRESS, "No room.")]
        )
        bulk.insert(tx, query, _QUERY, [_asked()])
    schedules.add(house, "nightly", ScheduleChange(("docs",), "0 2 * * *", "UTC"))
    found = told(house, 29)
    assert {name for name, _ in found} == {each.name for each in EVERY}
    assert of(found, metrics.LAST_GOOD, "docs") == 100.0
    assert of(found, metrics.LAST_GOOD, "wiki") == 0
    assert of(found, metrics.LAST_GOOD, "new") == 0, "one that never ran had no good run"
    assert of(found, metrics.RUN_STATE, "docs", "failed") == 1
    assert of(found, metrics.RUN_STATE, "docs", "finished") is None
    assert of(found, metrics.RUN_WAITS, "wiki") == 250.0
    assert of(found, metrics.RUN_FETCHED, "docs") == 2, "of the newest run"
    assert of(found, metrics.RUN_DOCUMENTS, "docs", "failed") == 1
    assert of(found, metrics.BACKLOG, "index") == 3
    assert of(found, metrics.UNDELIVERED, "index") == 90.0
    assert of(found, metrics.PROCESSES, "conductor") == 1
    assert of(found, metrics.SCHEDULE_STATE, "nightly", "scheduled") == 1
    assert of(found, metrics.SEARCHES) == 1
    assert of(found, metrics.FAULTY, "index") == 1
    assert of(found, metrics.DOCUMENTS) == 29
    assert "hosts.example" not in metrics.text(metric_values.samples(house)), "no address, and no host"


_QUERY = (
    "at", "token", "text", "words", "understood", "total", "took_ms", "page", "who", "sources", "face",
)  # fmt: skip


def _asked() -> tuple[object, ...]:
    return (1.0, "t", ADDRESS, "w", "w", 1, 2.0, 1, "anonymous", json.dumps([]), "page")


def test_the_last_good_run_is_the_one_that_status_tells_of(house: Installation) -> None:
    with house.store.begin() as tx:
        docs = sources.add(tx, "web", "docs", {"start": [ADDRESS]})
        good = ran(tx, docs, at=50.0, fetched=1, requests=1, new=1)
        for n in range(12):
            ran(tx, docs, RunState.FAILED, at=100.0 + n)
    assert of(told(house), metrics.LAST_GOOD, "docs") == 50.0
    assert status.status(house)["sources"][0]["last_good_run"] == good


def test_they_cost_no_look_at_every_row(house: Installation) -> None:
    """Whatever is asked is found by an index, or in a table of what an administrator made."""
    with house.store.begin() as tx:
        docs = sources.add(tx, "web", "docs", {"start": [ADDRESS]})
        ran(tx, docs)
    small = {"source", "receiver", "schedule", "process", "stream_head", "parameters", "anon_1"}  # the last: LIMIT
    asked: list[str] = []
    engine = house.store._engine
    sa.event.listen(engine, "before_cursor_execute", lambda *given: asked.append(str(given[2])))
    metric_values.samples(house)
    selects = {each for each in asked if each.lstrip().upper().startswith("SELECT")}
    assert len(selects) > 8
    with house.store.read() as tx:
        for statement in selects:
            plan = tx.driver(f"EXPLAIN QUERY PLAN {statement}", tuple(1 for _ in range(statement.count("?"))))
            steps = [str(row.detail) for row in plan]
            scanned = {step.split()[1] for step in steps if step.startswith("SCAN")}
            assert scanned <= small, (statement, scanned)
