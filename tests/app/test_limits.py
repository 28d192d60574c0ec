"""Two retrievers keep a run's limits together, and come to them, whatever visits turn out to be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

from cormorant.app.processes import entrypoints
from cormorant.base.profiling import unmeasured
from cormorant.crawl.commit.batch import Batch
from cormorant.crawl.commit.committer import BatchCommitter
from cormorant.crawl.context import WorkerContext
from cormorant.crawl.link_filter import SiteKeys
from cormorant.crawl.resource_guard import DiskGuard
from cormorant.frontier.queue.seen_lookup import Lookup
from cormorant.frontier.queue.seen_urls import SeenUrls
from cormorant.frontier.state.enqueue import SiteNumbers
from cormorant.model.run import Refresh, RunState
from cormorant.store.blobs.local import LocalCache
from cormorant.store.catalog import sources
from cormorant.store.catalog.acls import ACLNumbers
from cormorant.store.db import heartbeats
from cormorant.store.db.database import Store
from cormorant.store.journal import quota_claims, runs
from cormorant.store.journal.quota_claims import QuotaClaim
from cormorant.store.schema import process
from tests.clocks import Hands

MOST = 100


@dataclass
class Retriever:
    """What one retriever process knows of the only run there is; nothing is asked for."""

    name: str
    store: Store
    clock: Hands
    cache: LocalCache
    peers: int = 2
    assignments: entrypoints.RetrieverAssignments = field(init=False)
    dispatch: BatchCommitter = field(init=False)

    def __post_init__(self) -> None:
        means = WorkerContext(
            self.name,
            self.store,
            self.cache,
            SeenUrls(Lookup(self.store)),
            SiteNumbers(),
            ACLNumbers(),
            SiteKeys(),
            unmeasured,
        )
        house: Any = SimpleNamespace(store=self.store, clock=self.clock, folder=Path(), node="here")
        nothing: Any = None
        self.assignments = entrypoints.RetrieverAssignments(
            house, nothing, means, self.peers, DiskGuard((), lambda: 0.0)
        )
        (self.dispatch,) = self.assignments({}).values()

    def look(self) -> None:
        """What it does now and then."""
        self.assignments({1: self.dispatch})

    def may_visit(self) -> bool:
        return self.dispatch.may_visit(self.clock.at)

    def begin(self) -> None:
        """A visit begins, for which there is room."""
        assert self.may_visit()
        self.dispatch.under_way += 1

    def end(self, visits: int) -> None:
        """So many visits that were under way end, and wait to be settled."""
        self.dispatch.under_way -= visits
        self.dispatch.batch.visited += [object()] * visits  # type: ignore[list-item]  # they are only counted

    def settle(self, fetched: int) -> None:
        """What waits is written: so many of the visits have fetched something."""
        counted = replace(self.dispatch.counters, fetched=self.dispatch.counters.fetched + fetched)
        with self.store.begin() as tx:
            runs.count(tx, self.dispatch.order.run, self.name, counted)
        self.dispatch.counters, self.dispatch.batch = counted, Batch()


@pytest.fixture
def run(store: Store) -> int:
    """A run under way that may fetch so many documents."""
    settings = {"start": ["https://a.example/"], "max_documents": MOST}
    with store.begin() as tx:
        source = sources.add(tx, "web", "docs", settings)
        number = runs.request(tx, source, json.dumps(settings), Refresh.ALL, force=False)
        runs.change(tx, number, state=RunState.RETRIEVING, generation=1, started_at=tx.now(), queued_at=None)
        return number


@pytest.fixture
def places(tmp_path: Path) -> Iterator[list[LocalCache]]:
    """Two folders of copies."""
    with ExitStack() as stack:
        made = [LocalCache(tmp_path / name, Hands()) for name in ("ada", "bob")]
        for each in made:
            stack.callback(each.close)
        yield made


@pytest.fixture
def two(store: Store, run: int, places: list[LocalCache]) -> tuple[Retriever, Retriever]:
    """Two that have just begun to work on it."""
    assert run
    clock = Hands()
    return Retriever("ada", store, clock, places[0]), Retriever("bob", store, clock, places[1])


def fetched(store: Store, run: int) -> int:
    with store.read() as tx:
        return runs.counters(tx, run).fetched


def go_on(ada: Retriever, bob: Retriever) -> None:
    """A while passes, in which one asks for nothing more and the other for as much as it may."""
    for _ in range(100):
        ada.clock.at += 0.5
        ada.look()
        bob.look()
        while bob.may_visit():
            bob.settle(1)


def test_what_was_not_there_is_given_back(store: Store, run: int, two: tuple[Retriever, Retriever]) -> None:
    """Thirty visits in one batch, of which twenty are answered 404: those count for nothing once that is written."""
    ada, bob = two
    for _ in range(30):
        ada.begin()
        ada.end(1)
    ada.settle(10)
    go_on(ada, bob)
    assert fetched(store, run) == MOST


def test_a_visit_under_way_is_not_given_back(store: Store, run: int, two: tuple[Retriever, Retriever]) -> None:
    ada, bob = two
    for _ in range(10):
        ada.begin()
    ada.end(9)
    ada.settle(9)
    go_on(ada, bob)
    ada.end(1)
    ada.settle(1)
    assert fetched(store, run) == MOST


def test_who_begins_anew_takes_back_what_the_one_before_it_had_claimed(
    store: Store, run: int, places: list[LocalCache]
) -> None:
    """Also where nothing is left for it: others would wait for what nobody asks for any more."""
    with store.begin() as tx:
        heartbeats.say(tx, "bob", "retriever", 0.0, "here")
        quota_claims.claim(tx, run, "bob", QuotaClaim(MOST, 0))
        quota_claims.claim(tx, run, "ada", QuotaClaim(MOST, 0))
    assert not Retriever("ada", store, Hands(), places[0]).may_visit()
    with store.begin() as tx:
        assert quota_claims.of_others(tx, run, "bob", {"ada", "bob"}) == QuotaClaim(0, 0)


def test_who_was_silent_for_long_reckons_with_what_others_have_claimed_since(
    store: Store, run: int, places: list[LocalCache]
) -> None:
    """A process that was stopped was taken for dead: what it had claimed and not used was for others."""
    ada = Retriever("ada", store, Hands(), places[0], peers=1)
    assert ada.may_visit()
    with store.begin() as tx:
        tx.execute(sa.update(process).values(seen_at=process.c.seen_at - heartbeats.ALIVE_S))
        heartbeats.say(tx, "bob", "retriever", 0.0, "here")
        quota_claims.claim(tx, run, "bob", QuotaClaim(MOST, 0))
    ada.clock.at += heartbeats.ALIVE_S + 1
    assert not ada.may_visit(), "it does not know yet what others have left"
    ada.look()
    assert not ada.may_visit()
