"""An edit does what its preview said; the long form is `previews`."""

from __future__ import annotations

import pytest

from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.previews import prove

EDITS, ADDRESSES = 6, 1_500


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_what_enters_and_leaves_is_what_was_said(home: Home, crawls: Crawler) -> None:
    tally = prove(home, crawls, EDITS, ADDRESSES, seed=3)
    assert not tally.faults, tally.faults[0]
    assert tally.edits == EDITS
    assert tally.known > ADDRESSES
    assert min(tally.left, tally.entered, tally.found_again) > 10, "nothing to compare"
