"""Everything within the depth is found, whoever races whom; and what is too deep after an edit leaves."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cormorant.model.outcome import OutcomeKind
from cormorant.store.database import Store
from tests.crawl.racing import Race, Web, distances

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
