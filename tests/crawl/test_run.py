"""What does a conductor do with a run that somebody takes away?"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest
import sqlalchemy as sa

from cormorant.base.clock import SystemClock
from cormorant.catalog import receivers, sources
from cormorant.crawl.run import Conductor
from cormorant.journal import runs
from cormorant.model.run import Refresh, RunState
from cormorant.receivers import stream
from cormorant.receivers.stream import Entry, Event
from cormorant.store.database import Store, Tx
from cormorant.store.schema import run as run_table
from tests.crawl.samples import web_source
from tests.frontier.samples import admit, pages

LIMIT_S = 20


def stop(tx: Tx, number: int) -> None:
    runs.change(tx, number, state=RunState.STOPPED, reason="begun anew")


def suspend(tx: Tx, number: int) -> None:
    runs.change(tx, number, state=RunState.SUSPENDED)


def delete(tx: Tx, number: int) -> None:
    tx.execute(sa.delete(run_table).where(run_table.c.id == number))


def under_way(store: Store, state: RunState) -> int:
    """A run with a page to fetch that nobody fetches, and an event that nobody delivers."""
    with store.begin() as tx:
        source = sources.add(tx, "web", "docs", {})
        receivers.add(tx, "index", "index", None, {}, 0)
        number = runs.request(tx, source, json.dumps({}), Refresh.ALL, force=False)
        runs.change(tx, number, state=state, generation=sources.next_generation(tx, source))
        admit(tx, *pages(1), source=source)
        stream.append(tx, [Entry(source, 1, number, Event.NEW)])
    return number


@pytest.mark.parametrize("take_away", [stop, suspend, delete])
@pytest.mark.parametrize("state", [RunState.RETRIEVING, RunState.DELIVERING])
def test_a_run_that_is_taken_away_is_let_go(
    store: Store, state: RunState, take_away: Callable[[Tx, int], None]
) -> None:
    number = under_way(store, state)
    with store.read() as tx:
        row = runs.get(tx, number)

    async def work() -> None:
        conducted = asyncio.create_task(Conductor(store, SystemClock(), row, lambda _: web_source()).conduct())
        await asyncio.sleep(0)
        assert not conducted.done()
        with store.begin() as tx:
            take_away(tx, number)
            after = [runs.again(tx, row)]
        async with asyncio.timeout(LIMIT_S):
            await conducted
        with store.read() as tx:
            assert [runs.again(tx, row)] == after, "whoever took it away has the last word"

    asyncio.run(work())
