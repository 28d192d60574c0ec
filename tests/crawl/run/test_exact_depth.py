"""Everything within the depth is found, whoever races whom; and what is too deep after an edit leaves.

At once where exact depth is asked, in the crawls that follow where it is not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from cormorant.crawl.run import exact_depth
from cormorant.crawl.run.link_survey import Survey
from cormorant.model.outcome import OutcomeKind
from cormorant.model.run import Mode, Refresh
from cormorant.store.catalog import sources
from cormorant.store.db.database import Store
from cormorant.store.journal import runs
from tests.crawl.racing import Race, Web, distances
from tests.crawl.samples import SOURCE, web_source

PAGES = 9

numbers = st.integers(0, PAGES - 1)
webs = st.dictionaries(numbers, st.lists(numbers, max_size=4, unique=True).map(tuple), max_size=PAGES)
moved = st.dictionaries(numbers.filter(bool), numbers, max_size=2)


def reached(race: Race) -> dict[int, int]:
    """The depth of every page that was visited and is there."""
    return {page: depth for page, (outcome, depth) in race.known().items() if outcome is not OutcomeKind.EXCLUDED}


def within(web: Web, moves: Mapping[int, int], limit: int) -> dict[int, int]:
    return {page: depth for page, depth in distances(web, moves).items() if depth <= limit}


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)
@given(web=webs, moves=moved, limit=st.integers(0, 4), seed=st.integers(0, 10_000))
def test_a_first_crawl_finds_all_that_lies_within_the_depth_and_asks_once(
    store: Store, web: Web, moves: Mapping[int, int], limit: int, seed: int
) -> None:
    race = Race(store, limit, seed)
    race.web, race.moves = web, moves
    race.crawl()
    assert reached(race) == within(web, moves, limit)
    assert sorted(race.asked) == sorted(within(web, moves, limit))


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=15)
@given(webs=st.tuples(webs, webs, webs), limit=st.integers(0, 4), seed=st.integers(0, 10_000))
def test_after_edits_what_a_way_leads_to_is_as_in_a_first_crawl(
    store: Store, webs: tuple[Web, Web, Web], limit: int, seed: int
) -> None:
    race = Race(store, limit, seed)
    for web in webs:
        before = race.known() if race.web else {}
        race.web = web
        race.crawl()
        now, steps = race.known(), distances(web, {})
        for page, depth in steps.items():
            if depth <= limit:
                assert now[page] == (OutcomeKind.OK, depth)
            elif page in now and now[page][1] == depth:
                assert now[page][0] is OutcomeKind.EXCLUDED, "it is known, and farther than it may be"
        assert len(race.asked) == len(set(race.asked)), "no page is asked twice"
        for page in before.keys() - steps.keys():
            assert now[page] == before[page], "what no way leads to any more stays as it was"


RING: Web = {0: (1, 5), 1: (2,), 2: (3,), 3: (4,), 5: (4,), 4: (6,), 6: (7,)}
"""4 is two steps from the start, and four by the other way; 6 and 7 lie behind it."""


def test_what_was_met_by_a_long_way_first_is_opened_by_a_shorter_one(store: Store) -> None:
    for seed in range(6):
        race = Race(store, 3, seed)
        race.web = RING
        race.crawl()
        assert reached(race) == {0: 0, 1: 1, 5: 1, 2: 2, 4: 2, 3: 3, 6: 3}
        assert sorted(race.asked) == [0, 1, 2, 3, 4, 5, 6]
        race.web = {**RING, 5: ()}
        race.crawl()
        known = race.known()
        assert (known[4], known[6]) == ((OutcomeKind.EXCLUDED, 4), (OutcomeKind.EXCLUDED, 5)), "the short way is gone"
        race.web = RING
        race.crawl()
        assert (race.known()[6], sorted(race.asked)) == ((OutcomeKind.OK, 3), [0, 1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=15)
@given(webs=st.tuples(webs, webs), moves=moved, limit=st.integers(0, 4), seed=st.integers(0, 10_000))
def test_without_exact_depth_no_page_stays_away_or_deeper_than_it_is(
    store: Store, webs: tuple[Web, Web], moves: Mapping[int, int], limit: int, seed: int
) -> None:
    race = Race(store, limit, seed, exact=False)
    race.moves = moves
    for web in webs:
        race.web = web
        for _ in range(limit + 2):
            race.crawl()
            assert len(race.asked) == len(set(race.asked)), "no page is asked twice"
        found = reached(race)
        for page, depth in within(web, moves, limit).items():
            assert found[page] <= depth


def test_a_shorter_way_counts_from_the_next_crawl_on_and_what_lies_behind_it(store: Store) -> None:
    race = Race(store, 3, 1, exact=False)
    race.web = {**RING, 5: ()}
    race.crawl()
    assert reached(race) == {0: 0, 1: 1, 5: 1, 2: 2, 3: 3}
    race.web = RING
    race.crawl()
    assert race.known()[4] == (OutcomeKind.OK, 2), "nobody knew it before"
    race.web = {**RING, 0: (1, 5, 3)}
    race.crawl()
    race.crawl()
    assert (race.known()[3], race.known()[6]) == ((OutcomeKind.OK, 1), (OutcomeKind.OK, 3))
    race.web = {**RING, 5: ()}
    race.crawl()
    race.crawl()
    assert (race.known()[3], race.known()[6]) == ((OutcomeKind.OK, 1), (OutcomeKind.OK, 3)), "none is taken away"


@pytest.mark.parametrize(
    ("given_", "how", "generation", "looks"),
    [
        ({"depth": 3}, {}, 2, True),
        ({"depth": 3}, {"force": True}, 2, True),
        ({"depth": 3}, {}, 1, False),
        ({"depth": 3}, {"refresh": Refresh.DUE}, 2, False),
        ({"depth": 3}, {"mode": Mode.INDEX_ONLY}, 2, False),
        ({"depth": 3, "depth_exact": True}, {}, 2, False),
        ({}, {}, 2, False),
    ],
    ids=["usual", "forced", "first", "due", "no links are read", "at the end", "unlimited"],
)
def test_a_crawl_begins_with_a_look_only_where_depth_is_bounded(
    given_: dict[str, object], how: dict[str, object], generation: int, *, looks: bool, store: Store,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    taken: list[Survey] = []

    async def take(survey: Survey) -> None:
        taken.append(survey)

    monkeypatch.setattr(Survey, "take", take)
    with store.begin() as tx:
        while sources.add(tx, "web", f"docs-{len(sources.every(tx))}", {}) != SOURCE:
            pass
        row = runs.get(tx, runs.request(tx, SOURCE, "{}", Refresh.ALL, force=False))
    asyncio.run(exact_depth.catch_up(store, replace(row, **how), lambda _: web_source(**given_), generation))  # type: ignore[arg-type] # as given
    assert bool(taken) == looks
