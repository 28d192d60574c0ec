"""Which resource may be visited now? A retriever's own view of the sites it has leased.

    lease -> SiteWork (queue, pace, facts) -> take -> visiting -> done -> ... -> nothing left -> release

A site starts a visit when its delay since the last request went out has passed and fewer than its parallel limit are
under way; until its own request goes out, the turn counts from when it was taken. Pace is the slowest that any source
with work at the site asks for. Pure bookkeeping: no store, no clock, no loop; times are monotonic seconds handed in.
"""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from cormorant.model.resource import Lease, Resource

SLACK_S = 0.005
"""How much later than it might be a visit to a site with a delay begins."""


class Task(NamedTuple):
    """One visit to make: the resource, and the site it belongs to."""

    resource: Resource
    site: SiteWork


@dataclass(slots=True)
class SourceWork:
    """What one source has to do at one site.

    `held` are the resources read and not settled yet, waiting or under way; `exhausted` says that reading gave no more.
    Once it did, only what arrived since can be new: its number is above `newest`.
    """

    arrivals: int
    newest: int = 0
    queue: deque[Resource] = field(default_factory=deque)
    held: set[int] = field(default_factory=set)
    exhausted: bool = False


@dataclass(slots=True)
class SiteWork:
    """A leased site. `blocked` means: only its prerequisite (robots.txt) may be visited, for which `asker` asked.

    `failures` are those in a row that concern the whole site, `trouble` is the status of the newest of them, kept while
    the site rests. Sources that may have missed something while the site did not answer are in `answers_again` as soon
    as it does. `known` are the rest and the failures that its row had when last read or written here. `hold_until` says
    until when each fact holds, in epoch seconds. `paced`: a request has shown where it lies. `stuck` counts visits that
    take long.
    """

    lease: Lease
    sources: dict[int, SourceWork]
    failures: int = 0
    delay_s: float = 0.0
    parallel: int = 1
    next_at: float = 0.0
    rest_until: float = 0.0
    under_way: int = 0
    queued: bool = False
    blocked: bool = False
    first: deque[Resource] = field(default_factory=deque)
    facts: dict[str, bytes] = field(default_factory=dict)
    hold_until: dict[str, float] = field(default_factory=dict)
    asker: int = 0
    paced: bool = False
    sent_at: float = 0.0
    requested_at: float = 0.0
    not_before: float = 0.0
    trouble: int = 0
    answers_again: set[int] = field(default_factory=set)
    known: tuple[float, int] = (0.0, 0)
    stuck: int = 0

    @property
    def key(self) -> str:
        """The site's key."""
        return self.lease.key

    def sent(self, now: float, at: float) -> None:
        """A request goes out now, which is `at` in epoch seconds: the next keeps its distance."""
        self.sent_at, self.requested_at = now, at
        self.slow_down(self.delay_s)

    def give_turn_back(self) -> None:
        """A visit ends for which nothing was asked."""
        if self.under_way == 1:
            self.next_at = self.sent_at + self.delay_s

    def set_pace(self, delay_s: float, parallel: int) -> None:
        """Keep this pace from now on, counted from the newest request; turns of others under way stay as they are."""
        self.delay_s, self.parallel = delay_s, parallel
        soonest = self.sent_at + delay_s + (SLACK_S if delay_s else 0.0)
        self.next_at = soonest if self.under_way <= 1 else max(self.next_at, soonest)

    def slow_down(self, delay_s: float) -> None:
        """Keep at least this distance from request to request, from the newest on."""
        self.delay_s = max(self.delay_s, delay_s)
        if self.delay_s:
            self.next_at = max(self.next_at, self.sent_at + self.delay_s + SLACK_S)

    def learn(self, name: str, value: bytes, until: float) -> None:
        """A fact that holds until then."""
        self.facts[name], self.hold_until[name] = value, until

    def forget(self, now: float) -> None:
        """Let go of facts that no longer hold, so that they are asked for anew."""
        for name in [name for name, until in self.hold_until.items() if until <= now]:
            del self.facts[name], self.hold_until[name]

    def waiting(self) -> bool:
        """Is there a resource that could be handed out?"""
        if self.first:
            return True
        return not self.blocked and any(work.queue for work in self.sources.values())

    def pop(self) -> Resource:
        """The next resource: a prerequisite first, then the sources in turn, so that none starves another."""
        if self.first:
            return self.first.popleft()
        for number in list(self.sources):
            work = self.sources.pop(number)
            self.sources[number] = work
            if work.queue:
                return work.queue.popleft()
        raise LookupError(self.key)


class Desk:
    """Hands out visits, each when its site's pace allows.

    `crowded`: so many visits take long that a site which has one gets no other until that ends.
    """

    def __init__(self) -> None:
        self.sites: dict[int, SiteWork] = {}
        self.crowded = False
        self._heap: list[tuple[float, int, SiteWork]] = []
        self._offers = itertools.count()

    def open(self, site: SiteWork) -> None:
        """A site was leased."""
        self.sites[site.lease.site] = site

    def close(self, number: int) -> SiteWork | None:
        """A site is given back, or its lease was lost."""
        return self.sites.pop(number, None)

    def offer(self, site: SiteWork) -> None:
        """Put a site in line if it can start a visit and is not in line yet."""
        if not site.queued and self._has_room(site) and site.waiting():
            site.queued = True
            heapq.heappush(self._heap, (max(site.next_at, site.rest_until), next(self._offers), site))

    def _has_room(self, site: SiteWork) -> bool:
        return site.under_way < site.parallel and not (self.crowded and site.stuck)

    def hurry(self, site: SiteWork) -> None:
        """A site need not wait as long as it was put in line for: put it in line anew."""
        site.queued = False
        self.offer(site)

    def take(self, now: float) -> Task | None:
        """A visit that may start now, None if there is none."""
        while self._heap and self._heap[0][0] <= now:
            site = heapq.heappop(self._heap)[2]
            if self.sites.get(site.lease.site) is not site:
                continue  # given back since, and perhaps leased anew
            site.queued = False
            early = max(site.next_at, site.rest_until) > now
            if early or not self._has_room(site) or not site.waiting():
                self.offer(site)
                continue
            resource = site.pop()
            site.under_way += 1
            site.next_at = now + site.delay_s
            self.offer(site)
            return Task(resource, site)
        return None

    def next_time(self) -> float | None:
        """When the next visit may start, None if nothing is in line."""
        return self._heap[0][0] if self._heap else None

    def done(self, task: Task) -> None:
        """A visit ended; its resource is held until its batch was written."""
        task.site.under_way -= 1
        self.offer(task.site)

    def settled(self, resources: Iterable[Resource], arrived: Iterable[int]) -> None:
        """A batch was written: let go of its resources, and look again at sites where something arrived."""
        for resource in resources:
            site = self.sites.get(resource.site)
            work = site.sources.get(resource.source) if site else None
            if work is not None:
                work.held.discard(resource.id)
        for number in arrived:
            if number in self.sites:
                for work in self.sites[number].sources.values():
                    work.exhausted = False

    def again(self, task: Task, prerequisite: Resource | None) -> None:
        """Put a document back in front, behind what must be visited first."""
        site = task.site
        site.give_turn_back()
        site.under_way -= 1
        work = site.sources.get(task.resource.source)
        if work is not None:
            work.queue.appendleft(task.resource)
        if prerequisite is not None and not site.blocked:
            site.blocked, site.asker = True, task.resource.id
            site.first.append(prerequisite)
        self.offer(site)

    def has_work(self) -> bool:
        """Is any resource read and not yet taken, though its site may have to wait?"""
        return any(site.waiting() for site in self.sites.values())
