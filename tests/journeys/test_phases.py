"""A crawl that is killed at a step of a document's way loses nothing and doubles nothing; the long form is `phases`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.home import Home
from tests.journeys.phases import survive
from tests.journeys.points import POINTS, RARE, place

KILLS, PAGES = 3, 80
AT = ("settled", "index committed")


def test_every_step_is_in_the_code() -> None:
    for each in (*POINTS, *RARE):
        assert callable(getattr(*place(each))), each.where


@pytest.mark.slow
@pytest.mark.parametrize("step", AT)
def test_killed_at_a_step_and_gone_on_with(file_home: Home, tmp_path: Path, step: str) -> None:
    (point,) = (each for each in POINTS if each.name == step)
    outcome = survive(file_home, tmp_path, point, PAGES, KILLS)
    assert outcome.tally.kills == KILLS
    assert not outcome.ledger.faults(), outcome.figures()
    assert outcome.ledger.fetched_again <= outcome.bound
