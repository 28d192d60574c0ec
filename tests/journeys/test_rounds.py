"""A few rounds of random edits; the long form is `rounds`, which plays one seed again when it is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.rounds.proof import Rounds

ROUNDS = 4


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "seed"), [("sqlite", 1), ("postgresql", 2)])
def test_after_each_round_the_index_is_the_truth(home: Home, crawls: Crawler, tmp_path: Path, seed: int) -> None:
    course = Rounds(home, crawls, tmp_path, seed).go(ROUNDS)
    assert course.faults == [], course.done[-1]
    assert course.calm > 100, "hardly anything was the same as before"
