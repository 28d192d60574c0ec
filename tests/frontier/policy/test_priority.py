from __future__ import annotations

import pytest
import sqlalchemy as sa
from hypothesis import given, strategies as st

from cormorant.frontier.policy import priority as url_priority
from cormorant.frontier.progress import remaining
from cormorant.frontier.queue import host_leases
from cormorant.frontier.queue.host_leases import ReadWindow
from cormorant.frontier.sitemaps import lastmod_trust
from cormorant.model.content import FeedEntry
from cormorant.model.settings.priority import Level
from cormorant.store.db.database import Store
from cormorant.store.schema import resource
from tests.frontier.samples import SOURCE, admitted, found, site_numbers

generations = st.integers(0, 1 << 22)
priorities = st.integers(-10, 300)
depths = st.integers(0, 1 << 20)


@given(generations, priorities, depths, priorities, depths)
def test_a_generation_comes_before_the_next(
    generation: int, priority: int, depth: int, later_priority: int, later_depth: int
) -> None:
    due = url_priority.due(generation, priority, depth)
    assert due < url_priority.limit(generation) <= url_priority.due(generation + 1, later_priority, later_depth)
    assert url_priority.limit(generation - 1) <= due
    assert 0 <= due < 1 << 63


@given(generations, st.tuples(priorities, depths), st.tuples(priorities, depths))
def test_priority_comes_before_depth(generation: int, one: tuple[int, int], two: tuple[int, int]) -> None:
    def key(priority: int, depth: int) -> tuple[int, int]:
        return min(max(priority, 0), 255), min(depth, 0xFFFF)

    assert (url_priority.due(generation, *one) < url_priority.due(generation, *two)) == (key(*one) < key(*two))


def visited(store: Store, generation: int) -> list[str]:
    """The paths of what is due in a generation, in the order of its visits."""
    with store.read() as tx:
        window = ReadWindow(site_numbers(tx)["a.example"], SOURCE, generation)
        return [each.address.rpartition("/")[2] for each in host_leases.read(tx, window)]


def test_the_order_of_visits(store: Store) -> None:
    rows = [("late", 2, 255), ("deep", 5, 128), ("second", 1, 128), ("third", 1, 128), ("first", 9, 0)]
    for name, depth, priority in rows:
        admitted(store, found(f"https://a.example/{name}", depth, priority))
    assert visited(store, 1) == ["first", "second", "third", "deep", "late"]


def test_what_was_found_earlier_is_visited_earlier_across_batches(store: Store) -> None:
    admitted(store, "https://a.example/z", "https://a.example/y")
    admitted(store, "https://a.example/x")
    assert visited(store, 1) == ["z", "y", "x"]


def test_a_full_refresh_makes_everything_due_without_touching_a_row(store: Store) -> None:
    admitted(store, *(f"https://a.example/{n}" for n in range(5)))
    with store.begin() as tx:
        tx.execute(sa.update(resource).values(due=url_priority.due(2, 128, 0)))  # all were visited in generation 1
        before = tx.rows(sa.select(resource))
        assert remaining.to_fetch(tx, SOURCE, 1) == 0
        assert remaining.to_fetch(tx, SOURCE, 2) == 5
        assert tx.rows(sa.select(resource)) == before
    assert visited(store, 1) == []
    assert visited(store, 2) == list("01234")


def test_what_was_left_over_comes_before_what_a_refresh_makes_due(store: Store) -> None:
    admitted(store, "https://a.example/old", found("https://a.example/left", depth=9, priority=255))
    with store.begin() as tx:
        tx.execute(sa.update(resource).where(resource.c.depth == 0).values(due=url_priority.due(2, 0, 0)))
    assert visited(store, 2) == ["left", "old"]


@pytest.mark.parametrize("rest", [0.0, -60.0, 3600.0])
def test_what_must_wait_is_not_read(store: Store, rest: float) -> None:
    admitted(store, "https://a.example/x")
    with store.begin() as tx:
        tx.execute(sa.update(resource).values(not_before=tx.now() + rest if rest else 0.0))
    assert visited(store, 1) == ([] if rest > 0 else ["x"])


@given(generations, priorities, depths, st.sampled_from(Level))
def test_another_level_keeps_what_else_the_order_goes_by(
    generation: int, priority: int, depth: int, level: Level
) -> None:
    before = url_priority.due(generation, priority, depth)
    after = url_priority.moved(before, level)
    assert after >> 40 == before >> 40
    assert after & 0xFFFFFFFF == before & 0xFFFFFFFF
    if 0 < priority < 255:
        assert url_priority.level_of(after) is level
        assert url_priority.moved(after, level) == after
    else:
        assert (after, url_priority.level_of(after)) == (before, None)


@given(generations, st.integers(0, 1 << 23), priorities, depths)
def test_the_parts_of_a_generation_lie_side_by_side(generation: int, now: int, priority: int, depth: int) -> None:
    spans = url_priority.spans(now)
    due = url_priority.due(generation, priority, depth)
    inside = [span for span in spans if span.since <= due < span.until]
    assert len(inside) == (due < url_priority.limit(now))
    assert len(spans) == len(Level) + 2
    for level in Level:
        assert url_priority.level_of(spans[level + 1].since) is level
        assert url_priority.level_of(spans[level + 1].until - 1) is level


@pytest.mark.parametrize("level", Level)
def test_what_a_sitemap_says_never_leads_into_another_level(level: Level) -> None:
    weights = [None, *(number / 10 for number in range(11))]
    entries = [FeedEntry("https://a.example/", weight=each) for each in weights]
    newer, others = ([lastmod_trust.priority(each, newer=newer) for each in entries] for newer in (True, False))
    assert {
        url_priority.level_of(url_priority.due(1, url_priority.at_level(place, level))) for place in newer + others
    } == {level}
    assert max(newer) < min(others), "what is newer than our visit comes first"
    assert others[1:] == sorted(others[1:], reverse=True), "then what has more weight"
