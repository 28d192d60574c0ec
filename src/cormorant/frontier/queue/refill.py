"""Refill a retriever's workbench: lease sites, read ahead, mark finished sites, release them.

Called between batches inside a transaction. A source is done with a site when no row is left to read, none is
unsettled, and no URL arrived meanwhile; rows that must wait are left to a later owner of the site's lease.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cormorant.frontier.policy import priority
from cormorant.frontier.queue import host_leases, request_log, seen_lookup
from cormorant.frontier.queue.host_leases import LeasedSite, ReadWindow, SiteUse
from cormorant.frontier.queue.seen_urls import SeenUrls
from cormorant.frontier.queue.weighted_queues import Queues
from cormorant.frontier.queue.workbench import HostState, SourceWork, Workbench
from cormorant.frontier.state import host_facts
from cormorant.frontier.state.host_facts import INSTALLATION
from cormorant.frontier.traps import detector
from cormorant.model.resource import Resource
from cormorant.model.settings.priority import Shares
from cormorant.store.db.clock_steps import STEP_S
from cormorant.store.db.database import Tx

LOW = 64
"""Rows of a site below which more are read."""
SOON_S = 20.0
"""At a site with a delay, more rows are read if fewer wait than can be requested within this time."""
CLOSED_S = 86_400.0
"""Seconds that a source leaves a closed site alone: until its next run, which checks again."""
LONG_REST_S = 5.0
"""A site with a longer rest is released meanwhile."""


@dataclass(frozen=True, slots=True)
class RefillPlan:
    """Refill plan of a retriever: the sources to work on now, as source -> generation.

    `prepare` adapts a row to its run (forced: no validators). `new_of` names the runs that visit only new resources.
    `limits` are the most leased sites of a source, over all retrievers. `shares` are those of sources whose levels take
    turns; in others a level waits for those before it.
    """

    generations: Mapping[int, int]
    prepare: Callable[[Resource], Resource]
    new_of: Mapping[int, int] = field(default_factory=dict)
    limits: Mapping[int, int] = field(default_factory=dict)
    shares: Mapping[int, Shares] = field(default_factory=dict)

    def without(self, shut: Collection[int]) -> RefillPlan:
        """Return the plan without the sources in `shut`."""
        if not shut:
            return self
        return replace(self, generations={s: number for s, number in self.generations.items() if s not in shut})

    @property
    def unlimited(self) -> dict[int, int]:
        """The generations of the sources without a limit."""
        return {source: number for source, number in self.generations.items() if source not in self.limits}

    def work(self, source: int, arrivals: int, *, closed: bool = False) -> SourceWork:
        """Return the work of a source at a site, with nothing read yet."""
        shares = self.shares.get(source)
        return SourceWork(arrivals, queue=Queues(shares) if shares else deque(), closed=closed)

    def window(self, site: int, source: int, newest: int = 0) -> ReadWindow:
        """Return the window of rows of a site to read for a source."""
        return ReadWindow(site, source, self.generations[source], newest, self.new_of.get(source))


@dataclass(frozen=True, slots=True)
class Moment:
    """Monotonic and store time of one refill.

    Their difference was greater by up to `ahead` seconds if the clock of the store has been set forward since.
    """

    monotonic: float
    store: float
    ahead: float = 0.0

    @classmethod
    def of(cls, tx: Tx, monotonic: float) -> Moment:
        """Return the present moment."""
        now = tx.now()
        return cls(monotonic, now, now - tx.lapsed(host_leases.AHEAD_S, now))

    def monotonic_of(self, store: float) -> float:
        """Convert a store time to this process's monotonic clock."""
        return self.monotonic + (store - self.store)

    def latest_of(self, asked: float) -> float:
        """Return the latest time of a request (monotonic seconds), past or planned, by its store time."""
        if asked > self.store + host_leases.AHEAD_S:  # the clock has been set back since
            return self.monotonic
        at = self.monotonic_of(asked)
        return max(at, min(at + self.ahead, self.monotonic))


def _low(site: HostState, work: SourceWork) -> int:
    """Return the queue length at which four times as many rows are read; a thousand slow sites fill no memory.

    Visits that a rule refuses send no request and take no time, so they do not lower it.
    """
    low = min(LOW, math.ceil(SOON_S / site.delay_s)) if site.delay_s > 0 else LOW
    return low if work.unasked < low else LOW


def renew(tx: Tx, owner: str, sites: Sequence[HostState]) -> set[int]:
    """Write back the state of leased sites, and renew their leases; returns the sites whose lease was lost.

    A rest that another process reset is reset here too, and requests of other processes delay the next one here.
    """
    _give_way(tx, sites)
    _as_meant(tx, sites)
    rests = host_leases.renew(tx, owner, [_use_of(site) for site in sites])
    for site in sites:
        if site.lease.site in rests:
            site.known = rests[site.lease.site]
            if site.known != (site.not_before, site.failures):
                site.not_before, site.failures = site.known
                site.trouble, site.rest_until = 0, 0.0
    request_log.write(tx, {site.lease.site: site.tally for site in sites if site.lease.site in rests})
    return {site.lease.site for site in sites} - rests.keys()


def _give_way(tx: Tx, sites: Sequence[HostState]) -> None:
    """Delay leased sites after requests that other processes sent to them."""
    taken = host_leases.taken(tx, [site.lease.site for site in sites if site.requested_at])
    others = [(site, at) for site in sites if (at := taken.get(site.lease.site, 0.0)) > site.requested_at]
    now, here = (tx.now(), tx.clock.monotonic()) if others else (0.0, 0.0)
    for site, at in others:
        site.give_way(at, here + max(at - now, 0.0))


def _as_meant(tx: Tx, sites: Sequence[HostState]) -> None:
    """Adjust rests to the monotonic clock, so that a step of the store's clock makes none shorter or longer."""
    if not tx.was_set:
        return
    now, here = tx.now(), tx.clock.monotonic()
    for site in sites:
        until = now + site.rest_until - here if site.rest_until > here else min(site.not_before, now)
        if abs(site.not_before - until) > STEP_S:
            site.not_before = until


def _ahead(site: HostState) -> int:
    """Return how many visits of a site are queued."""
    return sum(len(work.queue) for work in site.sources.values())


def _use_of(site: HostState) -> SiteUse:
    return SiteUse(site.lease, site.not_before, site.failures, site.requested_at, site.trouble, site.known)


class Supply:
    """The store's side of a workbench, for one retriever process."""

    def __init__(self, owner: str, desk: Workbench, seen: SeenUrls) -> None:
        self._owner, self._desk, self._seen = owner, desk, seen
        self._generations: Mapping[int, int] = {}

    def lease(self, tx: Tx, plan: RefillPlan, most: int, moment: Moment) -> list[HostState]:
        """Lease up to `most` sites that have work, and add sources to sites that are leased already.

        The caller sets the pace of the returned sites; new ones have not been visited yet.
        """
        joined = self._join(tx, plan, moment)
        leased = self._lease(tx, plan, most)
        opened: list[HostState] = []
        for each in leased:
            site = HostState(each.lease, {s: plan.work(s, n) for s, n in each.arrivals.items()}, each.failures)
            site.requested_at, site.not_before, site.trouble = each.requested_at, each.not_before, each.trouble
            site.known, site.lane_name = (each.not_before, each.failures), each.lane
            site.leased_until = moment.monotonic_of(each.lease.until)
            self._open(tx, site)
            self._desk.open(site)
            opened.append(site)
        self._learn(tx, opened, [INSTALLATION, *plan.generations], moment)
        for site in opened:
            site.rest_until = moment.monotonic_of(site.not_before)
        return joined + opened

    def _open(self, tx: Tx, site: HostState) -> None:
        """Load the known addresses of a site."""
        keys = seen_lookup.page(tx, site.lease.site)
        if len(keys) < seen_lookup.AT_ONCE:
            self._seen.open(site.key, keys)
        else:
            self._seen.open_large(site.key, site.lease.site)

    def _lease(self, tx: Tx, plan: RefillPlan, most: int) -> list[LeasedSite]:
        """Lease the share of each source first; the rest goes to the sources with more work."""
        leased: list[LeasedSite] = []
        for source, share in self._shares(plan, most).items():
            room = min(share, self._room(tx, plan, source)) if source in plan.limits else share
            leased += host_leases.lease(tx, self._owner, {source: plan.generations[source]}, room, plan.unlimited)
        leased += host_leases.lease(tx, self._owner, plan.unlimited, most - len(leased))
        for source in plan.limits.keys() & plan.generations.keys():
            room = min(self._room(tx, plan, source), most - len(leased))
            leased += host_leases.lease(tx, self._owner, {source: plan.generations[source]}, room)
        return leased

    def _shares(self, plan: RefillPlan, most: int) -> dict[int, int]:
        """Return the sites that each source may lease before others take more; empty for a single source."""
        if len(plan.generations) < 2:
            return {}
        held = Counter(source for site in self._desk.sites.values() for source in site.sources)
        return shares({source: held[source] for source in plan.generations}, most)

    @staticmethod
    def _room(tx: Tx, plan: RefillPlan, source: int) -> int:
        """Return the number of further sites that may be leased for a source with a limit."""
        return plan.limits[source] - host_leases.leased(tx, source, plan.generations[source])

    def _join(self, tx: Tx, plan: RefillPlan, moment: Moment) -> list[HostState]:
        """Add sources that have got work at a site since it was leased for others."""
        if len(plan.generations) < 2:
            return []
        full = {source for source in plan.limits.keys() & plan.generations.keys() if self._room(tx, plan, source) < 0}
        found = host_leases.arrivals(tx, list(self._desk.sites), plan.without(full).generations)
        joined = []
        for number, counts in found.items():
            site = self._desk.sites[number]
            new = {source: plan.work(source, count) for source, count in counts.items() if source not in site.sources}
            site.sources.update(new)
            joined += [site] if new else []
        if joined:
            self._learn(tx, joined, list(plan.generations), moment)
        return joined

    def _learn(self, tx: Tx, sites: Sequence[HostState], scopes: Sequence[int], moment: Moment) -> None:
        """Load the valid facts of sites; their names distinguish the facts of several sources."""
        for fact in host_facts.read(tx, [site.lease.site for site in sites], scopes):
            site = self._desk.sites[fact.site]
            if fact.name == detector.FACT:
                site.watched[fact.scope] = fact.value
            else:
                site.learn(fact.name, fact.value, moment.monotonic_of(fact.valid_until))

    def read(self, tx: Tx, plan: RefillPlan) -> None:
        """Read ahead at every site with few waiting rows."""
        for site in list(self._desk.sites.values()):
            for source, work in site.sources.items():
                if work.exhausted or work.closed or site.leaves or source not in plan.generations:
                    continue
                window = plan.window(site.lease.site, source, work.newest)
                low = _low(site, work)
                if isinstance(work.queue, Queues):
                    self._read_parts(tx, plan, work, work.queue, window, low)
                elif len(work.queue) < low:
                    self._read(tx, plan, (work, work.queue), window, low)
            self._desk.offer(site)

    @staticmethod
    def _read(tx: Tx, plan: RefillPlan, into: tuple[SourceWork, deque[Resource]], window: ReadWindow, low: int) -> None:
        work, queue = into
        most = host_leases.READ_AHEAD * low // LOW + len(work.held)
        found, work.unasked = host_leases.read(tx, window, most), 0
        work.exhausted = len(found) < most
        for resource in found:
            if resource.id not in work.held:
                work.held.add(resource.id)
                queue.append(plan.prepare(resource))
        if work.exhausted:
            work.newest = max((resource.id for resource in found), default=work.newest)

    @staticmethod
    def _read_parts(tx: Tx, plan: RefillPlan, work: SourceWork, queues: Queues, window: ReadWindow, low: int) -> None:
        """Read rows of each level with few waiting. Rows beyond the levels are read when no others are left."""
        spans = priority.spans(window.generation)
        for part in queues.short(low):
            most = host_leases.READ_AHEAD * low // LOW + len(work.held)
            found, work.unasked = host_leases.read(tx, window._replace(span=spans[part]), most), 0
            if len(found) < most:
                queues.read_out.add(part)
            fresh = [resource for resource in found if resource.id not in work.held]
            work.held.update(resource.id for resource in fresh)
            queues.parts[part].extend(map(plan.prepare, fresh))
        work.exhausted = queues.exhausted

    def finish(self, tx: Tx, plan: RefillPlan, moment: Moment) -> None:
        """Mark sources as done at sites, and release sites without work or with a long rest."""
        self._forget(tx, plan)
        self._keep(tx, moment)
        for site in list(self._desk.sites.values()):
            site.forget(moment.monotonic)
            for source in list(site.sources):
                if source not in plan.generations:
                    self._drop(site, source)
                elif (work := site.sources[source]).exhausted | work.closed and not work.held:
                    self._finish(tx, plan, site, source)
            resting = site.rest_until > moment.monotonic + LONG_REST_S
            if site.under_way == 0 and (resting or site.leaves or not site.sources) and not site.unsettled:
                self.give_back(tx, site)

    def _forget(self, tx: Tx, plan: RefillPlan) -> None:
        """Clear the seen URLs when a run begins: URLs excluded under earlier rules must be judged again."""
        if not plan.generations.items() <= self._generations.items():
            self._seen.forget_elsewhere()
            for site in self._desk.sites.values():
                self._open(tx, site)
        self._generations = dict(plan.generations)

    def _keep(self, tx: Tx, moment: Moment) -> None:
        """Renew leases before they run out: a visit, or the delay between two, may take longer than a lease lasts."""
        soon, soon_here = moment.store + host_leases.LEASE_S / 2, moment.monotonic + host_leases.LEASE_S / 2
        every = self._desk.sites.values()
        old = [site for site in every if site.lease.until < soon or site.leased_until < soon_here]
        lost = renew(tx, self._owner, old)
        for site in old:
            if site.lease.site in lost:
                self._desk.close(site.lease.site)
                self._seen.close(site.key)
            else:
                site.lease = replace(site.lease, until=moment.store + host_leases.LEASE_S)
                site.leased_until = moment.monotonic + host_leases.LEASE_S

    def _finish(self, tx: Tx, plan: RefillPlan, site: HostState, source: int) -> None:
        generation, work = plan.generations[source], site.sources[source]
        left = host_leases.earliest(tx, plan.window(site.lease.site, source))
        if work.closed and left is not None:
            left = max(left, tx.now() + CLOSED_S)
        if left is not None and left <= tx.now():
            work.reread()
        elif host_leases.finish(tx, site.lease.site, source, generation, work.arrivals, left or 0.0):
            del site.sources[source]
        else:
            found = host_leases.arrivals(tx, [site.lease.site], plan.generations)[site.lease.site]
            site.sources[source] = plan.work(source, found.get(source, work.arrivals), closed=work.closed)

    def drop(self, source: int) -> None:
        """Drop all rows of a source whose run is over; its visits under way will not be settled."""
        for site in self._desk.sites.values():
            if source in site.sources:
                self._drop(site, source)

    @staticmethod
    def _drop(site: HostState, source: int) -> None:
        """Drop the rows of a source at a site; visits under way will not be settled any more."""
        del site.sources[source]
        if site.awaited is not None and site.awaited.source == source:
            site.awaited = None
            site.first.clear()

    def share(self, tx: Tx, plan: RefillPlan, peers: int) -> int | None:
        """Have sites leave when this process has more than its share and others have less.

        Sites with the most waiting rows leave first. A site that shares its pace with another one here stays: no other
        process could lease it. Returns the number of sites with work, of any owner; None if that did not matter.
        """
        sites = self._desk.sites.values()
        if peers < 2 or len(sites) < 2 or not plan.generations:
            return None
        lanes = Counter(id(site.lane) for site in sites)
        leaving = sum(site.leaves for site in sites)
        able = [
            each for each in sites if not (each.leaves or each.unplaced or each.awaited) and lanes[id(each.lane)] == 1
        ]
        held = host_leases.by_owner(tx, plan.generations)
        count = surplus(held, self._owner, peers) - leaving
        for site in sorted(able, key=_ahead, reverse=True)[: max(count, 0)]:
            site.leaves = True
        return sum(held.values())

    def give_back(self, tx: Tx, site: HostState) -> None:
        """Release a site's lease and drop its state."""
        _give_way(tx, [site])
        _as_meant(tx, [site])
        host_leases.release(tx, self._owner, _use_of(site))
        request_log.write(tx, {site.lease.site: site.tally})
        self._desk.close(site.lease.site)
        self._seen.close(site.key)


def shares(held: Mapping[int, int], most: int) -> dict[int, int]:
    """Return the further sites that each source may have, out of `most` in all; `held` are its present ones."""
    given = dict.fromkeys(held, 0)
    line = [(count, source) for source, count in held.items()]
    heapq.heapify(line)
    for _ in range(most if line else 0):
        count, source = line[0]
        given[source] += 1
        heapq.heapreplace(line, (count + 1, source))
    return given


def surplus(held: Mapping[str | None, int], owner: str, peers: int) -> int:
    """Return the number of sites that a process should release; `held` counts sites with work by lease owner.

    0 while some are free (None in `held`): processes with too few lease those.
    """
    if held.get(None):
        return 0
    total = sum(held.values())
    others = [count for name, count in held.items() if name != owner]
    enough = total // peers
    lacking = sum(max(enough - count, 0) for count in others) + enough * max(peers - 1 - len(others), 0)
    return max(min(held.get(owner, 0) - -(-total // peers), lacking), 0)
