"""Effects of a visit on the next one at its site."""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from cormorant.base.clock import SystemClock
from cormorant.base.exhaustion import Shortage
from cormorant.crawl.resource_guard import DiskGuard
from cormorant.crawl.visit.visit import Blocked, VisitResult
from cormorant.crawl.worker import host_updates
from cormorant.frontier.policy.host_backoff import CIRCUIT
from cormorant.frontier.queue.refill import Moment
from cormorant.frontier.queue.workbench import SLACK_S, HostState, SourceWork, VisitTask, Workbench
from cormorant.frontier.state.enqueue import Admission
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Failed, Gone, Held, Ok, Outcome, OutcomeKind
from cormorant.model.resource import Lease, Resource, Role
from cormorant.model.ruling import Gate, Prerequisite, Ruling
from cormorant.model.settings.budget import SiteBudget
from cormorant.model.status import Status
from cormorant.net.egress.policy import DENIED, AddressClass
from cormorant.net.http.client import Fetcher
from cormorant.sources.web.source import WebSource
from cormorant.store.db.database import Store
from tests.clocks import Hands
from tests.crawl.samples import AT, NEVER_SEEN, RUN, SOURCE, web_source
from tests.crawl.worker.test_housekeeping import means_at
from tests.frontier.samples import admitted, numbers

if TYPE_CHECKING:
    from cormorant.crawl.commit.committer import BatchCommitter

NOW = 50.0
ROOM = DiskGuard((), lambda: NOW)


def learned(outcome: Outcome, requests: int = 1, failures: int = 0, received: int = 0) -> HostState:
    """A site with a delay of ten seconds whose visit, begun three seconds ago, has just ended so."""
    site = HostState(Lease(1, "a.example", 1, 1e12), {}, failures, delay_s=10.0, next_at=NOW + 7, under_way=1)
    if requests:
        site.sent(NOW - 2, AT - 2)
    report = VisitResult(VisitTask(NEVER_SEEN, site), outcome, VisitTrace(requests=requests, received=received), AT)
    assert host_updates.learn(report, Workbench(), web_source(), NOW) == []
    return site


@pytest.mark.parametrize("status", [429, 503])
def test_a_rest_is_for_the_site_that_asked_for_it(status: int) -> None:
    ours = learned(Deferred(status, "busy", 3600.0, whole_site=True))
    assert (ours.failures, ours.not_before, ours.rest_until) == (1, AT + 3600, NOW + 3600)
    other = learned(Deferred(status, "busy", 3600.0, elsewhere=True), requests=2)
    assert (other.failures, other.not_before, other.rest_until) == (0, 0.0, 0.0)


def test_a_rest_that_was_asked_for_is_kept_though_the_run_was_stopped_meanwhile() -> None:
    site, desk = HostState(Lease(1, "a.example", 1, 1e12), {}, under_way=1), Workbench()
    task = VisitTask(NEVER_SEEN, site)
    busy = VisitResult(task, Deferred(503, "busy", 60.0, whole_site=True), VisitTrace(requests=1), AT)
    host_updates.leave(task, busy, desk, NOW)
    assert (site.not_before, site.rest_until, site.under_way) == (AT + 60, NOW + 60, 0)
    site.under_way = 1
    host_updates.leave(task, Blocked(task, Prerequisite("http://a.example/robots.txt", "robots")), desk, NOW)
    assert (site.rest_until, site.under_way) == (NOW + 60, 0)


def test_a_site_that_redirects_has_not_failed() -> None:
    assert learned(Failed(906, "refused"), failures=CIRCUIT - 1).rest_until > NOW
    site = learned(Failed(906, "refused", elsewhere=True), requests=2, failures=CIRCUIT - 1)
    assert (site.failures, site.rest_until) == (0, 0.0)


def test_why_a_site_has_to_wait_is_kept_until_it_answers() -> None:
    for outcome in (Failed(906, "refused"), Deferred(503, "busy", whole_site=True), Deferred(902, "late")):
        assert learned(outcome).trouble == outcome.status
    assert learned(Gone(), failures=3).trouble == 0


def test_an_answer_that_was_on_its_way_does_not_hide_why_a_site_rests() -> None:
    site = HostState(Lease(1, "a.example", 1, 1e12), {SOURCE: SourceWork(1)}, under_way=2)
    for outcome in (Deferred(503, "busy", 60.0, whole_site=True), Gone()):
        host_updates.learn(
            VisitResult(VisitTask(NEVER_SEEN, site), outcome, VisitTrace(requests=1), AT),
            Workbench(),
            web_source(),
            NOW,
        )
    assert (site.failures, site.trouble, site.rest_until) == (0, 503, NOW + 60)
    host_updates.learn(
        VisitResult(VisitTask(NEVER_SEEN, site), Gone(), VisitTrace(requests=1), AT + 61),
        Workbench(),
        web_source(),
        NOW + 61,
    )
    assert site.trouble == 0


def test_a_page_that_is_well_ends_the_rest_that_failing_ones_began_but_none_that_was_asked_for() -> None:
    def rests(outcome: Outcome, failures: int) -> float:
        site = HostState(Lease(1, "a.example", 1, 1e12), {SOURCE: SourceWork(1)}, failures, under_way=2)
        for each in (outcome, Gone()):
            host_updates.learn(
                VisitResult(VisitTask(NEVER_SEEN, site), each, VisitTrace(requests=1), AT),
                Workbench(),
                web_source(),
                NOW,
            )
        return site.rest_until

    assert rests(Deferred(500, "an error"), CIRCUIT - 1) == 0.0
    assert rests(Deferred(503, "busy", 60.0, whole_site=True), CIRCUIT - 1) == NOW + 60


def test_a_site_that_answers_after_its_rest_has_its_sources_make_up_for_what_they_missed() -> None:
    def makes_up(outcome: Outcome, failures: int, requests: int = 1) -> set[int]:
        site = HostState(Lease(1, "a.example", 1, 1e12), {SOURCE: SourceWork(1)}, failures, under_way=1)
        report = VisitResult(VisitTask(NEVER_SEEN, site), outcome, VisitTrace(requests=requests), AT)
        host_updates.learn(report, Workbench(), web_source(), NOW)
        return site.answers_again

    assert makes_up(Gone(), CIRCUIT) == {SOURCE}
    assert makes_up(Gone(), CIRCUIT - 1) == set(), "it was not left alone"
    assert makes_up(Failed(906, "refused"), CIRCUIT) == set()
    forbidden = Excluded(Ruling(False, Gate.ROBOTS, "Disallow: /", Status.ROBOTS), 970)
    assert makes_up(forbidden, CIRCUIT, requests=0) == set()


HELD_BACK = Failed(Status.TRAP, "max_host_documents 5: so many were asked for in this run")
"""A document that search finds, and that a limit keeps from being visited."""


def test_what_is_not_asked_for_says_nothing_of_its_site() -> None:
    forbidden = Excluded(Ruling(False, Gate.ROBOTS, "Disallow: /", Status.ROBOTS), 970)
    assert learned(forbidden, requests=0, failures=CIRCUIT - 1).failures == CIRCUIT - 1
    assert learned(forbidden, failures=CIRCUIT - 1).failures == 0
    assert learned(forbidden, requests=0, received=9, failures=CIRCUIT - 1).failures == 0, "a file that was read"
    assert learned(HELD_BACK, requests=0, failures=CIRCUIT - 1).failures == CIRCUIT - 1
    ours = Deferred(Status.UNSETTLED, "our database was away")
    assert learned(ours, requests=0, failures=CIRCUIT - 1).failures == CIRCUIT - 1
    assert learned(ours, failures=CIRCUIT - 1).failures == 0, "it led to another site"


def test_a_site_that_answers_after_all_rests_no_longer() -> None:
    works = {SOURCE: SourceWork(1, queue=deque([NEVER_SEEN]))}
    desk, site = Workbench(), HostState(Lease(1, "a.example", 1, 1e12), works, CIRCUIT, under_way=2)
    site.parallel, site.paced = 2, True
    desk.open(site)
    for outcome, resting in ((Deferred(902, "late"), True), (Gone(), False)):
        host_updates.learn(
            VisitResult(VisitTask(NEVER_SEEN, site), outcome, VisitTrace(requests=1), AT), desk, web_source(), NOW
        )
        assert (site.rest_until > NOW, site.not_before > AT, site.trouble > 0) == (resting,) * 3
        assert (desk.take(NOW) is None) == resting


def test_the_delay_counts_from_the_last_request_of_a_visit() -> None:
    site = learned(Gone())
    assert (site.next_at, site.requested_at) == (NOW + 8 + SLACK_S, AT - 2)


def test_a_visit_without_a_request_gives_its_turn_back() -> None:
    forbidden = Excluded(Ruling(False, Gate.ROBOTS, "Disallow: /", Status.ROBOTS), 970)
    assert learned(forbidden, requests=0).next_at <= NOW
    assert learned(forbidden).next_at > NOW, "behind a redirect"
    assert learned(HELD_BACK, requests=0).next_at <= NOW, "ten thousand beyond a limit would take hours"
    assert learned(Failed(906, "refused"), requests=0).next_at == NOW + 7, "it was asked to connect"


def test_a_pace_that_robots_txt_asks_for_counts_from_its_own_request() -> None:
    site = HostState(Lease(1, "127.0.0.1:8000", 1, 1e12), {}, under_way=1)
    site.sent(NOW - 1, AT - 1)
    said = Content("http://127.0.0.1:8000/robots.txt", b"User-agent: *\nCrawl-delay: 5", "text/plain", validator="60")
    robots = NEVER_SEEN._replace(role=Role.ROBOTS, address=said.address)
    source = web_source(start=["http://127.0.0.1:8000/"], robots="obey")
    host_updates.learn(
        VisitResult(VisitTask(robots, site), Ok(said, None), VisitTrace(requests=1), AT), Workbench(), source, NOW
    )
    assert (site.delay_s, site.next_at) == (5.0, NOW + 4 + SLACK_S)


ROBOTS = NEVER_SEEN._replace(id=99, role=Role.ROBOTS, address="https://a.example/robots.txt")
UNREACHABLE = [
    Excluded(DENIED, 974), Failed(906, "refused"), Deferred(500, "an error")
]  # fmt: skip


@pytest.mark.parametrize("outcome", UNREACHABLE)
def test_the_visit_that_asked_for_a_robots_txt_ends_as_it_did(outcome: Excluded | Failed | Deferred) -> None:
    waiting = [NEVER_SEEN._replace(id=number) for number in (1, 2, 3)]
    work = SourceWork(1, queue=deque(waiting))
    site = HostState(Lease(1, "a.example", 1, 1e12), {SOURCE: work}, parallel=3)
    desk = Workbench()
    desk.open(site)
    desk.offer(site)
    tasks = [desk.take(NOW), desk.take(NOW)]
    for task, first in zip(tasks, (ROBOTS, None), strict=True):
        assert task is not None
        desk.again(task, first)
    assert [each.id for each in work.queue] == [2, 1, 3], "the second to ask stands before the first"
    asked = desk.take(NOW)
    assert asked is not None
    (refused,) = host_updates.learn(VisitResult(asked, outcome, VisitTrace(), AT), desk, web_source(), NOW)
    assert (refused.task.resource.id, refused.outcome.status) == (1, outcome.status)
    assert [each.id for each in work.queue] == [2, 3]


class Inside:
    """The resolved names of a fetcher after the first request."""

    def class_of(self, *_: object) -> AddressClass | None:
        return AddressClass.PRIVATE


@pytest.mark.parametrize(
    ("sources", "requests", "pace"),
    [((SOURCE,), 1, (0.0, 4)), ((SOURCE,), 0, (1.0, 1)), ((SOURCE, SOURCE + 1), 1, (1.0, 1))],
)
def test_the_first_request_shows_that_a_name_leads_inside(
    sources: tuple[int, ...], requests: int, pace: tuple[float, int]
) -> None:
    site = HostState(
        Lease(1, "a.example", 1, 1e12), {each: SourceWork(1) for each in sources}, delay_s=1.0, under_way=1
    )  # fmt: skip
    source = WebSource(SOURCE, web_source().settings, cast("Fetcher", Inside()), SystemClock())
    site.sent(NOW - 2, AT - 2)
    host_updates.learn(
        VisitResult(VisitTask(NEVER_SEEN, site), Gone(), VisitTrace(requests=requests), AT), Workbench(), source, NOW
    )
    assert (site.delay_s, site.parallel) == pace


def watched(settings: object, run: int) -> BatchCommitter:
    source = web_source(**{"max_host_documents": 3, **cast("dict[str, object]", settings)})
    return cast("BatchCommitter", SimpleNamespace(source=source, order=SimpleNamespace(run=run, generation=1)))


def test_how_much_of_a_host_a_run_may_ask_for_counts_from_its_begin() -> None:
    site = HostState(Lease(1, "a.example", 1, 1e12), {SOURCE: SourceWork(1)})
    host_updates.set_pace(site, {SOURCE: watched({}, 1)}, Moment(NOW, AT))
    assert [site.watches[SOURCE].ruling(NEVER_SEEN, NOW) is None for _ in range(4)] == [True] * 3 + [False]
    site.watched[SOURCE] = site.watches[SOURCE].pack()
    host_updates.set_pace(site, {SOURCE: watched({}, 1)}, Moment(NOW, AT))
    assert site.watches[SOURCE].ruling(NEVER_SEEN, NOW) is not None, "the same run goes on counting"
    for leased_again in (False, True):
        site.watched[SOURCE] = site.watches[SOURCE].pack()
        if leased_again:
            site.watches.clear()
        host_updates.set_pace(site, {SOURCE: watched({}, 2 + leased_again)}, Moment(NOW, AT))
        assert site.watches[SOURCE].ruling(NEVER_SEEN, NOW) is None, "another run of the same generation starts over"


def test_what_a_watch_has_learned_since_it_was_kept_outlasts_a_source_that_joins() -> None:
    site = HostState(Lease(1, "a.example", 1, 1e12), {SOURCE: SourceWork(1)})
    host_updates.set_pace(site, {SOURCE: watched({}, 1)}, Moment(NOW, AT))
    kept = site.watches[SOURCE].pack()
    assert [site.watches[SOURCE].ruling(NEVER_SEEN, NOW) for _ in range(3)] == [None] * 3
    site.watched[SOURCE] = kept
    host_updates.set_pace(site, {SOURCE: watched({}, 1)}, Moment(NOW, AT))
    assert site.watches[SOURCE].ruling(NEVER_SEEN, NOW) is not None
    host_updates.set_pace(site, {SOURCE: watched({"max_host_documents": 9}, 1)}, Moment(NOW, AT))
    assert site.watches[SOURCE].most == SiteBudget(documents=9), "other settings, another watch"
    off = {"max_host_documents": None, "traps": "ignore"}
    host_updates.set_pace(site, {SOURCE: watched(off, 1)}, Moment(NOW, AT))
    assert not site.watches


def test_a_site_of_two_sources_is_only_slowed() -> None:
    sources = {each: SourceWork(1) for each in (SOURCE, SOURCE + 1)}
    site = HostState(Lease(1, "a.example", 1, 1e12), sources, delay_s=0.5, parallel=1, under_way=1)
    host_updates.learn(
        VisitResult(VisitTask(NEVER_SEEN, site), Gone(), VisitTrace(requests=1), AT),
        Workbench(),
        web_source(per_host=4),
        NOW,
    )
    assert (site.delay_s, site.parallel) == (1.0, 1)


NOON = datetime(2026, 11, 18, 12, tzinfo=UTC).timestamp()


def test_another_hour_brings_another_pace_and_may_shut_a_source() -> None:
    hours = ["Wed 10-13 0.5", "Wed 13-14 suspend"]
    source = web_source(variable_delay=hours, time_zone="UTC", delay_s=2)
    clock = Hands(NOON)
    timed = WebSource(SOURCE, source.settings, None, clock)
    run = cast("BatchCommitter", SimpleNamespace(source=timed, order=SimpleNamespace(run=1)))
    site, desk = HostState(Lease(1, "a.example", 1, 1e12), {SOURCE: SourceWork(1)}), Workbench()
    desk.open(site)
    host_updates.set_pace(site, {SOURCE: run}, Moment(NOW, NOON))
    paces = []
    for hour in (12, 12.99, 13, 13.5, 14):
        clock.at = NOON + (hour - 12) * 3600
        host_updates.keep_hours(desk, {SOURCE: run}, Moment(NOW + clock.at - NOON, clock.at))
        paces.append((site.delay_s, desk.shut, site.rule))
    assert paces == [
        (0.5, frozenset(), "variable_delay 'Wed 10-13 0.5'"), (0.5, frozenset(), "variable_delay 'Wed 10-13 0.5'"),
        (2.0, {SOURCE}, "variable_delay 'Wed 13-14 suspend'"), (2.0, {SOURCE}, "variable_delay 'Wed 13-14 suspend'"),
        (2.0, frozenset(), "delay_s 2"),
    ]  # fmt: skip
    clock.at = NOON - 7 * 86_400  # the clock is set back
    host_updates.keep_hours(desk, {SOURCE: run}, Moment(NOW + 3 * 3600, clock.at))
    assert site.delay_s == 0.5, "an hour later at the latest"


def closed(outcomes: list[Outcome], waiting: int = 2) -> tuple[SourceWork, list[VisitResult]]:
    """A source at a site where so many resources wait and visits end so, and visits that were not made for it."""
    work = SourceWork(1)
    work.queue = deque(NEVER_SEEN._replace(id=100 + number) for number in range(waiting))
    work.held = {each.id for each in work.queue}
    site, made = HostState(Lease(1, "a.example", 1, 1e12), {SOURCE: work}, under_way=9), list[VisitResult]()
    for outcome in outcomes:
        made += host_updates.learn(
            VisitResult(VisitTask(NEVER_SEEN, site), outcome, VisitTrace(requests=1), AT),
            Workbench(),
            web_source(),
            NOW,
        )
    return work, made


def test_a_site_that_answers_with_login_pages_is_left_to_another_run() -> None:
    login = Held("a login page")
    work, made = closed([login, login])
    assert not work.closed
    work, made = closed([login, login, Gone(), login, login])
    assert not work.closed
    work, made = closed([login, login, login, login])
    assert (work.closed, len(work.queue), work.held) == (True, 0, {100})
    ((task, outcome, _, _),) = made
    assert (task.resource.id, outcome.status, outcome.kind) == (100, 980, OutcomeKind.DEFERRED)
    assert closed([login, login, login], waiting=0)[1] == []


def test_a_robots_txt_that_was_put_off_is_not_asked_for_twice(store: Store, tmp_path: Path) -> None:
    admitted(store, NEVER_SEEN.address, source=SOURCE)
    with store.read() as tx:
        (number,) = numbers(tx).values()
    waiting = deque[Resource]()
    work = SourceWork(0, queue=waiting, held={number})
    site = HostState(Lease(1, "a.example", 1, 1e12), {SOURCE: work})
    page = VisitTask(NEVER_SEEN._replace(id=number, site=1), site)
    means, order, desk = means_at(store, tmp_path), Admission(SOURCE, 1, RUN), Workbench()
    wanted = Blocked(page, Prerequisite("https://a.example/robots.txt", "robots.txt"))
    host_updates.require(wanted, desk, order, means)
    robots = site.first.popleft()
    site.awaited = None
    waiting.append(robots)  # as it is read with the documents when it is due again
    host_updates.require(wanted, desk, order, means)
    assert [each.id for each in site.first] == [robots.id]
    assert robots.id not in {each.id for each in work.queue}
    assert robots.id in work.held


def test_a_visit_that_we_were_short_of_files_for_is_made_later_as_if_it_had_not_been_begun() -> None:
    work = SourceWork(0, queue=deque[Resource](), held={NEVER_SEEN.id})
    site = HostState(Lease(1, "a.example", 1, 1e12), {SOURCE: work}, 3, delay_s=10.0, next_at=NOW + 7, under_way=1)
    room = DiskGuard((), lambda: NOW)
    report = VisitResult(VisitTask(NEVER_SEEN, site), Deferred(904, "", lack=Shortage.FILES), VisitTrace(), AT)
    assert host_updates.put_off(report, Workbench(), room)
    assert not host_updates.put_off(report._replace(outcome=Deferred(904, "")), Workbench(), room), "of nothing"
    assert list(work.queue) == [NEVER_SEEN]
    assert (site.failures, site.rest_until, site.not_before) == (3, 0.0, 0.0)
    assert room.lack() == Shortage.FILES.said
