from __future__ import annotations

import itertools
from collections import deque

import pytest
from hypothesis import given, strategies as st

from cormorant.frontier.queue.workbench import SLACK_S, HostState, SourceWork, VisitTask, Workbench
from cormorant.model.resource import Role
from tests.frontier.samples import a_lease, a_resource


def site(place: int = 1, **queues: int) -> HostState:
    """A site with that many resources waiting for each source: `s1=3` is three for source 1."""
    sources = {}
    for name, count in queues.items():
        source = int(name[1:])
        waiting = [a_resource(source * 1000 + n, source, place) for n in range(count)]
        sources[source] = SourceWork(1, queue=deque(waiting), held={each.id for each in waiting})
    return HostState(a_lease(place), sources)


def opened(*sites: HostState) -> Workbench:
    desk = Workbench()
    for each in sites:
        desk.open(each)
        desk.offer(each)
    return desk


def take(desk: Workbench, now: float) -> VisitTask:
    task = desk.take(now)
    assert task is not None
    return task


def test_an_empty_desk() -> None:
    desk = Workbench()
    assert desk.take(1e9) is None
    assert desk.next_time() is None


def test_a_site_starts_a_visit_when_its_delay_has_passed() -> None:
    one = site(s1=3)
    one.delay_s, one.next_at = 2.0, 10.0
    desk = opened(one)
    assert desk.take(9.9) is None
    assert desk.next_time() == 10.0
    first = take(desk, 10.5)
    assert (first.resource.id, first.site) == (1000, one)
    desk.done(first)
    assert desk.take(12.4) is None, "the delay counts from the start of the last visit"
    assert take(desk, 12.5).resource.id == 1001


def test_the_delay_counts_from_when_a_request_went_out() -> None:
    one = site(s1=3)
    one.delay_s, one.parallel = 2.0, 2
    desk = opened(one)
    first = take(desk, 10.0)
    one.sent(10.7, 0.0, first.resource.id)
    assert desk.take(12.6) is None
    assert take(desk, 12.71).resource.id == 1001


def test_the_next_visit_waits_for_one_that_still_connects() -> None:
    one = site(s1=3)
    one.delay_s, one.parallel = 2.0, 3
    desk, changes = opened(one), []
    desk.changed = lambda: changes.append(desk.next_time())
    first = take(desk, 10.0)
    assert desk.take(15.0) is None, "it may go out at any moment"
    one.sent(16.0, 0.0, first.resource.id)
    assert changes == [18.0 + SLACK_S]
    assert desk.take(17.9) is None
    second = take(desk, 18.1)
    assert desk.take(30.0) is None
    desk.done(second)
    assert take(desk, 30.0).resource.id == 1002, "nothing was asked for it"


def test_what_others_wait_for_too_is_handed_out_though_who_asked_for_it_is_shut() -> None:
    one = site(s1=1, s2=1)
    desk = opened(one)
    asked = take(desk, 0.0)
    assert asked.resource.source == 1
    desk.again(asked, a_resource(99))
    desk.shut = frozenset({1})
    robots = take(desk, 0.0)
    assert robots.resource.id == 99, "else source 2 would wait for all the hours of source 1"
    desk.done(robots)
    assert desk.take(0.0) is None, "it is not known yet what it says"
    one.awaited = None
    desk.offer(one)
    assert take(desk, 0.0).resource.source == 2


def test_nothing_is_handed_out_of_a_source_that_is_shut() -> None:
    one, other = site(1, s1=2, s2=2), site(2, s1=1)
    one.parallel = 9
    desk = opened(one, other)
    desk.shut = frozenset({1})
    assert [take(desk, 0.0).resource.source for _ in range(2)] == [2, 2]
    assert desk.take(0.0) is None
    assert not desk.has_work()
    desk.shut = frozenset()
    for each in (one, other):
        desk.offer(each)
    assert len([take(desk, 0.0) for _ in range(3)]) == 3


def test_a_turn_for_which_nothing_was_asked_is_given_back() -> None:
    one = site(s1=3)
    one.delay_s = 2.0
    desk = opened(one)
    desk.again(take(desk, 10.0), None)
    one.sent(10.0, 0.0)
    task = take(desk, 12.1)
    desk.again(task, None)
    assert take(desk, 12.1).resource is task.resource


def test_no_more_visits_at_once_than_the_site_allows() -> None:
    one = site(s1=4)
    one.parallel = 2
    desk = opened(one)
    tasks = [take(desk, 1.0), take(desk, 1.0)]
    assert desk.take(1.0) is None
    desk.done(tasks[0])
    assert take(desk, 1.0).resource.id == 1002
    assert desk.take(1.0) is None


def test_one_at_a_time_even_when_the_delay_has_passed() -> None:
    desk = opened(site(s1=2))
    take(desk, 0.0)
    assert desk.take(1e9) is None


def test_sources_take_turns() -> None:
    one = site(s1=3, s2=3, s3=1)
    one.parallel = 10
    desk = opened(one)
    assert [take(desk, 0.0).resource.source for _ in range(7)] == [1, 2, 3, 1, 2, 1, 2]
    assert desk.take(0.0) is None


def test_sites_do_not_wait_for_each_other() -> None:
    slow, fast = site(1, s1=2), site(2, s1=2)
    slow.delay_s, fast.delay_s = 100.0, 1.0
    slow.parallel = fast.parallel = 2
    desk = opened(slow, fast)
    tasks = [take(desk, 0.0), take(desk, 0.0)]
    assert {each.site.key for each in tasks} == {slow.key, fast.key}
    for each in tasks:
        each.site.sent(0.0, 0.0, each.resource.id)
    assert take(desk, 1.01).site is fast
    assert desk.take(99.0) is None
    assert take(desk, 100.01).site is slow


def test_a_site_that_rests_starts_nothing() -> None:
    one = site(s1=2)
    desk = opened(one)
    one.rest_until = 30.0
    assert desk.take(29.0) is None
    assert desk.next_time() == 30.0
    assert take(desk, 30.0).resource.id == 1000


def test_a_delay_that_grew_while_a_site_was_in_line_is_kept() -> None:
    one = site(s1=2)
    desk = opened(one)
    one.next_at = 10.0
    assert desk.take(5.0) is None
    assert take(desk, 10.0).resource.id == 1000


def test_a_site_that_was_given_back_is_in_line_no_more() -> None:
    one = site(s1=2)
    desk = opened(one)
    assert desk.close(1) is one
    assert desk.close(1) is None
    assert desk.take(1e9) is None


def test_a_site_leased_anew_does_not_take_the_place_it_had_in_line() -> None:
    old, new = site(s1=5), site(s1=5)
    desk = opened(old)
    desk.close(1)
    new.next_at, new.parallel = 10.0, 5
    desk.open(new)
    desk.offer(new)
    assert desk.take(9.0) is None
    assert take(desk, 10.0).site is new


def test_a_visit_that_ends_at_a_site_given_back_does_no_harm() -> None:
    old, new = site(s1=5), site(s1=5)
    desk = opened(old)
    task = take(desk, 0.0)
    desk.close(1)
    new.next_at = 50.0
    desk.open(new)
    desk.offer(new)
    desk.done(task)
    assert desk.take(49.0) is None
    assert (new.under_way, old.under_way) == (0, 0)


def test_a_prerequisite_comes_first_and_alone() -> None:
    one = site(s1=2, s2=1)
    one.parallel = 3
    desk = opened(one)
    task = take(desk, 0.0)
    robots = a_resource(9)
    desk.again(task, robots)
    assert take(desk, 0.0).resource is robots
    assert desk.take(0.0) is None, "nothing else before it ended"
    one.awaited = None
    desk.done(VisitTask(robots, one))
    assert take(desk, 0.0).resource.source == 2, "the turn goes on"
    assert take(desk, 0.0).resource == task.resource, "what asked for it is in front of its queue"


def test_a_prerequisite_that_failed_is_not_asked_for_again_before_that_was_written() -> None:
    robots = a_resource(9)._replace(role=Role.ROBOTS)
    for put_off in (False, True):  # as a document asked for it, or as it is due by itself
        one = site(s1=2)
        one.parallel = 3
        desk = opened(one)
        if put_off:
            one.sources[1].queue.appendleft(robots)
        else:
            desk.again(take(desk, 0.0), robots)
        task = take(desk, 0.0)
        assert task.resource is robots
        assert desk.take(0.0) is None, "what it says is of use to all others"
        desk.done(task)
        assert desk.take(0.0) is None
        desk.settled([robots], ())
        assert take(desk, 0.0).resource.id == 1000


def test_a_prerequisite_for_which_there_is_no_room_is_handed_out_again() -> None:
    one = site(s1=1)
    desk = opened(one)
    desk.again(take(desk, 0.0), a_resource(9)._replace(role=Role.ROBOTS))
    for _ in range(2):
        task = take(desk, 0.0)
        assert task.resource.id == 9
        desk.again(task, None)
    assert one.sources[1].queue.popleft().id == 1000


def test_who_asked_first_for_a_prerequisite_is_remembered() -> None:
    one = site(s1=2)
    one.parallel = 2
    desk = opened(one)
    first, second = take(desk, 0.0), take(desk, 0.0)
    desk.again(first, a_resource(9))
    desk.again(second, a_resource(9))
    assert one.asker == first.resource.id


def test_a_fact_is_forgotten_when_its_time_has_passed() -> None:
    one = site()
    one.learn("short", b"a", 100.0)
    one.learn("long", b"b", 200.0)
    one.forget(99.9)
    assert one.facts == {"short": b"a", "long": b"b"}
    one.forget(100.0)
    assert one.facts == {"long": b"b"}
    one.learn("short", b"c", 300.0)
    one.forget(200.0)
    assert one.facts == {"short": b"c"}


def test_a_pace_that_is_set_may_be_faster_and_counts_from_the_newest_request() -> None:
    one = site(s1=1)
    one.delay_s, one.next_at, one.sent_at = 10.0, 25.0, 15.0
    one.set_pace(2.0, 4)
    assert (one.delay_s, one.parallel, one.next_at) == (2.0, 4, 17.0 + SLACK_S)
    one.set_pace(0.0, 1)
    assert (one.delay_s, one.parallel, one.next_at) == (0.0, 1, 15.0)


def test_a_turn_that_another_visit_has_taken_is_not_given_away_by_a_new_pace() -> None:
    one = site(s1=1)
    one.delay_s, one.next_at, one.sent_at, one.under_way = 10.0, 25.0, 15.0, 2
    one.set_pace(2.0, 4)
    assert one.next_at == 25.0


def test_two_that_ask_for_the_same_wait_for_one() -> None:
    one = site(s1=3)
    one.parallel = 3
    desk = opened(one)
    first, second = take(desk, 0.0), take(desk, 0.0)
    desk.again(first, a_resource(9))
    desk.again(second, a_resource(9))
    assert take(desk, 0.0).resource.id == 9
    assert desk.take(0.0) is None
    assert one.under_way == 1
    assert len(one.sources[1].queue) == 3


def test_a_written_batch_lets_go_of_its_resources() -> None:
    one = site(s1=2, s2=1)
    desk = opened(one)
    task = take(desk, 0.0)
    desk.done(task)
    assert one.sources[1].held == {1000, 1001}
    desk.settled([task.resource, a_resource(1001, source=3), a_resource(5, place=77)], [])
    assert one.sources[1].held == {1001}


def test_where_something_arrived_is_looked_at_again() -> None:
    one, two = site(1, s1=1, s2=0), site(2, s1=1)
    desk = opened(one, two)
    for each in (*one.sources.values(), *two.sources.values()):
        each.exhausted = True
    desk.settled([], [1, 77])
    assert [work.exhausted for work in one.sources.values()] == [False, False]
    assert two.sources[1].exhausted


def test_nothing_to_hand_out_is_a_bug_of_the_caller() -> None:
    with pytest.raises(LookupError, match="site-1"):
        site(s1=0).pop()


def test_sites_of_one_lane_keep_their_pace_together() -> None:
    one, two, other = site(1, s1=3), site(2, s1=3), site(3, s1=1)
    for each in (one, two, other):
        each.delay_s, each.parallel, each.unplaced = 2.0, 2, True
    desk = opened(one, two, other)
    assert desk.take(10.0) is None, "nobody knows where they are"
    for each in (one, two):
        desk.place(each, "203.0.113.7", 5.0)
    desk.place(other, "", 0.0)
    alone, first = take(desk, 10.0), take(desk, 10.0)
    assert (alone.site.key, first.site.key) == (other.key, one.key)
    assert desk.take(10.0) is None, "one that connects may go out at any moment"
    one.sent(10.5, 0.0, first.resource.id)
    assert desk.take(12.5) is None
    third = take(desk, 12.51)
    assert third.site is two
    two.sent(12.6, 0.0, third.resource.id)
    assert desk.take(20.0) is None, "as many are under way as one site may have"
    desk.done(first)
    assert take(desk, 20.0).site is one


def test_a_lane_remembers_when_it_was_asked_last() -> None:
    one, two = site(1, s1=2), site(2, s1=2)
    one.delay_s = two.delay_s = 10.0
    desk = opened(one)
    desk.place(one, "203.0.113.7", 3.0)
    assert desk.take(12.9) is None
    task = take(desk, 13.1)
    one.sent(13.1, 0.0, task.resource.id)
    desk.done(task)
    desk.close(1)
    desk.open(two)
    desk.place(two, "203.0.113.7", 0.0)
    assert desk.take(23.0) is None
    assert take(desk, 23.2).site is two


steps = st.lists(st.tuples(st.sampled_from(["take", "sent", "done", "later"]), st.floats(0, 3)), max_size=60)


@given(steps, st.floats(0, 2), st.integers(1, 3), st.integers(0, 12))
def test_a_site_is_never_hurried(steps: list[tuple[str, float]], delay: float, parallel: int, count: int) -> None:
    one = site(s1=count, s2=count)
    one.delay_s, one.parallel = delay, parallel
    desk = opened(one)
    now, started, sent, under_way, connecting = 0.0, [], [], list[VisitTask](), list[VisitTask]()
    for step, size in steps:
        if step == "later":
            now += size
        elif step == "sent" and connecting:
            one.sent(now, now, connecting.pop(0).resource.id)
            sent.append(now)
        elif step == "done" and under_way:
            ended = under_way.pop(0)
            connecting = [each for each in connecting if each is not ended]
            desk.done(ended)
        elif step == "take" and (task := desk.take(now)):
            started.append((now, task.resource.id))
            under_way.append(task)
            connecting.append(task)
        assert len(under_way) <= parallel
        held_back = bool(delay and connecting)
        free = len(under_way) < parallel and len(started) < 2 * count and not held_back
        assert (desk.next_time() is not None) or not free, "who could start is in line"
    for times in ([at for at, _ in started], sent if delay else []):
        assert all(later >= earlier + delay for earlier, later in itertools.pairwise(times))
    assert len({number for _, number in started}) == len(started)


def test_when_crowded_a_site_with_a_visit_that_takes_long_gets_no_other() -> None:
    busy = site(s1=3)
    busy.parallel = 4
    desk = opened(busy)
    long = take(desk, 0.0)
    busy.stuck, desk.crowded = 1, True
    assert desk.take(0.0) is None
    busy.stuck = 0
    desk.done(long)
    assert desk.take(0.0) is not None


def test_a_site_that_is_asked_beside_is_left_its_gap() -> None:
    site = HostState(a_lease(1), {}, delay_s=10.0)
    site.sent(100.0, 5_000.0)
    site.give_way(5_004.0)
    assert (site.sent_at, site.requested_at) == (104.0, 5_004.0)
    assert site.starts_at >= 114.0
    site.give_way(5_001.0)
    assert site.requested_at == 5_004.0, "what it knows better"
    site.give_way(5_004.0 + 30 * 86_400.0, latest=106.0)
    assert site.sent_at == 106.0, "by a clock that was set meanwhile it would be a month"
