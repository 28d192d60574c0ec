"""Workbench: a retriever's choice of the resource to visit next.

A retriever's own view of the sites it has leased.

    lease -> SiteWork (queue, pace, facts) -> take -> visiting -> done -> ... -> nothing left -> release

A site starts a visit when its delay since the last request went out has passed and fewer than its parallel limit are
under way. A visit may take a while to connect: at a site with a delay the next one waits until its request went out, so
that the distance is one of requests and not of intentions. Pace is the slowest that any source with work at the site
asks for. Pure bookkeeping: no store, no clock, no loop; times are monotonic seconds handed in.
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
"""How much later than it might be a visit to a site with a delay begins."""


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
        """Return the visit as it turned out: as that of a sitemap when a document was read as a list of addresses."""
        is_list = isinstance(outcome, Ok) and outcome.content.lists
        return self._replace(resource=self.resource._replace(role=Role.SITEMAP)) if is_list else self


@dataclass(slots=True, weakref_slot=True)
class IpGroup:
    """The sites at one address, as one retriever has them; a site that shares its pace with none has its own.

    `sent_at` is when a request last went out (monotonic seconds). `unsent` are visits whose request has yet to go out;
    `waiting` are sites that could start one more but for these, or for as many under way as a site may have. `freed` is
    called when the last of the `unsent` goes out while sites wait.
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
        """A visit begins."""
        self.under_way += 1
        self.unsent.add(number)

    def sent(self, number: int, now: float) -> None:
        """A request of a visit goes out."""
        self.sent_at = now
        self.unsent.discard(number)
        if self.waiting and not self.unsent:
            self.freed(self)

    def end(self, number: int) -> None:
        """A visit ended, whether anything was asked for it or not."""
        self.under_way -= 1
        self.unsent.discard(number)


@dataclass(slots=True)
class SourceWork:
    """Work that one source has to do at one site.

    `held` are the resources read and not settled yet, waiting or under way; `exhausted` says that reading gave no more.
    Once it did, only what arrived since can be new: its number is above `newest`. `in_row` counts visits in a row that
    ended held; when there are too many the source is `closed` at the site, and what is left waits for another run.
    `unasked` counts visits, since it was read last, for which nothing was asked.
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
        """Hand nothing out any more, nor read more."""
        self.let_go()
        self.closed = self.exhausted = True

    def let_go(self) -> None:
        """Forget what waits."""
        self.held.difference_update(resource.id for resource in self.queue)
        self.queue.clear()

    def look_again(self) -> None:
        """Something may have arrived."""
        self.exhausted = False
        if isinstance(self.queue, Queues):
            self.queue.read_out.clear()

    def read_anew(self) -> None:
        """Read all that is to be visited once more."""
        self.look_again()
        self.newest = 0


@dataclass(slots=True)
class HostState:
    """A leased site. Nothing but the prerequisite (robots.txt) that is `awaited` may be visited; `asker` asked for it.

    One that failed is awaited until that was written, since the next visit asks for it anew.

    `failures` are those in a row that concern the whole site, `trouble` is the status of the newest of them, kept
    while the site rests. Sources that may have missed something while the site did not answer are in `answers_again`
    as soon as it does. `known` are the rest and the failures that its row had when last read or written here.
    `hold_until` says until when each fact holds (monotonic seconds). `paced`: a request has shown where it lies;
    `pace_until` is when its sources are asked for their pace again (monotonic seconds). `lane` is the one it shares
    its pace in; while it is `unplaced` nobody knows which, and nothing is handed out. `lessons` counts facts that were
    learned; `led` says for each source how many of them it was asked about where they lead. `watches` are what each
    source watches here, `watched` what was kept of that. `stuck` counts visits that take long. One that `leaves` is
    for another process, which has nothing to do: nothing more is handed out. No visit begins behind `leased_until`
    (monotonic seconds): a process that was stopped for so long does not know yet who has the site now.
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
        """A request of visit `number` goes out now, which is `at` in epoch seconds: the next keeps its distance."""
        self.tally.count(at, now - self.sent_at, self.delay_s, self.rule)
        self.sent_at, self.requested_at = now, at
        self.slow_down(self.delay_s)
        self.lane.sent(number, now)

    def give_way(self, at: float, latest: float = inf) -> None:
        """Keep the crawl delay after a request sent without the lease at `at` (epoch seconds).

        That is at `latest` on this process's clock: by that of the store it may be days since the last one.
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
        """A visit ends for which nothing was asked."""
        if self.under_way == 1:
            self.next_at = self.sent_at + self.delay_s

    def set_pace(self, delay_s: float, parallel: int, rule: str = "") -> None:
        """Keep this pace from now on, counted from the newest request; turns of others under way stay as they are.

        `rule` says who asked for it.
        """
        self.delay_s, self.parallel, self.rule = delay_s, parallel, rule
        soonest = self.sent_at + delay_s + (SLACK_S if delay_s else 0.0)
        self.next_at = soonest if self.under_way <= 1 else max(self.next_at, soonest)

    def slow_down(self, delay_s: float, rule: str = "") -> None:
        """Keep at least this distance from request to request, from the newest on."""
        if delay_s > self.delay_s:
            self.delay_s, self.rule = delay_s, rule
        if self.delay_s:
            self.next_at = max(self.next_at, self.sent_at + self.delay_s + SLACK_S)

    def learn(self, name: str, value: bytes, until: float) -> None:
        """A fact that holds until then (monotonic seconds)."""
        self.facts[name], self.hold_until[name] = value, until
        self.lessons += 1

    @property
    def unsettled(self) -> bool:
        """Return whether a visit has been handed out that is not settled yet.

        A prerequisite that waits has not been.
        """
        for number, work in self.sources.items():
            if len(work.held) > len(work.queue) + sum(each.source == number for each in self.first):
                return True
        return False

    def forget(self, now: float) -> None:
        """Let go of facts that no longer hold, so that they are asked for anew."""
        for name in [name for name, until in self.hold_until.items() if until <= now]:
            del self.facts[name], self.hold_until[name]

    def waiting(self, shut: Container[int] = ()) -> bool:
        """Return whether a resource of a source that is not in `shut` could be handed out.

        A prerequisite holds for all sources: it is, when another one than that which asked for it has something to do.
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
        """The next resource: a prerequisite first, then the sources in turn, so that none starves another."""
        if self.first:
            return self.first.popleft()
        for number in list(self.sources):
            work = self.sources.pop(number)
            self.sources[number] = work
            if work.queue and number not in shut:
                return work.queue.popleft()
        raise LookupError(self.key)


class Workbench:
    """Hands out visits, each when its site's pace allows. Nothing is handed out of sources that are `shut`.

    `changed` is called when a site may start a visit again for a reason that nobody else has seen. `crowded`: so many
    visits take long that a site which has one gets no other until that ends.
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
        """A site was leased."""
        self.sites[site.lease.site] = site

    def close(self, number: int) -> HostState | None:
        """A site is given back, or its lease was lost."""
        return self.sites.pop(number, None)

    def offer(self, site: HostState) -> None:
        """Put a site in line if it can start a visit and is not in line yet."""
        if site.queued or not site.waiting(self.shut):
            return
        site.queued = True
        if self._has_room(site):
            heapq.heappush(self._heap, (site.starts_at, next(self._offers), site))
        else:
            site.lane.waiting.append(site)
            site.lane.freed = self._gone_out

    def _gone_out(self, lane: IpGroup) -> None:
        """The request went out that the next visit of a lane waits for."""
        self._free(lane)
        self.changed()

    def _free(self, lane: IpGroup) -> None:
        """Sites that wait in a lane may go on, or wait anew; those first that were asked longest ago."""
        waiting, lane.waiting = lane.waiting, []
        for site in sorted(waiting, key=_turn) if len(waiting) > 1 else waiting:
            site.queued = False
            if self.sites.get(site.lease.site) is site:
                self.offer(site)

    def place(self, site: HostState, name: str, sent_at: float) -> None:
        """It is known with whom a site shares its pace: all of this name (""; with none), last asked at `sent_at`."""
        site.unplaced = False
        if name:
            site.lane = self._lanes.setdefault(name, site.lane)
            site.lane.sent_at = max(site.lane.sent_at, sent_at)
        self.offer(site)

    def _has_room(self, site: HostState) -> bool:
        return site.has_room and not (self.crowded and site.stuck)

    def hurry(self, site: HostState) -> None:
        """A site need not wait as long as it was put in line for: put it in line anew."""
        site.queued = False
        self.offer(site)

    def take(self, now: float) -> VisitTask | None:
        """A visit that may start now, None if there is none."""
        while self._heap and self._heap[0][0] <= now:
            site = heapq.heappop(self._heap)[2]
            if self.sites.get(site.lease.site) is not site:
                continue  # given back since, and perhaps leased anew
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
        """A visit ended; its resource is held until its batch was written."""
        self._end(task)
        self.offer(task.site)

    def _end(self, task: VisitTask) -> None:
        task.site.under_way -= 1
        task.site.lane.end(task.resource.id)
        if task.site.lane.waiting:
            self._free(task.site.lane)

    def settled(self, resources: Iterable[Resource], arrived: Iterable[int]) -> None:
        """A batch was written: let go of its resources, and look again at sites where something arrived."""
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

    def read_anew(self, numbers: Collection[int], source: int) -> None:
        """Let go of what waits at these sites for a source: it is not what, or where in the order, it was."""
        for number in numbers:
            site = self.sites.get(number)
            work = site.sources.get(source) if site and site.awaited is None else None
            if work is not None:
                work.let_go()
                work.read_anew()

    def again(self, task: VisitTask, prerequisite: Resource | None) -> None:
        """Put what could not be visited yet back in front, behind what must be visited first."""
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
        """Return whether any resource is read and not yet taken, though its site may have to wait."""
        return any(site.waiting(self.shut) for site in self.sites.values())


def _turn(site: HostState) -> float:
    return site.next_at
