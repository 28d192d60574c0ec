"""How are rows adapted to their run, and what becomes of them when it is over?"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cormorant.base.clock import SystemClock
from cormorant.base.profiling import unmeasured
from cormorant.crawl.commit.committer import BatchCommitter
from cormorant.crawl.context import WorkerContext
from cormorant.crawl.link_filter import SiteKeys
from cormorant.crawl.resource_guard import DiskGuard
from cormorant.crawl.worker.housekeeping import Housekeeper, WorkerConfig, plan_of
from cormorant.frontier.queue.seen_lookup import Lookup
from cormorant.frontier.queue.seen_urls import SeenUrls
from cormorant.frontier.queue.workbench import VisitTask
from cormorant.frontier.state.enqueue import Admission, SiteNumbers
from cormorant.model.run import Counters
from cormorant.sources.web.source import WebSource
from cormorant.store.blobs.local import LocalCache
from cormorant.store.catalog.acls import ACLNumbers
from cormorant.store.db.database import Store
from cormorant.store.journal.quota_claims import QuotaClaim
from tests.clocks import HANG_S
from tests.crawl.samples import INDEXED, OLD_BODY, OLD_TEXT, RUN, SOURCE, web_source
from tests.frontier.samples import admitted, pages

ROOM = DiskGuard((), lambda: 0.0)
BARE = INDEXED._replace(etag="", modified="", content_hash=b"")


@pytest.mark.parametrize(
    ("forced", "whole", "want"),
    [
        (False, False, INDEXED),
        (False, True, BARE),
        (True, False, BARE._replace(text_hash=b"", before=OLD_TEXT)),
        (True, True, BARE._replace(text_hash=b"", before=OLD_TEXT)),
    ],
)
def test_a_row_forgets_what_its_run_may_not_rely_on(forced: bool, whole: bool, want: object) -> None:
    assert (INDEXED.content_hash, INDEXED.text_hash) == (OLD_BODY, OLD_TEXT)
    run: Any = SimpleNamespace(order=Admission(SOURCE, 4, RUN, forced, whole), source=web_source())
    plan = plan_of({SOURCE: run})
    assert plan.generations == {SOURCE: 4}
    assert plan.prepare(INDEXED) == want


@pytest.mark.parametrize(
    ("most", "visited", "under_way", "want"),
    [(None, 3, 0, False), (10, 4, 0, False), (10, 5, 0, True), (10, 4, 1, False), (10, 0, 5, False)],
)
def test_a_run_at_its_share_of_a_limit_is_settled_at_once(
    tmp_path: Path, store: Store, most: int | None, visited: int, under_way: int, want: bool
) -> None:
    means = means_at(store, tmp_path)
    dispatch = BatchCommitter(web_source(), Admission(SOURCE, 1, RUN), means, Counters())
    dispatch.allowance.documents.set(most)
    dispatch.allowance.share(QuotaClaim(), peers=2, more=True)
    dispatch.under_way = under_way
    nobody: Any = None
    dispatch.batch.visited.extend([nobody] * visited)

    async def work() -> bool:
        crew = WorkerConfig(means, nobody, SystemClock(), Orders(), width=2, most=4, tidy=lambda: None, room=ROOM)
        tending = Housekeeper(crew, lambda: None)
        tending.runs = {SOURCE: dispatch}
        return tending.limited()

    assert asyncio.run(work()) is want


def means_at(store: Store, folder: Path) -> WorkerContext:
    """The context of a retriever, with its cache in this folder."""
    cache = LocalCache(folder, SystemClock())
    return WorkerContext(
        "ada", store, cache, SeenUrls(Lookup(store)), SiteNumbers(), ACLNumbers(), SiteKeys(), unmeasured
    )


class Orders:
    """Returns the open runs that were set last."""

    peers = 1

    def __init__(self) -> None:
        self.runs: dict[int, BatchCommitter] = {}

    def __call__(self, current: Mapping[int, BatchCommitter]) -> dict[int, BatchCommitter]:
        return self.runs


@pytest.mark.parametrize("seen_between", [False, True])
def test_a_new_run_visits_what_was_under_way_when_the_one_before_was_stopped(
    store: Store, tmp_path: Path, seen_between: bool
) -> None:
    admitted(store, *pages(2), source=SOURCE)
    clock, orders = SystemClock(), Orders()
    means = means_at(store, tmp_path)
    nobody: Any = None

    def begin(generation: int) -> None:
        order = Admission(SOURCE, generation, RUN + generation)
        orders.runs = {SOURCE: BatchCommitter(web_source(), order, means, Counters())}

    async def work() -> None:
        tending = Housekeeper(
            WorkerConfig(means, nobody, clock, orders, width=2, most=4, tidy=lambda: None, room=ROOM), lambda: None
        )

        async def visit_next() -> VisitTask:
            async with asyncio.timeout(HANG_S):
                waiting = asyncio.create_task(tending.line.take())
                while not waiting.done():
                    tending.tend()
                    await asyncio.sleep(0.01)
            return await waiting

        begin(1)
        under_way = await visit_next()
        if seen_between:
            orders.runs = {}
            tending.tend()
        begin(2)
        tending.tend()
        tending.desk.done(under_way)  # what it brought is of the run that is over: nobody settles it
        visited = set()
        for _ in pages(2):
            task = await visit_next()
            visited.add(task.resource.address)
            tending.desk.done(task)
        assert visited == set(pages(2))

    asyncio.run(work())


def test_a_source_without_a_site_gets_one_though_every_slot_is_busy(store: Store, tmp_path: Path) -> None:
    large, small = web_source(), WebSource(SOURCE + 1, web_source().settings, None, SystemClock())
    admitted(store, *(f"https://h{number}.example/" for number in range(100)), source=large.number)
    admitted(store, *pages(2), source=small.number)
    means, orders = means_at(store, tmp_path), Orders()
    nobody: Any = None

    def begin(*several: WebSource) -> None:
        orders.runs = {
            each.number: BatchCommitter(each, Admission(each.number, 1, RUN), means, Counters()) for each in several
        }

    async def work() -> None:
        crew = WorkerConfig(means, nobody, SystemClock(), orders, width=2, most=4, tidy=lambda: None, room=ROOM)
        tending = Housekeeper(crew, lambda: None)
        begin(large)
        tending.tend()  # nobody waits for a visit
        before = set(tending.desk.sites)
        assert 0 < len(before) < 100
        begin(large, small)
        tending._supplied_at = 0.0
        tending.tend()
        assert {site.key for number, site in tending.desk.sites.items() if number not in before} == {"a.example"}

    asyncio.run(work())
