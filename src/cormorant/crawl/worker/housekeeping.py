"""Housekeeping between visits: settle due batches, lease and read ahead. The only store access of a worker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from cormorant.base import tracing
from cormorant.base.log import logger
from cormorant.crawl.commit import discovered_links
from cormorant.crawl.worker import host_updates
from cormorant.crawl.worker.run_log import Sites
from cormorant.frontier.queue import host_leases, ip_groups
from cormorant.frontier.queue.ready_queue import ReadyQueue
from cormorant.frontier.queue.redirect_hosts import OtherSites
from cormorant.frontier.queue.refill import Moment, RefillPlan, Supply
from cormorant.frontier.queue.workbench import HostState, Workbench

if TYPE_CHECKING:
    from cormorant.base.clock import Clock
    from cormorant.crawl.commit.committer import BatchCommitter
    from cormorant.crawl.context import WorkerContext
    from cormorant.crawl.resource_guard import DiskGuard
    from cormorant.crawl.visit.convert import Converter
    from cormorant.model.resource import Resource
    from cormorant.sources.protocol import Source
    from cormorant.store.db.database import Tx


_log = logger(__name__)

BATCH = 250
"""Visits a transaction; fewer after two seconds, or if slots are idle."""
BATCH_BYTES = 8 << 20
"""Encoded documents that wait to be settled at most, in bytes."""
BATCH_S = 2.0
STARVING = 8
"""Visits worth settling at once when fewer than half the slots are busy and nothing else is waiting."""
SUPPLY_S = 0.25
"""Sites are finished and leased this often, or as soon as there is nothing to visit."""
SHARE_S = 1.0
"""Seconds between checks whether other processes have too little work."""
BETWEEN_S = 0.02
"""Seconds between two parts of a large sitemap."""
MOST_AT_ONCE = 64
"""Sites leased in one transaction."""


class Assignments(Protocol):
    """Assignment of runs to retrievers: the runs to work on, and how many retrievers share them."""

    peers: int

    def __call__(self, current: Mapping[int, BatchCommitter]) -> dict[int, BatchCommitter]:
        """Take the runs worked on so far (source -> dispatch) and return those to work on now."""
        ...


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """Configuration of a worker: shared objects, document converter, assigned runs, and width.

    `most` visits are under way at once, long ones included. `tidy` releases memory that big pages took.
    No visit begins while `room` is short of anything.
    """

    means: WorkerContext
    reader: Converter
    clock: Clock
    assignments: Assignments
    width: int
    most: int
    tidy: Callable[[], None]
    room: DiskGuard


class Housekeeper:
    """Keeps the slots of one worker busy. `wake` is called if there may be work before the next tick."""

    def __init__(self, crew: WorkerConfig, wake: Callable[[], None]) -> None:
        self._crew = crew
        self._loop = asyncio.get_running_loop()
        self._wake = wake
        self.desk = Workbench()
        self.line = ReadyQueue(self.desk)
        self.runs: dict[int, BatchCommitter] = {}
        self.others = OtherSites(crew.means.store, crew.clock)
        self._sources: Mapping[int, Source] = {}
        self._supply = Supply(crew.means.owner, self.desk, crew.means.seen)
        self._placing = Placing(crew.means.owner, self.desk, self._supply, wake)
        self._settled_at = self._supplied_at = self._shared_at = 0.0
        self._sites = Sites()

    def now(self) -> float:
        """Monotonic seconds of the loop."""
        return self._loop.time()

    def has_room(self) -> bool:
        """Return whether the disks have room for the next visits."""
        return not self._crew.room.lack()

    def waiting(self) -> int:
        """Visits that wait to be settled."""
        return sum(run.batch.waiting for run in self.runs.values())

    def full(self) -> bool:
        """Return whether to settle now: by number of visits or memory, or because a sitemap names the next visits."""
        if any(run.batch.sitemaps for run in self.runs.values()):
            return True
        return self.waiting() >= BATCH or sum(run.batch.size_bytes for run in self.runs.values()) >= BATCH_BYTES

    def tend(self) -> None:
        """Settle if it is time; then refill the workbench."""
        runs = self._crew.assignments(self.runs)
        waiting, late = self.waiting(), self.now() - self._settled_at > BATCH_S
        idle = not self.desk.has_work() and self.line.idle >= self._crew.width
        if waiting and (self.full() or late or idle or runs != self.runs or self.starving() or self.limited()):
            self._settle()
        for source, run in self.runs.items():
            if runs.get(source) is not run:
                self._supply.drop(source)
        self.runs = runs
        self._look_again({number: run.source for number, run in runs.items()})
        self._sites.log(self.desk, runs, self.now())
        if self.now() - self._supplied_at > SUPPLY_S or not self.desk.has_work():
            self._supplied_at = self.now()
            self.lead()
            self._supply_desk(whole=True)
        elif self.line.idle:
            self._supply_desk(whole=False)
        self.line.pump()

    def _look_again(self, sources: Mapping[int, Source]) -> None:
        """Have sites recompute their pace if the speed of a source was changed."""
        changed = {number for number, source in self._sources.items() if sources.get(number, source) is not source}
        for site in self.desk.sites.values() if changed else ():
            if not changed.isdisjoint(site.sources):
                site.pace_until = 0.0
        self._sources = sources

    def lead(self) -> None:
        """Admit the URLs that new facts of sites name, for every source at work there."""
        asked = [
            (site, source)
            for site in self.desk.sites.values()
            for source in site.sources.keys() & self.runs.keys()
            if site.led.get(source, 0) != site.lessons
        ]
        found = [(self.runs[source], self.runs[source].source.leads(site.facts)) for site, source in asked]
        if any(each for _, each in found):
            means, reached = self._crew.means, set[int]()
            with means.store.begin() as tx:
                for run, each in found:
                    admitted = discovered_links.admit_found(tx, run.source, run.order, run.counters, each, means)
                    reached.update(admitted[0])
                    self.desk.reread(admitted[1], run.order.source)
            self.desk.settled((), reached)
        for site, source in asked:
            site.led[source] = site.lessons

    def _supply_desk(self, *, whole: bool) -> None:
        """Read ahead; now and then also finish and lease sites."""
        with self._crew.means.steps("lease"), self._crew.means.store.begin() as tx:
            moment, plan = Moment.of(tx, self.now()), plan_of(self.runs)
            host_updates.keep_hours(self.desk, self.runs, moment)
            awake = plan.without(self.desk.shut)
            if whole:
                workable = None
                if self.now() - self._shared_at > SHARE_S:
                    self._shared_at = self.now()
                    workable = self._supply.share(tx, awake, self._crew.assignments.peers)
                self._supply.finish(tx, plan, moment)
                self._lease(tx, awake, moment, workable)
            self._placing.place(tx, self.runs, moment)
            self._supply.read(tx, awake)

    def _lease(self, tx: Tx, plan: RefillPlan, moment: Moment, workable: int | None) -> None:
        """Lease sites if slots are idle; each keeps its pace, and is assigned to its IP group before any request.

        While all slots are busy, a source without sites gets some: the next free slot may be its own.
        `workable` is the number of sites with work in the plan, None if it was not counted just now.
        """
        before, held = set(self.desk.sites), len(self.desk.sites)
        if not self.line.idle:
            plan, held = plan.without({source for site in self.desk.sites.values() for source in site.sources}), 0
            workable = None
        if not plan.generations or not self.has_room():
            workable = 0
        elif workable is None:
            workable = host_leases.workable(tx, plan.generations)
        share = -(-workable // self._crew.assignments.peers)
        for site in self._supply.lease(tx, plan, min(share - held, MOST_AT_ONCE), moment):
            if site.lease.site not in before:
                self._placing.look(site, self.runs)
            host_updates.set_pace(site, self.runs, moment)

    def starving(self) -> bool:
        """Return whether to settle now because the links that wait in the batch are the next visits."""
        return self.waiting() >= STARVING and self.line.idle > self._crew.width // 2 and not self.desk.has_work()

    def limited(self) -> bool:
        """Return whether a run has used up its share of a limit. Settling its visits at once ends it sooner."""
        now = self.now()
        return any(each.batch.visited and not (each.under_way or each.may_visit(now)) for each in self.runs.values())

    def _settle(self) -> None:
        """Write every run's batch."""
        began, self._settled_at = self._settled_at, self.now()
        self.others.flush()
        for run in self.runs.values():
            visited, waiting = run.batch.visited, run.batch.waiting
            with tracing.span("settle", run=run.order.run, visits=len(visited)) if waiting else nullcontext():
                lost = run.settle() if waiting else set()
            if waiting:
                tracing.spent("fetch", self.now() - began, run=run.order.run, visits=len(visited))
                _log.info("settled", extra={"run": run.order.run, "visits": len(visited), "sites_lost": len(lost)})
            self.desk.settled([each.resource for each in visited], run.arrived)
            self.desk.reread(run.reordered, run.order.source)
            for number in lost:
                site = self.desk.close(number)
                self._crew.means.seen.close(site.key if site else "")
        for site in [site for site in self.desk.sites.values() if site.answers_again]:
            for source in site.answers_again & site.sources.keys() & self.runs.keys():
                host_updates.make_up(site, self.runs[source], self._crew.means)
            site.answers_again.clear()
        if self.full():  # the next part of a large sitemap waits: others go on between two parts
            self._loop.call_later(BETWEEN_S, self._wake)
        self._crew.tidy()

    def go_home(self) -> None:
        """Settle all visits and give back all leases, so that no process has to wait for them to expire."""
        self._settle()
        with self._crew.means.store.begin() as tx:
            for site in list(self.desk.sites.values()):
                self._supply.give_back(tx, site)


def plan_of(runs: Mapping[int, BatchCommitter]) -> RefillPlan:
    """The generation of every run under way, and how a row is adapted to it.

    A run under edited settings drops validators and the hash of the bytes; a forced one also that of the text,
    which it keeps aside.
    """

    def prepare(resource: Resource) -> Resource:
        order = runs[resource.source].order
        if not (order.forced or order.revisit):
            return resource
        bare = resource._replace(etag="", modified="", validator="", content_hash=b"")
        if not order.forced:
            return bare
        return bare._replace(text_hash=b"", before=resource.before or resource.text_hash, renewed=False)

    orders = [run.order for run in runs.values()]
    new_of = {each.source: each.new_of for each in orders if each.new_of is not None}
    most = {number: run.source.settings.most_hosts for number, run in runs.items()}
    limits = {number: limit for number, limit in most.items() if limit is not None}
    turns = {number: run.source.settings.shares for number, run in runs.items()}
    shares = {number: share for number, share in turns.items() if share is not None}
    return RefillPlan({each.source: each.generation for each in orders}, prepare, new_of, limits, shares)


class Placing:
    """The sites of one worker without an IP group. `wake` is called when one can be assigned."""

    def __init__(self, owner: str, desk: Workbench, supply: Supply, wake: Callable[[], None]) -> None:
        self._owner, self._desk, self._supply, self._wake = owner, desk, supply, wake
        self._asking: dict[int, asyncio.Task[None]] = {}

    def look(self, site: HostState, runs: Mapping[int, BatchCommitter]) -> None:
        """Begin to look up the network address of a site that was leased for these runs."""
        site.unplaced = True
        sources = _sources(site, runs)
        if any(source.lane(site.key) is None for source in sources):
            number = site.lease.site
            task = self._asking[number] = asyncio.create_task(_look_up(site.key, sources))
            task.add_done_callback(lambda _: self._wake())

    def place(self, tx: Tx, runs: Mapping[int, BatchCommitter], moment: Moment) -> None:
        """Assign sites whose address is known by now. A site without an address shares its pace with none."""
        for number in [number for number, site in self._desk.sites.items() if site.unplaced]:
            asking = self._asking.get(number)
            if asking is not None and not asking.done():
                continue
            self._asking.pop(number, None)
            site = self._desk.sites[number]
            name = next(filter(None, (source.lane(site.key) for source in _sources(site, runs))), "")
            self._enter(tx, site, name, moment)

    def _enter(self, tx: Tx, site: HostState, name: str, moment: Moment) -> None:
        lapsed, number = tx.run_out(host_leases.LEASE_S, moment.store), site.lease.site
        at = 0.0 if name == site.lane_name == "" else ip_groups.enter(tx, self._owner, number, name, lapsed)
        if at is None:
            self._supply.give_back(tx, site)
        else:
            self._desk.place(site, name, min(moment.latest_of(at), moment.monotonic))


def _sources(site: HostState, runs: Mapping[int, BatchCommitter]) -> list[Source]:
    return [runs[number].source for number in site.sources if number in runs]


async def _look_up(key: str, sources: list[Source]) -> None:
    for source in sources:
        await source.look_up(key)
