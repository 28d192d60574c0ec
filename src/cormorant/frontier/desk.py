"""Which resource may be visited now? A retriever's own view of the sites it has leased.

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
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import NamedTuple

from cormorant.base.clock import Clock
from cormorant.frontier.ledger import Tally
from cormorant.model.resource import Lease, Resource

SLACK_S = 0.005
"""How much later than it might be a visit to a site with a delay begins."""


class Task(NamedTuple):
    """One visit to make: the resource, and the site it belongs to."""

    resource: Resource
    site: SiteWork

    def sender(self, clock: Clock) -> Callable[[str], None]:
        """What to call with the key of a site when a request of this visit goes out to it."""
        site, number = self.site, self.resource.id

        def sent(key: str) -> None:
            if key == site.key:
                site.sent(clock.monotonic(), clock.now(), number)

        return sent


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
    until when each fact holds, in epoch seconds. `paced`: a request has shown where it lies; `pace_until` is when its
    sources may ask for another pace (epoch seconds). `unsent` are the visits whose request has not gone out; `sending`
    is called when the last of them goes out while a visit waits for that.
    """

    lease: Lease
    sources: dict[int, SourceWork]
    failures: int = 0
    delay_s: float = 0.0
    parallel: int = 1
    rule: str = ""
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
    pace_until: float = inf
    unsent: set[int] = field(default_factory=set)
    sending: Callable[[], None] | None = None
    tally: Tally = field(default_factory=Tally)
    sent_at: float = 0.0
    requested_at: float = 0.0
    not_before: float = 0.0
    trouble: int = 0
    answers_again: set[int] = field(default_factory=set)
    known: tuple[float, int] = (0.0, 0)

    @property
    def key(self) -> str:
        """The site's key."""
        return self.lease.key

    def sent(self, now: float, at: float, number: int = 0) -> None:
        """A request of visit `number` goes out now, which is `at` in epoch seconds: the next keeps its distance."""
        self.tally.count(at, now - self.sent_at, self.delay_s, self.rule)
        self.sent_at, self.requested_at = now, at
        self.slow_down(self.delay_s)
        self.unsent.discard(number)
        if self.sending is not None and not self.unsent:
            self.sending()

    @property
    def has_room(self) -> bool:
        """May one more visit be under way?"""
        return self.under_way < self.parallel and not (self.delay_s and self.unsent)

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
        """A fact that holds until then."""
        self.facts[name], self.hold_until[name] = value, until

    def forget(self, now: float) -> None:
        """Let go of facts that no longer hold, so that they are asked for anew."""
        for name in [name for name, until in self.hold_until.items() if until <= now]:
            del self.facts[name], self.hold_until[name]

    def waiting(self, shut: Container[int] = ()) -> bool:
        """Is there a resource that could be handed out, of a source that is not shut?"""
        if self.first:
            return self.first[0].source not in shut
        return not self.blocked and any(work.queue for number, work in self.sources.items() if number not in shut)

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


class Desk:
    """Hands out visits, each when its site's pace allows. Nothing is handed out of sources that are `shut`.

    `changed` is called when a site may start a visit again for a reason that nobody else has seen.
    """

    def __init__(self) -> None:
        self.sites: dict[int, SiteWork] = {}
        self.shut: frozenset[int] = frozenset()
        self.changed: Callable[[], None] = lambda: None
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
        if site.queued or not site.waiting(self.shut):
            return
        if site.has_room:
            site.queued = True
            heapq.heappush(self._heap, (max(site.next_at, site.rest_until), next(self._offers), site))
        elif site.under_way < site.parallel and site.sending is None:
            site.sending = partial(self._gone_out, site)

    def _gone_out(self, site: SiteWork) -> None:
        """The request went out that a site's next visit waits for."""
        site.sending = None
        self.offer(site)
        self.changed()

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
            if early or not site.has_room or not site.waiting(self.shut):
                self.offer(site)
                continue
            resource = site.pop(self.shut)
            site.under_way += 1
            site.unsent.add(resource.id)
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
        task.site.unsent.discard(task.resource.id)
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
        site.unsent.discard(task.resource.id)
        work = site.sources.get(task.resource.source)
        if work is not None:
            work.queue.appendleft(task.resource)
        if prerequisite is not None and not site.blocked:
            site.blocked, site.asker = True, task.resource.id
            site.first.append(prerequisite)
        self.offer(site)

    def has_work(self) -> bool:
        """Is any resource read and not yet taken, though its site may have to wait?"""
        return any(site.waiting(self.shut) for site in self.sites.values())
