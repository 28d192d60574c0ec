"""An open run is restarted by another command than the one whose processes carry it out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from cormorant.model.run import RunState
from cormorant.operate.runs import start
from tests.clocks import until
from tests.journeys.commands import serving
from tests.journeys.conftest import Serve
from tests.journeys.home import Home
from tests.journeys.pages import SiteSettings

PAGES = 60


@pytest.fixture
def keep(home: Home) -> Iterator[Callable[[], str]]:
    """Begins to serve, until the test ends."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(serving(home))


@pytest.mark.parametrize("fetched", [1, 20])
def test_a_restarted_run_stays_stopped_and_its_successor_finishes(
    home: Home, serve: Serve, keep: Callable[[], str], fetched: int
) -> None:
    site = serve(SiteSettings(pages=PAGES, delay_s=0.1))
    home.add_source("web", "site", site.source)
    with home.house() as house:
        (first,) = start.order(house, ["site"])
        keep()
        until(lambda: len(site.log()) > fetched)
        (second,) = start.order(house, ["site"], start.RunOrder(restart=True))
        assert second.run != first.run
        until(lambda: start.report(house, second.run)["state"] == RunState.FINISHED)
        assert start.report(house, first.run)["state"] == RunState.STOPPED
        report = start.report(house, second.run)
    assert (report["fetched"], report["complete"]) == (PAGES, True)
    assert home.found(site.word(PAGES - 1)) == [[site.url(PAGES - 1)]]
