"""What a program is told once of how long a run will still take: as much as is known, and null for the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cormorant.model.run import RunState
from cormorant.operate.installation import Installation
from cormorant.operate.runs import eta_summary
from cormorant.operate.runs.eta import TAIL_S
from cormorant.operate.runs.eta_summary import LATE_S
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.catalog import receivers
from cormorant.store.journal import progress_samples, runs
from cormorant.store.journal.progress_samples import ProgressSample
from tests.journeys.home import Home
from tests.operate.runs.test_live import HOSTS, fails, retrieving


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    """An installation with a run of two sites that are asked every second."""
    starts = [f"https://{host}/" for host in HOSTS]
    with retrieving(Home(tmp_path / "data"), {"start": starts, "delay_s": 1}, *starts) as house:
        yield house


def goes(house: Installation, per_s: float = 10.0, late_s: float = 0.0, finds: float = 0.0) -> None:
    """For twenty seconds the run has fetched so much; another sample is late by so much."""
    with house.store.begin() as tx:
        began = tx.now() - late_s - 20.0
        samples = [
            ProgressSample(began + t, int(per_s * t), int(1000 - per_s * t + finds * t)) for t in range(0, 21, 2)
        ]
        progress_samples.keep(tx, 1, began + 20.0, 0.1, samples)


def test_a_run_that_goes_steadily_is_foreseen(house: Installation) -> None:
    goes(house, 2.0)
    found: Mapping[str, Any] = eta_summary.shown(house)
    assert (found["eta_s"]["least"], found["eta_s"]["most"]) == (pytest.approx(432, 0.01), pytest.approx(490, 0.01))
    assert found["bottleneck"] == "politeness: 2 hosts, a request every 1 s each"


def test_where_more_is_found_than_visited_there_is_no_end_yet(house: Installation) -> None:
    goes(house, finds=20.0)
    found: Mapping[str, Any] = eta_summary.shown(house)
    assert found["eta_s"] == {"least": pytest.approx(108, 0.01), "most": None}


@pytest.mark.parametrize("late_s", [LATE_S + 1.0, -60.0, None])
def test_without_samples_of_now_nothing_is_said(house: Installation, late_s: float | None) -> None:
    if late_s is not None:
        goes(house, late_s=late_s)
    found: Mapping[str, Any] = eta_summary.shown(house)
    assert (found["eta_s"], found["bottleneck"]) == (None, None)


def test_what_waits_says_for_whom_and_not_how_long(house: Installation) -> None:
    goes(house)
    for host in HOSTS:
        fails(house, host, rests_s=100.0)
    found: Mapping[str, Any] = eta_summary.shown(house)
    assert (found["eta_s"], found["bottleneck"]) == (None, "servers that do not answer")


def test_a_run_that_delivers_says_what_waits(house: Installation) -> None:
    goes(house)
    with house.store.begin() as tx:
        runs.change(tx, 1, state=RunState.DELIVERING)
    found: Mapping[str, Any] = eta_summary.shown(house)
    assert found["eta_s"] is None
    assert found["bottleneck"].startswith("deliveries: ")


def test_how_long_it_will_still_deliver(house: Installation) -> None:
    with house.store.begin() as tx:
        runs.change(tx, 1, state=RunState.DELIVERING)
        stream.append(tx, [NewEvent(1, 1, 1, Event.CHANGED)] * 500)
        receivers.add(tx, "jsonlines", "slow", None, {}, 0)
        receivers.set_place(tx, receivers.index(tx), stream.head(tx))
        began = tx.now() - 20.0
        samples = [ProgressSample(began + t, 100, 0, 10 * t, 400 - 10 * t) for t in range(0, 21, 2)]
        progress_samples.keep(tx, 1, began + 20.0, 0.1, samples)
    found: Mapping[str, Any] = eta_summary.shown(house)
    assert found["eta_s"] == {"least": pytest.approx(18.0), "most": pytest.approx(20 + TAIL_S)}
    assert found["bottleneck"] == "deliveries: 500 wait for the receiver 'slow'"


@pytest.mark.parametrize("state", [RunState.FINISHED, RunState.SUSPENDED, RunState.STOPPED])
def test_a_run_that_is_not_under_way_has_what_was_said_at_its_end(house: Installation, state: RunState) -> None:
    goes(house)
    with house.store.begin() as tx:
        runs.change(tx, 1, state=state, bottleneck="the retrievers")
    found: Mapping[str, Any] = eta_summary.shown(house)
    assert (found["eta_s"], found["bottleneck"]) == (None, "the retrievers")
