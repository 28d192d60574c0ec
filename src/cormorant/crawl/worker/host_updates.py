"""Host updates after a visit: facts that other visits wait for, and rests that a server requests."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from math import inf
from typing import TYPE_CHECKING

from msgspec.structs import replace

from cormorant.base.clock import jitter
from cormorant.crawl.visit.visit import Blocked, VisitResult
from cormorant.frontier.policy import backoff, host_backoff
from cormorant.frontier.queue import host_leases, host_recovery, refill
from cormorant.frontier.queue.refill import Moment
from cormorant.frontier.queue.workbench import HostState, VisitTask, Workbench
from cormorant.frontier.state import enqueue
from cormorant.frontier.state.enqueue import Admission, NewUrl
from cormorant.frontier.traps.detector import TrapDetector
from cormorant.model.content import VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Failed, Held, Moved, Ok
from cormorant.model.pace import Pace
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl, Role
from cormorant.model.status import Status
from cormorant.model.url import fingerprint
from cormorant.store.journal import runs

if TYPE_CHECKING:
    from cormorant.crawl.commit.committer import BatchCommitter
    from cormorant.crawl.context import WorkerContext
    from cormorant.crawl.resource_guard import DiskGuard
    from cormorant.model.outcome import Outcome
    from cormorant.sources.protocol import Source


LOOK_S = 3_600.0
"""Seconds for which a site keeps a pace at most: the clock may have been set since."""
SHUT_OUT = 3
"""Consecutive visits held because of a login page, after which a source leaves the site to another run."""


def made(
    got: VisitResult | Blocked, desk: Workbench, order: Admission, means: WorkerContext, room: DiskGuard
) -> VisitResult | None:
    """The visit; None if it was not made: another has to come first, or this process was short of a resource."""
    if isinstance(got, Blocked):
        require(got, desk, order, means)
        return None
    return None if put_off(got, desk, room) else got


def put_off(got: VisitResult, desk: Workbench, room: DiskGuard) -> bool:
    """Have a visit wait until this process has enough resources; its row does not change.

    False without a shortage, or if this visit alone ran short too often.
    """
    if got.lack is None or not room.fall_short(got.lack, got.task.resource.id):
        return False
    desk.again(got.task, None)
    return True


def require(blocked: Blocked, desk: Workbench, order: Admission, means: WorkerContext) -> None:
    """Queue the prerequisite of a visit before it; until then, nothing else of its site is visited."""
    task, address = blocked.task, blocked.prerequisite.address
    if task.site.awaited is not None:
        desk.again(task, None)
        return
    found = DiscoveredUrl(
        address, task.site.key, 0, DiscoveredBy.PREREQUISITE, Role.ROBOTS, task.resource.id, priority=0
    )
    with means.store.begin() as tx:
        enqueue.admit(tx, means.sites, order, [NewUrl(found, fingerprint(address, order.source))])
        resource = host_leases.at_address(tx, task.site.lease.site, order.source, address)
    if resource is not None and resource.source in task.site.sources:
        work = task.site.sources[resource.source]
        if resource.id in work.held:  # it was deferred before, and waits among the documents
            for queued in [each for each in work.queue if each.id == resource.id]:
                work.queue.remove(queued)
        work.held.add(resource.id)
    desk.again(task, resource)


def leave(task: VisitTask, got: VisitResult | Blocked, desk: Workbench, now: float) -> None:
    """Record a visit whose run was stopped: its content is dropped, but the site's response counts."""
    if isinstance(got, VisitResult):
        _heed(got, desk, now)
    desk.done(task)


def _heed(report: VisitResult, desk: Workbench, now: float) -> None:
    """Update the back-off of a site by the outcome of a visit."""
    site, outcome = report.task.site, report.outcome
    at = host_backoff.after(outcome, site.failures, report.at, jitter(0.1))
    if not (_was_unasked(report) or at.failures):
        _answered(site, desk, now)
    resting = site.rest_until > now
    if at.failures:
        site.failures, site.trouble = site.failures if resting else at.failures, outcome.status
    if at.until and not resting:
        site.not_before, site.rest_until = at.until, now + (at.until - report.at)


def learn(report: VisitResult, desk: Workbench, source: Source, now: float) -> list[VisitResult]:
    """Update the state of a site by a visit. Returns results for visits that are refused because of it."""
    task, outcome = report.task, report.outcome
    site = task.site
    _heed(report, desk, now)
    refused: list[VisitResult] = []
    if task.resource.role is Role.ROBOTS:
        fact = source.fact(outcome.content if isinstance(outcome, Ok) else outcome, task.resource.role)
        if fact is not None:
            site.awaited = None
            site.learn(fact[0], fact[1], now + fact[2])
            _reconsider(site, source)
        elif isinstance(outcome, Excluded | Failed | Deferred):
            refused = _refuse(report, outcome)
    if report.wire.requests and not site.paced:
        site.paced = True
        _reconsider(site, source)
    if _was_unasked(report):
        site.give_turn_back()
        if source.number in site.sources:
            site.sources[source.number].unasked += 1
    desk.done(task)
    refused += _shut_out(report, outcome, source.number)
    return refused


def _shut_out(report: VisitResult, outcome: Outcome, source: int) -> list[VisitResult]:
    """Leave a site that answers only with login pages to another run; one of its resources gets the reason."""
    site = report.task.site
    work = site.sources.get(source)
    if work is None or report.task.resource.role is not Role.DOCUMENT or not report.wire.used:
        return []
    work.in_row = work.in_row + 1 if isinstance(outcome, Held) else 0
    if not isinstance(outcome, Held) or work.in_row < SHUT_OUT or work.closed:
        return []
    waiting = next((each for each in work.queue if each.role is Role.DOCUMENT), None)
    if waiting is not None:
        work.queue.remove(waiting)
    work.close()
    if waiting is None:
        return []
    return [
        VisitResult(
            VisitTask(waiting, site),
            Deferred(Status.HELD, outcome.reason, 1.0, elsewhere=True),
            VisitTrace(),
            report.at,
        )
    ]


def _answered(site: HostState, desk: Workbench, now: float) -> None:
    """Reset the failures of a site that answers, and end its rest unless the site requested one."""
    if site.failures >= host_backoff.CIRCUIT:
        site.answers_again.update(site.sources)
    site.failures = 0
    if site.trouble not in backoff.BUSY and site.rest_until > now:
        site.not_before = site.rest_until = 0.0
        desk.hurry(site)
    if site.rest_until <= now:
        site.trouble = 0


def _was_unasked(report: VisitResult) -> bool:
    """Return whether a visit shows nothing about its site, as no request was sent: excluded, held back, our fault."""
    outcome = report.outcome
    by_us = isinstance(outcome, Excluded | Moved) or outcome.status in (Status.UNSETTLED, Status.TRAP)
    return by_us and not report.wire.used


def make_up(site: HostState, run: BatchCommitter, means: WorkerContext) -> None:
    """Have the resources that this run missed at a site visited once more, since the site answers again."""
    source, order, counters = run.order.source, run.order, copy(run.counters)
    with means.store.begin() as tx:
        if refill.renew(tx, means.owner, [site]):
            return
        missed = host_recovery.revive(tx, site.lease.site, source, order.run, order.generation)
        counters.failed -= missed.failed
        counters.gone -= missed.gone
        counters.fetch_failures -= sum(missed)
        counters.unanswered -= sum(missed)
        runs.count(tx, order.run, means.owner, counters)
    run.counters = counters
    site.sources[source].reread()


def _reconsider(site: HostState, source: Source) -> None:
    """Update the pace of a site, now that its network address and its robots.txt are known.

    If several sources visit it, the slowest pace counts.
    """
    pace = source.pace(site.key, site.facts)
    if len(site.sources) == 1:
        site.set_pace(pace.delay_s, pace.parallel, pace.rule)
    else:
        site.slow_down(pace.delay_s, pace.rule)


def _refuse(report: VisitResult, outcome: Excluded | Failed | Deferred) -> list[VisitResult]:
    """End the visit that needed the prerequisite with the same outcome (RFC 9309 section 2.3.1.4)."""
    site = report.task.site
    work = site.sources.get(report.task.resource.source)
    waiting = next((each for each in work.queue if each.id == site.asker), None) if work is not None else None
    if work is None or waiting is None:
        return []
    work.queue.remove(waiting)
    if isinstance(outcome, Excluded):
        same: Outcome = outcome
    else:  # the response of another address: rules for the document's own status do not apply
        same = replace(outcome, reason=f"robots.txt: {outcome.reason}", elsewhere=True)
    return [VisitResult(VisitTask(waiting, site), same, VisitTrace(), report.at)]


def watch(site: HostState, source: Source, run: int) -> None:
    """Continue the trap detection of a site for a source in a run, if its settings want it.

    A detector in memory is newer than the stored one.
    """
    wanted, known = source.settings.watched, site.watches.pop(source.number, None)
    if wanted is None:
        return
    kept = site.watched.pop(source.number, None)
    if known is None or (known.throttle, known.most) != wanted:
        known = TrapDetector(throttle=wanted.throttle, most=wanted.most)
        if kept is not None:
            known.unpack(kept)
    known.begin(run)
    site.watches[source.number] = known


def set_pace(site: HostState, dispatches: Mapping[int, BatchCommitter], moment: Moment) -> None:
    """Set the pace of a newly leased site: that of the slowest source that visits it, counted from its last request."""
    for number in site.sources.keys() & dispatches.keys():
        watch(site, dispatches[number].source, dispatches[number].order.run)
    site.sent_at = moment.latest_of(site.requested_at)
    _keep_pace(site, dispatches, moment)


def _keep_pace(site: HostState, dispatches: Mapping[int, BatchCommitter], moment: Moment) -> None:
    paces = [dispatches[source].source.pace(site.key, site.facts) for source in site.sources if source in dispatches]
    until = moment.monotonic_of(min((pace.until for pace in paces), default=inf))
    site.pace_until = min(until, moment.monotonic + LOOK_S)
    slowest = max(paces, key=lambda pace: pace.delay_s, default=Pace(0.0, 1, ""))
    site.set_pace(slowest.delay_s, min((pace.parallel for pace in paces), default=1), slowest.rule)


def keep_hours(desk: Workbench, dispatches: Mapping[int, BatchCommitter], moment: Moment) -> None:
    """Apply paces that depend on the hour, and suspend sources whose hours are over."""
    suspended = (source for source, run in dispatches.items() if run.source.settings.suspended_until(moment.store))
    desk.shut = frozenset(suspended)
    for site in desk.sites.values():
        if site.pace_until <= moment.monotonic:
            _keep_pace(site, dispatches, moment)
