"""When the log of a run may end."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest
import sqlalchemy as sa

from cormorant.app.logs import run_log_summary
from cormorant.base.clock import SystemClock
from cormorant.model.run import Refresh, RunState
from cormorant.store.catalog import sources
from cormorant.store.db.database import Store
from cormorant.store.journal import runs
from cormorant.store.schema import site
from tests.frontier.samples import admitted, pages


async def waits(store: Store, row: runs.RunRow, limit_s: float = 0.3) -> bool:
    """Is the end still waited for after a while?"""
    house: Any = SimpleNamespace(store=store, clock=SystemClock())
    waited = asyncio.create_task(run_log_summary.settled(house, row))
    await asyncio.wait([waited], timeout=limit_s)
    late = not waited.done()
    waited.cancel()
    return late


def test_it_is_waited_for_visits_that_were_under_way_when_a_run_was_ended(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_log_summary, "LOOK_S", 0.01)
    with store.begin() as tx:
        source = sources.add(tx, "web", "docs", {})
        row = runs.get(tx, runs.request(tx, source, "{}", Refresh.ALL, force=False))
    admitted(store, *pages(1), source=source)
    found = []
    for state, owner in (
        (RunState.STOPPED, "ada"), (RunState.SUSPENDED, "ada"), (RunState.FINISHED, "ada"), (RunState.STOPPED, None),
    ):  # fmt: skip
        with store.begin() as tx:
            runs.change(tx, row.id, state=state)
            tx.execute(sa.update(site).values(owner=owner, lease_until=tx.now() + 30.0))
        found.append(asyncio.run(waits(store, row)))
    assert found == [True, True, False, False]
    with store.begin() as tx:
        tx.execute(sa.update(site).values(owner="ada", lease_until=tx.now() - 1.0))
    assert not asyncio.run(waits(store, row)), "who had it is gone"
    with store.begin() as tx:
        tx.execute(sa.update(site).values(lease_until=tx.now() + 30.0))
    monkeypatch.setattr(run_log_summary, "SETTLED_S", 0.05)
    assert not asyncio.run(waits(store, row, 10.0)), "no longer than a while"


def test_the_log_of_a_run_ends_whatever_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> NoReturn:
        raise OSError("no space left")

    left: list[int] = []
    monkeypatch.setattr("cormorant.app.logs.run_log_summary.start.report", lambda *_: {})
    monkeypatch.setattr("cormorant.app.logs.run_log_summary.run_report.keep", fails)
    monkeypatch.setattr("cormorant.app.logs.run_log_summary.process_log.leave", left.append)
    house: Any = SimpleNamespace()
    with pytest.raises(OSError, match="no space"):
        run_log_summary.end(house, 7)
    assert left == [7]
