"""One batch of visits becomes durable: blobs to the cache first, then one transaction that checks the sites' epochs.

    add (screen links, pack) ... -> settle: cache.keep -> BEGIN -> renew leases -> rows -> stream -> counts -> COMMIT

What comes before the transaction may be repeated; a crash costs a visit, not a document.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from cormorant.base.clock import jitter
from cormorant.crawl import rows
from cormorant.crawl.allowance import Allowance
from cormorant.crawl.gates import near, screen
from cormorant.crawl.rows import Batch, Visited
from cormorant.frontier import admission, facts, hiding, settlement, supply
from cormorant.frontier.fate import Circumstances, fate
from cormorant.journal import runs, visits
from cormorant.model.run import Counters
from cormorant.receivers import stream
from cormorant.sources.protocol import Discovery, Source

if TYPE_CHECKING:
    from cormorant.crawl.means import Means
    from cormorant.crawl.visit import Report
    from cormorant.store.database import Tx


class Dispatch:
    """The only place of a retriever that writes: one for each run it works on."""

    def __init__(self, source: Source, order: admission.Admission, means: Means, counters: Counters) -> None:
        self.source, self.order, self._means = source, order, means
        self.batch, self.arrived = Batch(), frozenset[int]()
        self.under_way, self.allowance = 0, Allowance()
        self.counters, self._lists = counters, source.discovery is not Discovery.SEEDS

    def may_visit(self) -> bool:
        """Is there room for one more document under the run's limit?"""
        return self.allowance.left(self.counters.fetched) > self.under_way + len(self.batch.visited)

    def add(self, report: Report) -> None:
        """Take a visit: decide its fate, screen its links, pack what is to be kept."""
        means, resource = self._means, report.task.resource
        at = Circumstances(self.order.generation, self._lists, report.at, jitter(0.1), self.source.settings.errors)
        with means.steps("gates"):
            links = rows.links_to_follow(report.outcome)
            found = screen(self.source, resource, links, means.seen, means.keys, self.order.run)
        rows.add(self.batch, self.source, Visited(report, fate(resource, report.outcome, at)), found, means.steps)

    def settle(self) -> set[int]:
        """Write the batch, or nothing and raise; returns the sites whose lease, and so whose visits, were lost."""
        means, batch, counters = self._means, self.batch, replace(self.counters)
        try:
            lost = self._settle(batch, counters)
        except BaseException:
            means.sites.forget()
            means.acls.forget()
            raise
        if lost:
            means.seen.forget_elsewhere()
        self.arrived = frozenset(means.sites.of_known({arrival.found.site for arrival in batch.arrivals}))
        self.batch, self.counters = Batch(), counters
        return lost

    def _settle(self, batch: Batch, counters: Counters) -> set[int]:
        means = self._means
        with means.steps("pack_write"):
            places = dict(zip(map(id, batch.packed), means.cache.keep(batch.frames), strict=True))
        with means.steps("settle"), means.store.begin() as tx:
            lost = supply.renew(tx, means.owner, rows.sites(batch))
            kept = batch.without(lost) if lost else batch
            means.acls.prepare(tx, rows.rights(kept))
            kept_at = [places[id(packed)] for packed in kept.packed]
            made = rows.rows(kept, kept_at, self.order.run, partial(means.acls.of, tx))
            arrivals, far = near(tx, kept.arrivals, self.order)
            counters.discovered += admission.admit(tx, means.sites, self.order, arrivals)
            rows.count(counters, kept, visits.exclude(tx, kept.exclusions + far))
            _write(tx, made, self.order.run)
            facts.write(tx, kept.facts)
            runs.count(tx, self.order.run, means.owner, counters)
        return lost


def _write(tx: Tx, made: rows.Rows, run: int) -> None:
    """Hand the rows to the tables they belong to."""
    first = stream.append(tx, made.entries) if made.entries else 0
    settlement.contents(tx, made.numbered(first))
    settlement.validators(tx, made.validators)
    settlement.judged(tx, made.judged)
    settlement.access(tx, made.access)
    settlement.links(tx, made.links)
    settlement.fates(tx, made.fates, run)
    visits.write(tx, made.visits)
    hiding.hide_until(tx, made.restricted(first))
    hiding.hide(tx, made.hidden)
    hiding.unhide(tx, made.shown)
