"""A crawl that is killed at random instants loses nothing and doubles nothing; the long form is `kills`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.home import Home
from tests.journeys.kills import survive

KILLS, PAGES = 6, 300


@pytest.mark.slow
@pytest.mark.both_stores
@pytest.mark.parametrize("seed", [7])
def test_killed_and_gone_on_with(home: Home, tmp_path: Path, seed: int) -> None:
    outcome = survive(home, tmp_path, PAGES, KILLS, seed)
    assert outcome.tally.kills == KILLS
    assert not outcome.ledger.faults(), outcome.figures()
    assert outcome.ledger.fetched_again <= outcome.bound
