"""A retriever between its batches, by hand: it leases, reads, visits and settles as a test says."""

from __future__ import annotations

import sqlalchemy as sa

from cormorant.frontier.policy import priority
from cormorant.frontier.queue.refill import Moment, RefillPlan, Supply
from cormorant.frontier.queue.seen_lookup import Lookup
from cormorant.frontier.queue.seen_urls import SeenUrls
from cormorant.frontier.queue.workbench import HostState, VisitTask, Workbench
from cormorant.model.resource import Resource
from cormorant.store.db import bulk
from cormorant.store.db.database import Store
from cormorant.store.schema import resource, site
from tests.frontier.samples import SOURCE, admit

START = 1000.0


def as_it_is(row: Resource) -> Resource:
    return row


class Retriever:
    """A process between its batches: leases, reads, visits and settles by hand. Its monotonic clock is `now`."""

    def __init__(self, store: Store, name: str = "ada") -> None:
        self.store, self.name = store, name
        self.desk, self.seen, self.now = Workbench(), SeenUrls(Lookup(store)), START
        self.supply = Supply(name, self.desk, self.seen)
        self.plan = RefillPlan({SOURCE: 1}, as_it_is)

    def tend(self, most: int = 10, **generations: int) -> list[HostState]:
        """What `crawl.worker.housekeeping` does between two batches; `s1=2` crawls generation 2 of source 1."""
        if generations:
            self.plan = RefillPlan({int(name[1:]): number for name, number in generations.items()}, self.plan.prepare)
        with self.store.begin() as tx:
            moment = Moment(self.now, tx.now())
            self.supply.finish(tx, self.plan, moment)
            opened = self.supply.lease(tx, self.plan, most, moment)
            self.supply.read(tx, self.plan)
        return opened

    def share(self, peers: int) -> list[str]:
        """See whether others have too little to do; returns the sites that leave."""
        with self.store.begin() as tx:
            self.supply.share(tx, self.plan, peers)
        return [each.key for each in self.desk.sites.values() if each.leaves]

    def take(self) -> list[VisitTask]:
        """Everything that may be visited now."""
        tasks = []
        while task := self.desk.take(self.now):
            tasks.append(task)
        return tasks

    def settle(self, tasks: list[VisitTask], *links: str, defer: float = 0.0) -> None:
        """The visits of these tasks end and are written, with what they linked to."""
        for task in tasks:
            self.desk.done(task)
        with self.store.begin() as tx:
            rest = tx.now() + defer if defer else 0.0
            again = priority.due(1, priority.LAST) if defer else priority.due(2)
            rows = [(again, rest, task.resource.id) for task in tasks]
            bulk.update(tx, resource, ("due", "not_before"), ("id",), rows)
            admit(tx, *links)
            arrived = list(tx.execute(sa.select(site.c.id)).scalars()) if links else []
        self.desk.settled([task.resource for task in tasks], arrived)

    def visit_all(self, rounds: int = 20) -> list[str]:
        """Tend, visit and settle until nothing is left."""
        visited = []
        for _ in range(rounds):
            self.tend()
            tasks = self.take()
            visited += [task.resource.address for task in tasks]
            self.settle(tasks)
        return visited

    def all_at_once(self) -> None:
        for each in self.desk.sites.values():
            each.parallel = 10_000
            self.desk.offer(each)
