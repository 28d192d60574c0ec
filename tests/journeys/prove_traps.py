"""A shop of 10,000 products is fetched whole, and a dozen traps around 1,000 real pages cost at most 500 requests.

Takes minutes, so it is no part of `make test`, which the name of this file keeps it out of:

    python -m pytest tests/journeys/prove_traps.py
"""

from __future__ import annotations

import pytest

from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.labyrinth import REAL
from tests.journeys.test_traps import check_labyrinth, check_shop

pytestmark = pytest.mark.timeout(900)


def test_traps(home: Home, crawls: Crawler) -> None:
    check_labyrinth(home, crawls, REAL)


def test_shop(home: Home, crawls: Crawler) -> None:
    check_shop(home, crawls, 10_000)
