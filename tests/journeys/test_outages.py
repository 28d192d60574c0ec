"""A database that goes away is a pause; the long form is `outages`."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from tests.journeys.outages import survive
from tests.stores import Postgres

PAGES = 120


@pytest.mark.timeout(900)
def test_the_database_crashes_is_away_and_has_no_connection_free(postgres: Postgres, tmp_path: Path) -> None:
    given = Namespace(pages=PAGES, storm=3.0, away=1.5, crowd=1.0, delay=0.8, seed=3)
    with postgres.database() as url:
        tally, ledger = survive(postgres, url, tmp_path, given)
    assert not tally.wrong
    assert not ledger.faults(), ledger.figures()
    assert tally.crashes >= 1
    assert list(tally.on_again) == ["the last crash", "being away", "others had all connections"]
