"""One batch of visits becomes durable: blobs to the cache first, then one transaction that checks the sites' epochs.

    add (screen links, pack) ... -> settle: cache.keep -> BEGIN -> renew leases -> rows -> stream -> counts -> COMMIT

Steps before the transaction may be repeated; a crash costs a visit, not a document.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from cormorant.base.clock import jitter
from cormorant.crawl import url_rewriting
from cormorant.crawl.commit import (
    batch as batch_rows,
    counters as run_counters,
    discovered_links,
    members,
    modes,
    moved_files,
    persist,
)
from cormorant.crawl.commit.batch import Batch, Visited
from cormorant.crawl.commit.discovered_links import PartialSitemaps, sifted
from cormorant.crawl.commit.mass_change_guard import MassChangeGuard
from cormorant.crawl.commit.quota import Allowance
from cormorant.crawl.commit.takedowns import TakedownWatch
from cormorant.crawl.visit.search_attributes import unannounced
from cormorant.frontier.policy.transition import VisitConditions, fate
from cormorant.frontier.queue import refill
from cormorant.frontier.state import enqueue, host_facts
from cormorant.model.resource import Role
from cormorant.model.run import Counters
from cormorant.sources.protocol import Discovery, Source
from cormorant.store.catalog import attributes
from cormorant.store.journal import runs, visits

if TYPE_CHECKING:
    from cormorant.crawl.context import WorkerContext
    from cormorant.crawl.visit.visit import VisitResult
    from cormorant.store.blobs.protocol import BlobPlace


class BatchCommitter:
    """Writes the results of visits of one run; a retriever has one committer for each run that it works on."""

    def __init__(self, source: Source, order: enqueue.Admission, means: WorkerContext, counters: Counters) -> None:
        self.source, self.order, self._means = source, order, means
        self.batch, self.arrived, self.reordered = Batch(), frozenset[int](), set[int]()
        self.under_way, self.allowance = 0, Allowance()
        self._sitemaps = PartialSitemaps(order, means)
        self.counters, self._lists = counters, source.discovery is not Discovery.SEEDS
        self._swallowing = MassChangeGuard(means.cache)
        self.takedowns = TakedownWatch(source.number)
        self._refused: list[BlobPlace] = []
        self._listed = set[str]()
        self._announced, self._announcing = set[str](), set[str]()
        with means.store.read() as tx:
            self.takedowns.look(tx)

    def may_visit(self, now: float) -> bool:
        """Return whether the run's limits leave room for one more document now (monotonic seconds)."""
        self.allowance.reckon(self.counters, self.batch, self.under_way)
        return self.allowance.ask_room(self.under_way, now)

    def add(self, report: VisitResult) -> None:
        """Add a visit to the batch: decide its row update, screen its links, encode its document."""
        means, resource, settings = self._means, report.task.resource, self.source.settings
        report, level = modes.read(report, self.order.mode), settings.level(resource.address)
        at = VisitConditions(self.order.generation, self._lists, report.at, jitter(0.1), settings.errors, level)
        with means.steps("gates"):
            report = report._replace(outcome=url_rewriting.named(report.outcome, self.source.rename))
            found = discovered_links.of_visit(self.source, self.order, self.batch, report, means)
        visited = Visited(report, fate(resource, report.outcome, at))
        self._sitemaps.add(self.batch, self.source, visited, found)
        discovered_links.note(visited, report.outcome, found)
        if resource.role is Role.DOCUMENT:
            self.allowance.note(report.wire.received)

    def settle(self) -> set[int]:
        """Write the batch, or nothing and raise; returns the sites whose lease, and so whose visits, were lost."""
        means, batch, counters = self._means, self.batch, replace(self.counters)
        try:
            lost, put_right = self._settle(batch, counters)
            self._announced |= self._announcing
        except BaseException:
            means.sites.forget()
            means.acls.forget()
            raise
        if lost:
            means.seen.forget_elsewhere()
        self.arrived = frozenset(means.sites.of_known(discovered_links.sites(batch) | self._listed))
        self.reordered = put_right | discovered_links.reordered(batch) | set(means.sites.of_known(self._listed))
        self.batch, self.counters = Batch(), counters
        self._sitemaps.go_on(self.batch, self.source, lost)
        if self._refused:  # last: if erasing failed earlier, the written batch would be settled again
            means.cache.erase(self._refused)
        return lost

    def _settle(self, batch: Batch, counters: Counters) -> tuple[set[int], set[int]]:
        """Write the batch in one transaction; returns lost sites, and the sites where roles of resources changed."""
        means = self._means
        batch = self.takedowns.applied(batch)
        with means.steps("pack_write"):
            places = dict(zip(map(id, batch.packed), means.cache.keep(batch.frames), strict=True))
        with means.steps("settle"), means.store.begin() as tx:
            lost = refill.renew(tx, means.owner, batch_rows.sites(batch))
            self.takedowns.look(tx)
            packed, batch = batch.packed, self.takedowns.applied(batch)
            kept = sifted(tx, self.source, batch.without(lost) if lost else batch, self.order)
            allowed = set(map(id, batch.packed))
            self._refused = [places[id(each)] for each in packed if id(each) not in allowed]
            kept = self._swallowing.sorted_out(tx, kept, places, self.order)
            means.acls.prepare(tx, batch_rows.rights(kept))
            kept.moved = moved_files.unread(tx, kept.visited) if self._lists else set()
            kept_at = [places[id(packed)] for packed in kept.packed]
            made = modes.written(
                batch_rows.rows(kept, kept_at, self.order.run, partial(means.acls.of, tx)), self.order.mode
            )
            counters.discovered += discovered_links.admit(tx, means.sites, self.order, kept)
            listed = members.admit(tx, means.sites, self.order, kept.containers, [number for number, *_ in made.hidden])
            counters.discovered += listed.new
            counters.gone += listed.gone
            self._listed = listed.sites
            members.regrant(tx, made, self.source.number, self.order.run)
            run_counters.count(counters, kept, visits.exclude(tx, kept.exclusions), made.regranted, later=made.later)
            persist.write(tx, made, self.order.run)
            put_right = discovered_links.put_right(tx, self.order, kept)
            attributes.announce(tx, unannounced(kept.attributes, self._announced))
            self._announcing = set(kept.attributes)
            host_facts.write(tx, [*kept.facts, *discovered_links.learned(kept)])
            runs.count(tx, self.order.run, means.owner, counters)
        return lost, put_right
