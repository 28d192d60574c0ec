"""Workbench: a retriever's choice of the resource to visit next.

This module holds a retriever's view of its leased sites.

    lease -> HostState (queue, pace, facts) -> take -> visiting -> done -> ... -> nothing left -> release

A site starts a visit when its delay since the last request has passed and fewer visits than its parallel limit are
under way. A visit may take a while to connect: at a site with a delay the next one waits until its request went out, so
that the delay lies between requests. The pace is the slowest that any source with work at the site asks for. Pure: no
store, no clock, no loop; times are monotonic seconds passed in.
"""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Callable, Collection, Container, Iterable
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple
from weakref import WeakValueDictionary

from cormorant.base.clock import Clock
from cormorant.frontier.queue.request_log import RequestTally
from cormorant.frontier.queue.weighted_queues import Queues
from cormorant.frontier.traps.detector import TrapDetector
from cormorant.model.other_hosts import Beside
from cormorant.model.outcome import Ok, Outcome
from cormorant.model.resource import Lease, Resource, Role

SLACK_S = 0.005
"""Seconds by which a visit to a site with a delay begins later than allowed."""


class VisitTask(NamedTuple):
    """One visit to make: the resource, and the site it belongs to."""

    resource: Resource
    site: HostState

    def sender(self, clock: Clock, others: Beside | None = None) -> Callable[[str], None]:
        """Return a callback for each request sent, by site key; `others` record those of other sites."""
        site, number = self.site, self.resource.id

        def sent(key: str) -> None:
            if key == site.key:
                site.sent(clock.monotonic(), clock.now(), number)
            elif others is not None:
                others.sent(key)

        return sent

    def read_as(self, outcome: Outcome) -> VisitTask:
        """Return the visit with its final role: that of a sitemap if a document was read as a list of addresses."""
        is_list = isinstance(outcome, Ok) and outcome.content.lists
        return self._replace(resource=self.resource._replace(role=Role.SITEMAP)) if is_list else self


@dataclass(slots=True, weakref_slot=True)
class IpGroup:
    """The sites at one IP address, in one retriever; a site that shares its pace with no other has a group of its own.

    `sent_at` is when a request was last sent (monotonic seconds). `unsent` are visits that have not sent their request
    yet; `waiting` are sites that could start a visit but for these, or for the parallel limit. `freed` is called when
    the last of the `unsent` is sent while sites wait.
    """

    sent_at: float = float("-inf")
    under_way: int = 0
    unsent: set[int] = field(default_factory=set)
    waiting: list[HostState] = field(default_factory=list)
    freed: Callable[[IpGroup], None] = field(default=lambda _: None, repr=False)

    def has_room(self, delay_s: float, parallel: int) -> bool:
        """Return whether a site with this pace may have one more visit in progress here."""
        return self.under_way < parallel and not (delay_s and self.unsent)

    def begin(self, number: int) -> None:
        """Add a visit that begins."""
        self.under_way += 1
        self.unsent.add(number)

    def sent(self, number: int, now: float) -> None:
        """Record that a visit has sent a request."""
        self.sent_at = now
        self.unsent.discard(number)
        if self.waiting and not self.unsent:
            self.freed(self)

    def end(self, number: int) -> None:
        """Remove a visit that ended, with or without a request."""
        self.under_way -= 1
        self.unsent.discard(number)


@dataclass(slots=True)
class SourceWork:
    """Work of one source at one site.

    `held` are the resources that were read and are not settled yet, waiting or under way; `exhausted` means that no
    more rows could be read. From then on only new arrivals are read: their numbers are above `newest`. `in_row` counts
    visits in a row that ended held; after too many the source is `closed` at the site, and the rest waits for another
    run. `unasked` counts visits without a request since the last reading.
    """

    arrivals: int
    newest: int = 0
    queue: deque[Resource] | Queues = field(default_factory=deque)
    held: set[int] = field(default_factory=set)
    exhausted: bool = False
    in_row: int = 0
    closed: bool = False
    unasked: int = 0

    def close(self) -> None:
        """Hand out nothing more, and read nothing more."""
        self.let_go()
        self.closed = self.exhausted = True

    def let_go(self) -> None:
        """Drop the waiting resources."""
        self.held.difference_update(resource.id for resource in self.queue)
        self.queue.clear()

    def look_again(self) -> None:
        """Allow another reading, since URLs may have arrived."""
        self.exhausted = False
        if isinstance(self.queue, Queues):
            self.queue.read_out.clear()

    def reread(self) -> None:
        """Read all due resources again."""
        self.look_again()
        self.newest = 0


@dataclass(slots=True)
class HostState:
    """State of a leased site.

    While a prerequisite (robots.txt) is `awaited`, nothing else is visited; `asker` needs it. A failed one is awaited
    until its failure was written, since the next visit requests it again.

    `failures` are those in a row that concern the whole site, `trouble` is the status of the newest of them, kept while
    the site rests. `answers_again` are the sources that may have missed documents while the site did not answer, from
    its next response on. `known` are the rest and the failures that its row had when last read or written here.
    `hold_until` is the expiry of each fact (monotonic seconds). `paced`: a request has shown its IP address; at
    `pace_until` its sources are asked for their pace again (monotonic seconds). `lane` is its IP group; while it is
    `unplaced` the group is unknown, and no visit is handed out. `lessons` counts learned facts; `led` holds for each
    source the count at the last question where they lead. `watches` are the trap detectors of the sources, `watched`
    their stored state. `stuck` counts visits that take long. A site that `leaves` is meant for a process without work:
    no more visits are handed out. No visit begins after `leased_until` (monotonic seconds): a process that was stopped
    for so long may have lost the lease.
    """

    lease: Lease
    sources: dict[int, SourceWork]
    failures: int = 0
    leased_until: float = inf
    delay_s: float = 0.0
    parallel: int = 1
    rule: str = ""
    next_at: float = 0.0
    rest_until: float = 0.0
    under_way: int = 0
    queued: bool = False
    awaited: Resource | None = None
    first: deque[Resource] = field(default_factory=deque)
    facts: dict[str, bytes] = field(default_factory=dict)
    hold_until: dict[str, float] = field(default_factory=dict)
    asker: int = 0
    paced: bool = False
    pace_until: float = inf
    lane: IpGroup = field(default_factory=IpGroup)
    lane_name: str = ""
    unplaced: bool = False
    tally: RequestTally = field(default_factory=RequestTally)
    sent_at: float = 0.0
    requested_at: float = 0.0
    not_before: float = 0.0
    trouble: int = 0
    answers_again: set[int] = field(default_factory=set)
    known: tuple[float, int] = (0.0, 0)
    lessons: int = 0
    led: dict[int, int] = field(default_factory=dict)
    watches: dict[int, TrapDetector] = field(default_factory=dict)
    watched: dict[int, bytes] = field(default_factory=dict)
    stuck: int = 0
    leaves: bool = False

    @property
    def key(self) -> str:
        """The site's key."""
        return self.lease.key

    def sent(self, now: float, at: float, number: int = 0) -> None:
        """Record that visit `number` sends a request now, at `at` in epoch seconds: the next one keeps its delay."""
        self.tally.count(at, now - self.sent_at, self.delay_s, self.rule)
        self.sent_at, self.requested_at = now, at
        self.slow_down(self.delay_s)
        self.lane.sent(number, now)

    def give_way(self, at: float, latest: float = inf) -> None:
        """Keep the crawl delay after a request that another process sent at `at` (epoch seconds).

        `latest` is that time on this process's clock at the latest: by the store's clock the last request may be days
        ago.
        """
        if self.requested_at < at:
            self.sent_at, self.requested_at = min(self.sent_at + at - self.requested_at, latest), at
            self.lane.sent_at = max(self.lane.sent_at, self.sent_at)
            self.slow_down(self.delay_s)

    @property
    def has_room(self) -> bool:
        """Return whether one more visit may be in progress."""
        return self.under_way < self.parallel and self.lane.has_room(self.delay_s, self.parallel)

    @property
    def starts_at(self) -> float:
        """Earliest time at which the next visit may start, if there is room for it."""
        after = self.lane.sent_at + self.delay_s + SLACK_S if self.delay_s else 0.0
        return max(self.next_at, self.rest_until, after)

    def give_turn_back(self) -> None:
        """Reset the next start after a visit without a request."""
        if self.under_way == 1:
            self.next_at = self.sent_at + self.delay_s

    def set_pace(self, delay_s: float, parallel: int, rule: str = "") -> None:
        """Set the pace, counted from the newest request; the turns of visits under way stay.

        `rule` names the origin of the pace.
        """
        self.delay_s, self.parallel, self.rule = delay_s, parallel, rule
        soonest = self.sent_at + delay_s + (SLACK_S if delay_s else 0.0)
        self.next_at = soonest if self.under_way <= 1 else max(self.next_at, soonest)

    def slow_down(self, delay_s: float, rule: str = "") -> None:
        """Keep at least this delay between requests, from the newest on."""
        if delay_s > self.delay_s:
            self.delay_s, self.rule = delay_s, rule
        if self.delay_s:
            self.next_at = max(self.next_at, self.sent_at + self.delay_s + SLACK_S)

    def learn(self, name: str, value: bytes, until: float) -> None:
        """Store a fact that is valid until then (monotonic seconds)."""
        self.facts[name], self.hold_until[name] = value, until
        self.lessons += 1

    @property
    def unsettled(self) -> bool:
        """Return whether a visit was handed out that is not settled yet.

        A waiting prerequisite was not handed out.
        """
        for number, work in self.sources.items():
            if len(work.held) > len(work.queue) + sum(each.source == number for each in self.first):
                return True
        return False

    def forget(self, now: float) -> None:
        """Drop expired facts, so that they are requested again."""
        for name in [name for name, until in self.hold_until.items() if until <= now]:
            del self.facts[name], self.hold_until[name]

    def waiting(self, shut: Container[int] = ()) -> bool:
        """Return whether a resource of a source that is not in `shut` could be handed out.

        A prerequisite serves all sources: it may be, if another source than the one that needs it has work.
        """
        if self.unplaced or self.leaves or (self.awaited is not None and not self.first):
            return False
        if self.first and self.first[0].source not in shut:
            return True
        for number, work in self.sources.items():  # noqa: SIM110 - any() over a generator takes three times as long
            if work.queue and number not in shut:
                return True
        return False

    def pop(self, shut: Container[int] = ()) -> Resource:
        """Return the next resource: a prerequisite first, then the sources in turn, so that none starves another."""
        if self.first:
            return self.first.popleft()
        for number in list(self.sources):
            work = self.sources.pop(number)
            self.sources[number] = work
            if work.queue and number not in shut:
                return work.queue.popleft()
        raise LookupError(self.key)


class Workbench:
    """Hands out visits, each when its site's pace allows. Sources in `shut` get none.

    `changed` is called when a site may start a visit again for a reason that no caller knows. `crowded`: so many visits
    take long that a site with one of them gets no other until it ends.
    """

    def __init__(self) -> None:
        self.sites: dict[int, HostState] = {}
        self.crowded = False
        self.shut: frozenset[int] = frozenset()
        self.changed: Callable[[], None] = lambda: None
        self._lanes: WeakValueDictionary[str, IpGroup] = WeakValueDictionary()
        self._heap: list[tuple[float, int, HostState]] = []
        self._offers = itertools.count()

    def open(self, site: HostState) -> None:
        """Add a leased site."""
        self.sites[site.lease.site] = site

    def close(self, number: int) -> HostState | None:
        """Remove a site that is released, or whose lease was lost."""
        return self.sites.pop(number, None)

    def offer(self, site: HostState) -> None:
        """Queue a site if it can start a visit and is not queued yet."""
        if site.queued or not site.waiting(self.shut):
            return
        site.queued = True
        if self._has_room(site):
            heapq.heappush(self._heap, (site.starts_at, next(self._offers), site))
        else:
            site.lane.waiting.append(site)
            site.lane.freed = self._gone_out

    def _gone_out(self, lane: IpGroup) -> None:
        """Free an IP group whose request was sent, so that its next visit may start."""
        self._free(lane)
        self.changed()

    def _free(self, lane: IpGroup) -> None:
        """Offer the sites that wait in an IP group again, those with the oldest request first."""
        waiting, lane.waiting = lane.waiting, []
        for site in sorted(waiting, key=_turn) if len(waiting) > 1 else waiting:
            site.queued = False
            if self.sites.get(site.lease.site) is site:
                self.offer(site)

    def place(self, site: HostState, name: str, sent_at: float) -> None:
        """Put a site into the IP group `name` ("": it shares its pace with no other).

        `sent_at` is the time of the group's newest request.
        """
        site.unplaced = False
        if name:
            site.lane = self._lanes.setdefault(name, site.lane)
            site.lane.sent_at = max(site.lane.sent_at, sent_at)
        self.offer(site)

    def _has_room(self, site: HostState) -> bool:
        return site.has_room and not (self.crowded and site.stuck)

    def hurry(self, site: HostState) -> None:
        """Queue a site again that may start earlier than it was queued for."""
        site.queued = False
        self.offer(site)

    def take(self, now: float) -> VisitTask | None:
        """Return a visit that may start now, None if there is none."""
        while self._heap and self._heap[0][0] <= now:
            site = heapq.heappop(self._heap)[2]
            if self.sites.get(site.lease.site) is not site:
                continue  # released since, and perhaps leased again
            site.queued = False
            if site.starts_at > now or not self._has_room(site) or not site.waiting(self.shut):
                self.offer(site)
                continue
            resource = site.pop(self.shut)
            if resource.role is Role.ROBOTS:
                site.awaited = resource
            site.under_way += 1
            site.lane.begin(resource.id)
            site.next_at = now + site.delay_s
            self.offer(site)
            return VisitTask(resource, site)
        return None

    def next_time(self) -> float | None:
        """Return the time at which the next visit may start, None if no visit is queued."""
        return self._heap[0][0] if self._heap else None

    def done(self, task: VisitTask) -> None:
        """End a visit; its resource is held until its batch was written."""
        self._end(task)
        self.offer(task.site)

    def _end(self, task: VisitTask) -> None:
        task.site.under_way -= 1
        task.site.lane.end(task.resource.id)
        if task.site.lane.waiting:
            self._free(task.site.lane)

    def settled(self, resources: Iterable[Resource], arrived: Iterable[int]) -> None:
        """Drop the resources of a written batch, and allow another reading at sites where URLs arrived."""
        for resource in resources:
            site = self.sites.get(resource.site)
            if site is None:
                continue
            work = site.sources.get(resource.source)
            if work is not None:
                work.held.discard(resource.id)
            if site.awaited is not None and site.awaited.id == resource.id:
                site.awaited = None
                self.offer(site)
        for number in arrived:
            if number in self.sites:
                for work in self.sites[number].sources.values():
                    work.look_again()

    def reread(self, numbers: Collection[int], source: int) -> None:
        """Drop the waiting resources of a source at these sites, and read them again.

        Called when their set or order has changed.
        """
        for number in numbers:
            site = self.sites.get(number)
            work = site.sources.get(source) if site and site.awaited is None else None
            if work is not None:
                work.let_go()
                work.reread()

    def again(self, task: VisitTask, prerequisite: Resource | None) -> None:
        """Put a visit back that cannot be made yet, behind its prerequisite."""
        site = task.site
        site.give_turn_back()
        self._end(task)
        work = site.sources.get(task.resource.source)
        if work is not None and task.resource is site.awaited:
            site.first.append(task.resource)
        elif work is not None:
            work.queue.appendleft(task.resource)
        if prerequisite is not None and site.awaited is None:
            site.awaited, site.asker = prerequisite, task.resource.id
            site.first.append(prerequisite)
        self.offer(site)

    def has_work(self) -> bool:
        """Return whether any resource is read and not yet handed out, though its site may have to wait."""
        return any(site.waiting(self.shut) for site in self.sites.values())


def _turn(site: HostState) -> float:
    return site.next_at
