"""A listing that never goes on, beside other runs of the same process, on every store."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from threading import Event

import pytest
import sqlalchemy as sa

from cormorant.base.clock import SystemClock
from cormorant.base.errors import Unreachable
from cormorant.crawl.discover import timed_iteration
from cormorant.crawl.discover.discovery import Intake
from cormorant.crawl.discover.timed_iteration import drawn
from cormorant.crawl.resource_guard import DiskGuard
from cormorant.crawl.run import completion
from cormorant.crawl.run.controller import RunController
from cormorant.frontier.staging import pending_deletes
from cormorant.frontier.state import writes
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl, Removal, UrlState
from cormorant.model.run import Refresh, RunState
from cormorant.sources.protocol import Discovery
from cormorant.sources.web.source import WebSource
from cormorant.store.catalog import sources
from cormorant.store.db.database import Store, Tx
from cormorant.store.journal import runs
from cormorant.store.schema import resource
from tests.clocks import HANG_S
from tests.crawl.samples import web_source
from tests.frontier.samples import a_content, numbers, pages

ROOM = DiskGuard((), lambda: 0.0)
STEP_S = 1.0


class Share(WebSource):
    """A folder whose server is gone after the first batch: whoever looks on is kept until the test has ended."""

    discovery = Discovery.LISTING

    def __init__(self, number: int, gone: Event | None, *files: str) -> None:
        web = web_source()
        super().__init__(number, web.settings, None, web._clock)
        self._gone, self._files = gone, files

    def discover(self, cursor: str) -> Iterator[Sequence[DiscoveredUrl | Removal]]:
        """Name the files, and hang."""
        self.next_cursor = cursor
        yield [DiscoveredUrl(each, "a.example", how=DiscoveredBy.LISTING, validator="1") for each in self._files]
        if self._gone is not None:
            self._gone.wait(HANG_S)


@pytest.fixture
def gone() -> Iterator[Event]:
    """Set when the test has ended."""
    event = Event()
    yield event
    event.set()


def ordered(store: Store, name: str) -> tuple[int, runs.RunRow]:
    """A source and its run."""
    with store.begin() as tx:
        source = sources.add(tx, "web", name, {})
        return source, begun(tx, source)


def begun(tx: Tx, source: int) -> runs.RunRow:
    """A run of it whose turn it is."""
    number = runs.request(tx, source, "{}", Refresh.ALL, force=False)
    assert runs.give_turn(tx, runs.get(tx, number))
    return runs.get(tx, number)


def kept(store: Store, source: int) -> None:
    """All that is known is a document that search finds."""
    with store.begin() as tx:
        values = {"state": int(UrlState.SETTLED), "outcome": int(OutcomeKind.OK), "status": 200, "visited_at": 1.0}
        tx.execute(sa.update(resource).values(values))
        writes.contents(tx, [a_content(each, source) for each in numbers(tx).values()])


def test_a_listing_that_hangs_keeps_no_other_run(store: Store, gone: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed_iteration, "STEP_S", STEP_S)
    monkeypatch.setattr(completion, "TICK_S", 0.01)
    share, first = ordered(store, "share")

    async def conducted(source: WebSource, row: runs.RunRow) -> float:
        async with asyncio.timeout(HANG_S):
            await RunController(store, SystemClock(), row, lambda _: source, ROOM).conduct()
        return time.monotonic()

    asyncio.run(Intake(store, Share(share, None, *pages(10)), first).take_in())
    kept(store, share)
    with store.begin() as tx:
        runs.change(tx, first.id, state=RunState.FINISHED)
    with store.begin() as tx:
        assert pending_deletes.indexed_count(tx, share) == 10
        hanging = begun(tx, share)
    web, beside = ordered(store, "web")

    async def together() -> list[float]:
        both = conducted(Share(share, gone, *pages(1)), hanging), conducted(Share(web, None), beside)
        return list(await asyncio.gather(*both))

    late, soon = asyncio.run(together())
    assert soon < late, "the other one went through all its states meanwhile"
    with store.read() as tx:
        ends = [runs.get(tx, each.id) for each in (hanging, beside)]
        assert [each.state for each in ends] == [RunState.FAILED, RunState.FINISHED]
        assert (ends[0].error, ends[0].reason) == (
            "unreachable", "The listing did not continue for 1 seconds. Check the disk, or the server of the share.",
        )  # fmt: skip
        assert pending_deletes.indexed_count(tx, share) == 10
        assert not pending_deletes.everything(tx)


def test_what_a_discovery_raises_is_raised_and_what_it_has_comes_in_order() -> None:
    got: list[int] = []

    def batches() -> Iterator[int]:
        for each in range(3):
            got.append(each)
            yield each
        raise Unreachable("It is away.")

    async def draw() -> list[int]:
        return [each async for each in drawn(batches())]

    with pytest.raises(Unreachable, match="It is away"):
        asyncio.run(draw())
    assert got == [0, 1, 2]
